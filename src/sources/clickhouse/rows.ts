import { SourceFailure, type FoundRow } from '../source.ts';
import { AT, SURE } from './query.ts';

const TAIL = `,${JSON.stringify(SURE)}:`;

/**
 * A line of the answer is the row itself with two members behind it:
 *
 *   {"id":"crm:7",...,"updated_at":null,"@sure":1,"@at":"a@b.c"}
 *                                      ╰── the tail ──────────╯
 *
 * No text inside the row can look like the tail's beginning: its quotes are escaped there. The server has no lists that are null; an
 * empty one is put right on the way, by the same argument.
 */
export function foundRow(line: string, phase: { readonly at: number; readonly keyClass: number }, blankLists: readonly string[]): FoundRow {
  const cut = line.lastIndexOf(TAIL);
  if (cut === -1) throw new SourceFailure('malformed', 'a row has no tail');
  const tail = JSON.parse(`{${line.slice(cut + 1)}`) as Record<string, unknown>;
  return { json: `${withNullLists(line.slice(0, cut), blankLists)}}`, phase: phase.at, key: String(tail[AT]), keyClass: phase.keyClass, sure: tail[SURE] === 1 };
}

/** `"skills":[]` for each list of the dataset. */
export function blankListsOf(fields: readonly { readonly name: string; readonly type: string }[]): string[] {
  return fields.filter(({ name, type }) => type === 'strings' && name !== 'sources').map(({ name }) => `${JSON.stringify(name)}:[]`);
}

export function withNullLists(json: string, blankLists: readonly string[]): string {
  return blankLists.reduce((row, blank) => row.replace(blank, `${blank.slice(0, -2)}null`), json);
}
