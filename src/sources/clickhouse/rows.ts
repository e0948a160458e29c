import { SourceFailure, type FoundRow } from '../source.ts';
import { AT, SURE } from './query.ts';

const TAIL = `,${JSON.stringify(SURE)}:`;

/**
 * A line of the answer is the row itself, its members under the names by which the statement defines them, with two behind it:
 *
 *   {"f:id":"crm:7",...,"f:updated_at":null,"@sure":1,"@at":"a@b.c"}
 *                                          ╰── the tail ──────────╯
 *
 * No text inside the row can look like a member's name or the tail's beginning: its quotes are escaped there. A query around this one
 * could name the members as they are called, but an old server takes five times as long for it where the table is Distributed.
 */
export function foundRow(line: string, phase: { readonly at: number; readonly keyClass: number }, blankLists: readonly string[]): FoundRow {
  const cut = line.lastIndexOf(TAIL);
  if (cut === -1) throw new SourceFailure('malformed', 'a row has no tail');
  const tail = JSON.parse(`{${line.slice(cut + 1)}`) as Record<string, unknown>;
  return { json: `${rowOf(line.slice(0, cut), blankLists)}}`, phase: phase.at, key: String(tail[AT]), keyClass: phase.keyClass, sure: tail[SURE] === 1 };
}

/** `"skills":[]` for each list of the dataset. */
export function blankListsOf(fields: readonly { readonly name: string; readonly type: string }[]): string[] {
  return fields.filter(({ name, type }) => type === 'strings' && name !== 'sources').map(({ name }) => `${JSON.stringify(name)}:[]`);
}

/** The members as they are called. The server has no lists that are null; an empty one is put right on the way. */
export function rowOf(line: string, blankLists: readonly string[]): string {
  return blankLists.reduce((row, blank) => row.replace(blank, `${blank.slice(0, -2)}null`), line.replace(DEFINED, '$1"$2":'));
}

const DEFINED = /([{,])"f:(\w+)":/g;
