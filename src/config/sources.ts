import { z } from 'zod';
import { DATASETS } from '../model/dataset.ts';
import { FIELD_TYPES } from '../model/field.ts';
import { HOPS_HEADER } from '../model/hops.ts';
import { address, path, text, whole } from './forms.ts';
import { LIMITS } from './limits.ts';

/** Sources stand beside these in `/health`. */
const PARTS = ['workers', 'store', 'validator', 'redis', 'suppressions'];

/** The public name of a source, chosen by the operator: it leads every row id, so it may not hold a colon. */
export const SOURCE_NAME = new RegExp(`^(?!(?:${PARTS.join('|')})$)[a-z0-9][a-z0-9_-]{0,63}$`);

/** What a name is to be that is none for a source. */
export function wantedName(name: unknown): string {
  return PARTS.some((part) => part === name) ? 'another name: a part of the service has this one' : '1 to 64 of a-z, 0-9, _ and -, the first a letter or digit';
}

export const SOURCE_KINDS = ['lake', 'parquet', 'postgres', 'clickhouse', 'http'] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

const base = {
  name: z.string('expected a name').regex(SOURCE_NAME, { error: ({ input }) => `expected ${wantedName(input)}` }),
  dataset: z.enum(DATASETS, 'expected contacts or companies'),
};

/** Canonical field: column of the source. Fields that the source calls by the same name need no entry. */
const columns = z.record(z.string(), text('expected the name of a column'), 'expected a map of field: column').default({});

/** Filter: column that holds what the filter compares, as it compares it. */
const compared = z.record(z.string(), text('expected the name of a column'), 'expected a map of filter: column').default({});

const remote = {
  columns,
  timeout_ms: whole(LIMITS.timeoutMsMin, LIMITS.streamTimeoutMsMax).optional(),
  connect_timeout_ms: whole(LIMITS.timeoutMsMin, LIMITS.pageTimeoutMsMax).optional(),
  concurrency: whole(1, LIMITS.sourceConcurrencyMax).optional(),
};

/** Other servers that hold the same. */
const replicas = (...schemes: readonly string[]) => z.array(address(...schemes), 'expected a list of URLs')
  .refine(({ length }) => length <= LIMITS.replicasMax, `expected at most ${LIMITS.replicasMax}`).optional();

/** Names as the engine has them: what quotes them there has no place in them here. */
const table = z.string('expected a table').regex(
  /^(?!\s|.*(?:\s\.|\.\s|\s$))[^\p{C}."'`\\]{1,128}(?:\.[^\p{C}."'`\\]{1,128}){0,2}$/u, 'expected a table, as name or schema.name, without quotes, backslashes and blanks around a name');

/** What each request says of itself: HTTP's client refuses to send some of these from anybody else, and others would be passed over. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'accept', 'accept-encoding', 'content-encoding', 'content-length', 'content-type', 'expect', 'keep-alive', 'transfer-encoding', 'upgrade', HOPS_HEADER,
]);

const headers = z.record(
  z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, 'expected the name of a header')
    .refine((name) => !OWN_HEADERS.has(name.toLowerCase()), 'expected another header: this one is the service\'s own to set'),
  z.string('expected text').regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'expected text on one line'),
  'expected a map of header: value')
  .refine((map) => new Set(Object.keys(map).map((name) => name.toLowerCase())).size === Object.keys(map).length, 'expected each header once, whatever the case of its letters')
  .default({});

const FILES = 'expected a file, a folder or a glob on this machine';

/** What entries of every kind have. */
export const COMMON = z.object(base);

/** One entry of `sources`, by kind. */
export const SOURCES = {
  lake: z.strictObject({ ...base, kind: z.literal('lake') }),
  parquet: z.strictObject({
    ...base, kind: z.literal('parquet'), path: path(FILES).refine((value) => !value.includes('://'), FILES),
    columns, compared,
    timeout_ms: whole(LIMITS.timeoutMsMin, LIMITS.streamTimeoutMsMax).optional(),
    concurrency: whole(1, LIMITS.sourceConcurrencyMax).optional(),
    memory_mb: whole(LIMITS.parquetMemoryMbMin, LIMITS.rowsMemoryMbMax).optional(),
    threads: whole(1, LIMITS.scanThreadsMax).optional(),
  }),
  postgres: z.strictObject({ ...base, kind: z.literal('postgres'), url: address('postgres:', 'postgresql:'), replicas: replicas('postgres:', 'postgresql:'), table, compared, ...remote }),
  clickhouse: z.strictObject({ ...base, kind: z.literal('clickhouse'), url: address('http:', 'https:'), replicas: replicas('http:', 'https:'), table, compared, ...remote }),
  http: z.strictObject({ ...base, kind: z.literal('http'), url: address('http:', 'https:'), replicas: replicas('http:', 'https:'), headers, ...remote }),
} satisfies Record<SourceKind, z.ZodType>;

export type SourceConfig = { [K in SourceKind]: z.output<(typeof SOURCES)[K]> }[SourceKind];

/** An extra column that the operator declares for a dataset; its name becomes a row field and a filter. */
export const Extra = z.strictObject({
  name: z.string('expected a name').regex(/^[a-z][a-z0-9_]{0,63}$/, 'expected 1 to 64 of a-z, 0-9 and _, the first a letter'),
  type: z.enum(FIELD_TYPES, 'expected string, strings, integer or timestamp'),
  description: text('expected a sentence for the callers'),
});
