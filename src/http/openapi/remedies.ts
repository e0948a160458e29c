import { LIMITS } from '../../config/limits.ts';
import { statusOf } from '../problem.ts';
import { PROBLEM_CODES } from './problem_schemas.ts';

type ProblemCode = (typeof PROBLEM_CODES)[number];

/** What whoever is refused with a code can do about it. */
const REMEDIES: Readonly<Record<ProblemCode, string>> = {
  invalid_json: `send one JSON object in UTF-8, without a key twice, at most ${LIMITS.jsonDepthMax} deep`,
  missing_type: 'say `contacts` or `companies`',
  unknown_type: 'say `contacts` or `companies`',
  unknown_field: 'take out or mend the name that `detail` tells, of a member of the body or in `fields`',
  unknown_filter: '`GET /v1/schema` lists the filters of each type',
  invalid_filter_value: '`GET /v1/schema` has the form of each filter, with its values where they are few',
  query_without_narrowing_filter: 'add a filter that says what to include, such as `country`',
  invalid_query: `1 to ${LIMITS.queryCharactersMax} characters, a letter or digit among them`,
  invalid_limit: '`detail` tells what it takes',
  invalid_timeout: '`detail` tells what it takes',
  invalid_cursor: 'send `next_cursor` as it came, with the search that it came with',
  stale_cursor: 'begin the walk again, without a cursor',
  unknown_source: '`GET /v1/sources` lists them',
  unsupported_filter: 'leave out the sources that `detail` names, the filter, or `strict`',
  invalid_field: '`detail` names the member and tells its form',
  unauthorized: 'send `Authorization: Bearer KEY`; a key that was lost or ended is replaced on the dashboard',
  forbidden: 'it takes a key of the operator',
  not_found: 'mend the path, or the id in it',
  method_not_allowed: 'use a method that is described here',
  not_acceptable: '`detail` lists what may stand in `Accept`',
  conflict: '`detail` tells what stands in the way',
  payload_too_large: `a body has ${LIMITS.bodyBytesMax.toLocaleString('en-US')} bytes at most: send several calls`,
  unsupported_encoding: 'send the body as it is, not compressed',
  rate_limited: 'wait for `Retry-After`; `detail` names the cap',
  internal: 'try again; if it stays, tell the operator the `X-Request-Id`',
  sources_unreachable: 'try again',
  starting: 'it loads its data: try again after `Retry-After`',
  shutting_down: 'try again after `Retry-After`',
  overloaded: 'send less at once, and try again after `Retry-After`',
  store_unavailable: 'try again after `Retry-After`',
  loop_detected: 'tell the operator: his gateways ask each other in a circle',
};

/** In Markdown. */
export function remediesTable(): string {
  const rows = PROBLEM_CODES.map((code) => `| ${statusOf(code)} | \`${code}\` | ${REMEDIES[code]} |`);
  return ['| Status | `error` | What to do |', '|---|---|---|', ...rows].join('\n');
}
