import { z } from 'zod';
import { LIMITS } from '../../config/limits.ts';
import type { FindAnswer } from '../../model/answer.ts';
import { DATASETS } from '../../model/dataset.ts';
import type { Field, FieldType } from '../../model/field.ts';
import type { Vocabulary } from '../../model/vocabulary.ts';

const VALUES: Readonly<Record<FieldType, z.ZodType>> = {
  string: z.string(),
  strings: z.array(z.string()),
  integer: z.int(),
  timestamp: z.iso.datetime({ offset: true }),
};

/** `fields` of the request may leave out any but these two. */
const ALWAYS: ReadonlySet<string> = new Set(['id', 'source']);

/** A row as it leaves the service. */
export function rowSchema({ fields }: Vocabulary) {
  const member = ({ name, type, nullable, description }: Field): z.ZodType => {
    const value = nullable ? VALUES[type].nullable() : VALUES[type];
    return (ALWAYS.has(name) ? value : value.optional()).describe(description);
  };
  return z.object(Object.fromEntries(fields.map((field) => [field.name, member(field)])));
}

const NAMES = z.array(z.string());

export const OUTCOME = z.object({
  source: z.string(),
  status: z.enum(['complete', 'partial', 'failed', 'skipped']),
  reason: z.string().nullable().describe('null when complete; `counting …` where the rows are all there, and only counting them failed or took too long'),
  returned: z.int().min(0),
  matched: z.int().min(0).nullable().describe('rows that match in this source; null where it did not count: by the reason, or because it cannot'),
  took_ms: z.number().min(0),
  filters: z.object({ pushed: NAMES, residual: NAMES, unsupported: NAMES }).describe('how each filter was served'),
});

const FACETS = z.record(z.string(), z.array(z.object({ value: z.string(), count: z.int().min(0) })));

/** All of an answer but its rows; what stands in `@end` of a stream. */
export const ANSWER = z.object({
  total: z.int().min(0).describe('count of matches; total_relation says how it is meant'),
  warnings: z.array(z.string()).describe('partial-data conditions'),
  errors: z.array(z.string()).describe('per-source failures, each naming the source and the failure'),
  type: z.enum(DATASETS),
  returned: z.int().min(0),
  next_cursor: z.string().nullable().describe('send it as cursor for the next page; null on the last, which a walk does not come to while a source fails'),
  total_relation: z.enum(['eq', 'gte', 'lte', 'approx'])
    .describe('eq: exact; gte: a source failed or could not count; lte: duplicates across sources are not yet subtracted; approx: both'),
  partial: z.boolean().describe('whether rows may be missing'),
  took_ms: z.number().min(0),
  request_id: z.string(),
  facets: FACETS.nullable().describe(`the ${LIMITS.facetValuesMax} most frequent values of each filter asked for, each with its whole count; of many thousands that are about as frequent, some of the others may be as frequent as those. A source that did not count one, for lack of time or for too many different values, is named in \`warnings\``),
  client_ref: z.string().nullable(),
  sources: z.array(OUTCOME).describe('one entry for each source asked'),
}) satisfies z.ZodType<FindAnswer>;

const TIMING = z.record(z.string(), z.number()).describe('milliseconds by stage');

/** The last line of a stream that failed. */
export const CONTROL_ERROR = z.strictObject({ '@error': z.object({ error: z.string(), detail: z.string(), request_id: z.string() }) });

/** What the lines of a stream may be beside rows. */
export const CONTROL_LINE = z.union([
  z.strictObject({ '@source': OUTCOME }),
  z.strictObject({ '@heartbeat': z.strictObject({}) }),
  z.strictObject({ '@cursor': z.string().describe('sent as cursor, goes on behind the rows so far') }),
  z.strictObject({ '@end': ANSWER.extend({ units_charged: z.int(), units_remaining: z.int().nullable(), timing: TIMING }) }),
  CONTROL_ERROR,
]).describe('A line of a stream with one key that begins with @. Exactly one @end or @error is the last line; a stream without it was cut.');
