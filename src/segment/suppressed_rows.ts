import { LIMITS } from '../config/limits.ts';
import type { Row } from '../model/field.ts';
import type { Suppressions } from '../model/suppression/suppressions.ts';
import { digestsOf, DIGESTED, type Digested } from './digests.ts';
import { otherDigestsOf, UNREAD } from './other_digests.ts';
import { eachRow } from './each_row.ts';
import { readRow, type Segment } from './reader.ts';

/** What is looked for in a segment. */
export type Sought = Pick<Suppressions, 'count' | 'hasDomain' | 'mayHave' | 'isSuppressed'>;

const DOMAIN_COLUMNS = ['email_domain', 'company_domain', 'domain'];

/**
 * Marks every row that is suppressed; yields after some milliseconds of work each, for its caller to see to other things.
 * Domains are looked for in the dictionaries, the rest in the columns of digests and the other forms of addresses, where a hit of 32 bits is verified in the row.
 * About 30 ns a row, 2 us a domain, 10 us a row that is hit.
 */
export function* markSuppressed(segment: Segment, sought: Sought, mark: (row: number) => void): Generator<void> {
  if (sought.count('domain') > 0) yield* markDomains(segment, sought, mark);
  for (const field of DIGESTED) if (sought.count(field) > 0) yield* markDigests(segment, field, sought, mark);
  if (sought.count('email') > 0) yield* markOtherForms(segment, sought, mark);
}

function* markDomains(segment: Segment, sought: Sought, mark: (row: number) => void): Generator<void> {
  for (const name of DOMAIN_COLUMNS) {
    const entry = segment.columns.get(name);
    if (entry?.form !== 'texts') continue;
    const { keys, rows } = entry.column;
    for (let code = 0; code < keys.size; code += 1) {
      if (sought.hasDomain(keys.text(code))) eachRow(rows.open(code), mark);
      if (code % LIMITS.suppressionDomainsInSlice === 0) yield;
    }
  }
}

function* markDigests(segment: Segment, field: Digested, sought: Sought, mark: (row: number) => void): Generator<void> {
  const digests = digestsOf(segment, field);
  for (let from = 0; from < digests.length; from += LIMITS.suppressionRowsInSlice) {
    const to = Math.min(digests.length, from + LIMITS.suppressionRowsInSlice);
    for (let row = from; row < to; row += 1) {
      const first = digests[row]!;
      if (first !== 0 && sought.mayHave(field, first) && isMeant(segment, row, sought)) mark(row);
    }
    yield;
  }
}

function* markOtherForms(segment: Segment, sought: Sought, mark: (row: number) => void): Generator<void> {
  const { rows, words } = yield* otherDigestsOf(segment);
  for (let at = 0; at < rows.length; at += 1) {
    const word = words[at]!;
    if (word === UNREAD || (sought.mayHave('email', word) && isMeant(segment, rows[at]!, sought))) mark(rows[at]!);
    if (at % LIMITS.suppressionRowsInSlice === 0) yield;
  }
}

/** One that cannot be read at the moment counts as meant: what is answered as suppressed must not leave once it can. */
function isMeant(segment: Segment, row: number, sought: Sought): boolean {
  let read: Row;
  try {
    read = readRow(segment, row);
  } catch {
    return true;
  }
  return sought.isSuppressed(read);
}
