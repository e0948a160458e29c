import { z } from 'zod';
import { LIMITS } from '../../config/limits.ts';
import { charactersIn } from '../../lib/characters_in.ts';
import { isWellFormed } from '../../lib/well_formed.ts';
import { DATASETS } from '../../model/dataset.ts';
import { isObject, type JsonObject } from '../../model/json.ts';

/** What an answer is: a page in JSON or MessagePack, a page of CSV, or a stream. Their bounds differ. */
export const ANSWER_FORMS = ['page', 'csv', 'stream'] as const;
export type AnswerForm = (typeof ANSWER_FORMS)[number];

type ByForm = Readonly<Record<AnswerForm, number>>;

/** `DEFAULT`: what is used where the caller says nothing. */
export const ROWS_DEFAULT: ByForm = { page: LIMITS.pageRowsDefault, csv: LIMITS.pageRowsDefault, stream: Number.MAX_SAFE_INTEGER };
export const ROWS_MAX: ByForm = { page: LIMITS.pageRowsMax, csv: LIMITS.csvPageRowsMax, stream: Number.MAX_SAFE_INTEGER };
export const TIMEOUT_MS_DEFAULT: ByForm = { page: LIMITS.pageTimeoutMsDefault, csv: LIMITS.pageTimeoutMsDefault, stream: LIMITS.streamTimeoutMsDefault };
export const TIMEOUT_MS_MAX: ByForm = { page: LIMITS.pageTimeoutMsMax, csv: LIMITS.pageTimeoutMsMax, stream: LIMITS.streamTimeoutMsMax };

const LIMIT_RULE = `most rows to return: on a page ${LIMITS.pageRowsDefault} by default and ${LIMITS.pageRowsMax} at most, in CSV ${LIMITS.csvPageRowsMax}; a stream returns all by default`;
const TIMEOUT_RULE = `hard deadline of the whole answer: ${LIMITS.pageTimeoutMsDefault} by default and ${LIMITS.pageTimeoutMsMax} at most; on a stream ${LIMITS.streamTimeoutMsDefault} and ${LIMITS.streamTimeoutMsMax}`;

/** Checked in one step that stops at the first wrong element: a megabyte of them would cost an issue each. */
export function isNames(value: unknown, namesMax: number): boolean {
  return Array.isArray(value) && value.length <= namesMax && value.every((each) => typeof each === 'string');
}

const names = (namesMax: number) => z
  .custom<readonly string[]>((value) => isNames(value, namesMax))
  .meta({ type: 'array', items: { type: 'string' }, maxItems: namesMax });

const QUERY = z.string()
  .refine((text) => isWellFormed(text) && text.trim() !== '' && charactersIn(text.trim(), LIMITS.queryCharactersMax))
  .meta({ minLength: 1, maxLength: LIMITS.queryCharactersMax, pattern: '\\S' });

const CLIENT_REF = z.string()
  .refine((text) => isWellFormed(text) && charactersIn(text, LIMITS.clientRefCharactersMax))
  .meta({ maxLength: LIMITS.clientRefCharactersMax });

/** Passed on as it is: a record of zod's would drop a `__proto__` that must be refused. */
const FILTERS = z.custom<JsonObject>(isObject).meta({ type: 'object' });

/** The body of a find but for the forms of its filters, which depend on the dataset. */
export function findBody(form: AnswerForm) {
  return z.strictObject({
    type: z.enum(DATASETS).describe('the dataset to search'),
    query: QUERY.optional().describe('free text: words, prefix* (a star at the end of a word, outside quotes), "a phrase", -without; needs a narrowing filter beside it, which is any that says what to include but has_email and its like'),
    filters: FILTERS.optional().describe('filters by name; values of one filter OR, filters AND'),
    limit: z.int().min(1).max(ROWS_MAX[form]).optional().describe(LIMIT_RULE),
    cursor: z.string().min(1).max(LIMITS.cursorCharactersMax).optional().describe('next_cursor of the page before, or the last @cursor of a stream; with the type, query, filters, sources, dedupe and strict that it came with'),
    fields: names(LIMITS.namesMax).optional().describe('row fields to return; id and source always come'),
    sources: z.strictObject({ only: names(LIMITS.namesMax).optional(), ignore: names(LIMITS.namesMax).optional() }).optional().describe('which sources to ask'),
    timeout_ms: z.int().min(LIMITS.timeoutMsMin).max(TIMEOUT_MS_MAX[form]).optional().describe(TIMEOUT_RULE),
    dedupe: z.boolean().optional().describe('one row per person or company across sources: true by default, on a stream false'),
    count: z.enum(['exact', 'none']).optional().describe('exact by default; none spares the counting: total is then the rows returned'),
    facets: names(LIMITS.facetsMax).optional().describe(`filter names to count the top ${LIMITS.facetValuesMax} values of, over all matches: duplicates across sources are counted in each; a warning tells where too many values are about as frequent to be sure of those`),
    strict: z.boolean().optional().describe('refuse where a source lacks a filtered column, which otherwise counts as empty there; false by default'),
    client_ref: CLIENT_REF.optional().describe('echoed in the answer'),
  });
}

export type FindBody = z.infer<ReturnType<typeof findBody>>;

export const FIND_BODIES = { page: findBody('page'), csv: findBody('csv'), stream: findBody('stream') } as const satisfies Record<AnswerForm, unknown>;
