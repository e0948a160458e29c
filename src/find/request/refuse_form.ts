import { LIMITS } from '../../config/limits.ts';
import type { Dataset } from '../../model/dataset.ts';
import { AppError, type ErrorCode } from '../../model/errors.ts';
import { ROWS_MAX, TIMEOUT_MS_MAX, type AnswerForm, type FindBody } from './body.ts';
import { findExample, textExample, type FindExample } from './example.ts';

type Wrong = { readonly code: ErrorCode; readonly takes: string; readonly example: (type: Dataset) => FindExample };

const plain = (code: ErrorCode, takes: string, part?: Readonly<Record<string, unknown>>): Wrong => ({ code, takes, example: (type) => findExample(type, part) });

/** What to say of a member in a form that its schema refuses; the schema itself knows only that it does. */
const WRONG: Readonly<Record<keyof FindBody, (form: AnswerForm) => Wrong>> = {
  type: () => plain('unknown_type', 'takes contacts or companies'),
  query: () => ({ code: 'invalid_query', takes: `takes a string of 1 to ${LIMITS.queryCharactersMax} characters, blanks at its ends not counted`, example: textExample }),
  filters: () => plain('invalid_field', 'takes an object of filters by name'),
  limit: (form) => plain('invalid_limit', form === 'stream' ? 'takes a positive integer' : `takes an integer from 1 to ${ROWS_MAX[form]}`),
  cursor: () => plain('invalid_cursor', 'takes the next_cursor of the page before as it stands; after the last page there is none'),
  fields: () => plain('invalid_field', `takes an array of at most ${LIMITS.namesMax} field names`, { fields: ['id', 'country', 'updated_at'] }),
  sources: () => plain('invalid_field', 'takes an object of only and ignore, each an array of source names'),
  timeout_ms: (form) => plain('invalid_timeout', `takes an integer from ${LIMITS.timeoutMsMin} to ${TIMEOUT_MS_MAX[form]}`, { timeout_ms: LIMITS.pageTimeoutMsDefault }),
  dedupe: () => plain('invalid_field', 'takes true or false', { dedupe: true }),
  count: () => plain('invalid_field', 'takes "exact" or "none"', { count: 'exact' }),
  facets: () => plain('invalid_field', `takes an array of at most ${LIMITS.facetsMax} filter names`, { facets: ['country'] }),
  strict: () => plain('invalid_field', 'takes true or false', { strict: false }),
  client_ref: () => plain('invalid_field', `takes a string of at most ${LIMITS.clientRefCharactersMax} characters`, { client_ref: 'import-7' }),
};

/** Refuses the member that an issue of the schema points at. */
export function refuseForm(issue: { readonly code?: string | undefined; readonly path: readonly PropertyKey[] }, form: AnswerForm, type: Dataset): never {
  const name = issue.path[0] as keyof FindBody;
  const { code, takes, example } = WRONG[name](form);
  throw new AppError(issue.code === 'unrecognized_keys' ? 'unknown_field' : code, `The field ${name} ${takes}.`, { example: example(type) });
}
