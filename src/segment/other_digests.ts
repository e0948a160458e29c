import { LIMITS } from '../config/limits.ts';
import { NumberList } from '../lib/number_list.ts';
import { firstWordOfText } from '../model/suppression/digest_set.ts';
import { emailDigestText, emailForms } from '../model/suppression/term.ts';
import { eachRow } from './each_row.ts';
import { readRow, type Segment } from './reader.ts';

/** Rows whose address can be written otherwise than it stands, each with the first 32 bits of the digest of such a form; a row may come twice. */
type OtherDigests = { readonly rows: Uint32Array; readonly words: Uint32Array };

/** In place of a digest, of a row that cannot be read at the moment. */
export const UNREAD = 0;

const made = new WeakMap<Segment, OtherDigests>();

/**
 * Whoever made a hash of an address may have written its domain in letters, where the row has A-labels. Of those few rows the digests are
 * made here, once a segment: some 15 us each. Yields after some milliseconds of work.
 */
export function* otherDigestsOf(segment: Segment): Generator<void, OtherDigests> {
  const known = made.get(segment);
  if (known !== undefined) return known;
  let whole = true;
  const [rows, words] = [new NumberList(), new NumberList()];
  for (const row of rowsWithALabels(segment)) {
    for (const word of otherWords(segment, row)) {
      rows.push(row);
      words.push(word);
      whole &&= word !== UNREAD;
    }
    if (rows.length % LIMITS.suppressionOtherFormsInSlice === 0) yield;
  }
  const digests = { rows: rows.view().slice(), words: words.view().slice() };
  if (whole) made.set(segment, digests);
  return digests;
}

function otherWords(segment: Segment, row: number): number[] {
  try {
    const email = readRow(segment, row)['email'];
    return typeof email === 'string' ? emailForms(email.trim()).slice(1).map((form) => firstWordOfText(emailDigestText(form))) : [];
  } catch {
    return [UNREAD];
  }
}

function rowsWithALabels(segment: Segment): number[] {
  const entry = segment.columns.get('email_domain');
  const found: number[] = [];
  if (entry?.form !== 'texts') return found;
  const { keys, rows } = entry.column;
  for (const code of keys.containing('xn--')) eachRow(rows.open(code), (row) => found.push(row));
  return found;
}
