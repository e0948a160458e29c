import { PLANS, type PlanCaps } from '../../accounts/plans.ts';
import { LIMITS } from '../../config/limits.ts';
import { PLAN_NAMES } from '../../model/account.ts';
import { remediesTable } from './remedies.ts';

/** What a caller has to know beyond the form of one call, in Markdown: it stands at the top of the document, and so of `/docs`. */
export function callersGuide(): string {
  return [
    'Federated search over contacts and companies, and staged email validation. Send `Authorization: Bearer KEY` with every call but those of `/health` and `/playground`.',
    ...FILTERS, ...PAGES, ...STREAMS, ...MISSING, ...refusals(), ...caps(),
  ].join('\n\n');
}

const number = (value: number): string => value.toLocaleString('en-US');

const FILTERS = [
  '## Filters and free text',
  'A filter takes a value or an array of them, of which a row must have one; it must pass all filters. A text is compared as a whole, without case, accents and outer blanks: `"filters": {"job_title": ["engineer"]}` finds no Software Engineer, which `query` does. Ids, addresses and domains are compared in lower case. `{"include": [...], "exclude": [...]}` leaves rows out as well, and numbers and dates also take `{"min": ..., "max": ...}`, each with or without the other, both ends included. A row that has no value matches no `include`, `min` and `max`, and is kept by `exclude`.',
  'A `query` finds the rows that have each of its words as a whole word in some field that `GET /v1/schema` lists under `searchable`. `eng*` stands for all words that begin so, `"vp engineering"` for words that follow each other in one field, and a `-` before a word or a phrase says that it must not occur. There is no OR. A query needs a filter beside it that says what to include: `has_email` and its like, and exclusions, are not enough.',
];

const PAGES = [
  '## Pages',
  `A page has ${LIMITS.pageRowsDefault} rows unless \`limit\` says another number, ${number(LIMITS.pageRowsMax)} at most. To go on, send the same body with \`next_cursor\` as its \`cursor\`; null stands on the last page, and there alone: one that time or the size of its rows cuts short has fewer than \`limit\` though others follow. The order is the same on every page, so that no row is skipped or repeated. \`limit\`, \`fields\`, \`facets\`, \`count\`, \`timeout_ms\` and \`client_ref\` may change from page to page, all else may not. A cursor is good for as long as the data are those that it was cut from, and ${LIMITS.snapshotRetainMs / 60_000} minutes beyond; after that it is refused as \`stale_cursor\`, and the walk begins anew.`,
  `A page of CSV may have ${number(LIMITS.csvPageRowsMax)} rows. One that its deadline leaves no time to write ends sooner: \`X-Partial\` is true, and \`X-Next-Cursor\` goes on behind the last row that came.`,
];

const STREAMS = [
  '## Streams',
  `With \`Accept: application/x-ndjson\` all rows that match come as they are found, one a line: not always in the order of pages, since sources, and the parts of a large or changed one, are read at once. Lines that begin with \`{"@\` are no rows. \`@cursor\` comes about every ${number(LIMITS.cursorRowsEvery)} rows, \`@heartbeat\` after ${LIMITS.heartbeatMs / 1_000} s without a row, \`@source\` when a source ends, and the last line is \`@end\` or \`@error\`. A stream without that last line was cut: drop the rows behind the last \`@cursor\`, and send the same body with it as \`cursor\`. Where \`@end\` has a \`next_cursor\`, the deadline, the \`limit\`, the units, a revoked key or a restart of the service ended the stream, or a source failed: it goes on from there in the same way.`,
  'Rows that several sources have come once on a page, and on a stream only where `"dedupe": true` asks for it. A cursor of a page therefore goes on as a stream, and the other way round, only where `dedupe` is said in both.',
];

const MISSING = [
  '## What is missing',
  'A source that fails or is late costs its own rows and no others: the status is 200, `partial` is true, `warnings` and `errors` have a text each that names it, and `sources` has its entry. One whose rows all came but whose matches could not be counted in time is told likewise: its `reason` begins with `counting`, and the total is at least what it says. 502 is for when none of the sources that were asked could be reached.',
  'A walk that goes on from such an answer loses nothing: the source goes on where it stood. What it has in common with the others, who gave it meanwhile without it, then comes once more as its own row, though `dedupe` is true. Where that matters give the walk a longer `timeout_ms`, or drop the rows whose `email` (without one `linkedin_url`; of companies `domain`) came before.',
  'As long as a source stays away `next_cursor` does not become null, though the others have given all that they have, and each call costs its unit. After an answer that is `partial` and has no row wait as after a 502, or end the walk there.',
];

function refusals(): string[] {
  return [
    '## Refusals, and what to try again',
    '`error` is a code that stays the same, `detail` is for people, and `X-Request-Id` is what to quote. After 429 and 503 wait the seconds of `Retry-After`; after 500, 502 and a connection that was cut try again after a second, then after twice as long each time. Anything else of 400 and above is refused again until the call is another one. Calls of `/v1` change nothing, so that all of them may be repeated. `/v1/email/validate` answers in an envelope of its own, refusals too, with codes in capitals: `INVALID_REQUEST` for what is wrong with a body beyond its JSON, `TOO_MANY_EMAILS` where it is to be cut in pieces, `VALIDATOR_UNREACHABLE` to be tried again, else as below.',
    remediesTable(),
  ];
}

function caps(): string[] {
  const rows = PLAN_NAMES.map((name) => `| ${name} | ${capsOf(PLANS[name])} |`);
  return [
    '## Caps and units',
    `All keys of an account share its caps: requests in any 60 seconds (\`burst\`), units from 00:00 to 24:00 UTC (\`daily\`), and requests at once (\`umbrella\`). The 429 says which was hit.`,
    ['| Plan | requests a minute | units a day | at once |', '|---|---|---|---|', ...rows].join('\n'),
    `A find costs 1 unit, and 1 more for each ${LIMITS.unitRows} rows, or part of them, beyond the first ${LIMITS.unitRows} that it returns; an address validated costs 1; sources, schema and usage cost none, and neither does what is answered with 400 or above. \`X-Units-Charged\` and \`X-Units-Remaining\`, or the \`@end\` of a stream, tell what a call cost and what is left, \`RateLimit\` how many requests and units are left until when, and \`GET /v1/usage\` all of it. A stream whose units run out ends with \`@end\`, \`partial\` and a warning.`,
  ];
}

function capsOf(caps: PlanCaps | null): string {
  return caps === null ? 'any | any | any' : [caps.requestsMax, caps.unitsMax, caps.concurrentMax].map(number).join(' | ');
}
