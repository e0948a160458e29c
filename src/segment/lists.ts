import { NumberList } from '../lib/number_list.ts';
import { NULL_U32 } from './layout.ts';
import type { Lists } from './postings_writer.ts';

/** The codes of each row, nulls among them: row i has `codes[ends[i - 1], ends[i])`, or where there are no ends `codes[i]` alone. */
export type RowCodes = { readonly codes: Uint32Array; readonly ends: Uint32Array | null };

/** What belongs to each code: to code i `ids[starts[i], starts[i + 1])`, in order, repeats kept. */
export type CodeIds = { readonly starts: Uint32Array; readonly ids: Uint32Array };

/** Rows that stand, by their codes, in the lists of what belongs to each code. */
export type Listing = { readonly rows: RowCodes; readonly lists: CodeIds };

export function idsByCode(codes: number, eachOf: (code: number, push: (id: number) => void) => void): CodeIds {
  const starts = new NumberList(codes + 1);
  const ids = new NumberList();
  const push = (id: number): void => ids.push(id);
  for (let code = 0; code < codes; code++) {
    starts.push(ids.length);
    eachOf(code, push);
  }
  starts.push(ids.length);
  return { starts: starts.view(), ids: ids.view() };
}

/** One list a code; none where `listOf` has `NULL_U32`. */
export function listByCode(listOf: Uint32Array): CodeIds {
  return idsByCode(listOf.length, (code, push) => { if (listOf[code] !== NULL_U32) push(listOf[code]!); });
}

/** The rows of each list, ascending, each once. One pass over the rows: how many a list may have at most is told by how often each code comes. */
export function gatherRows(lists: number, rows: number, listings: readonly Listing[]): Lists {
  const starts = startsOf(lists, listings);
  const next = starts.slice(0, lists);
  const gathered = new Uint32Array(starts[lists]!);
  const newest = new Uint32Array(lists).fill(NULL_U32);
  for (let row = 0; row < rows; row++) {
    for (const { rows: { codes, ends }, lists: { starts: idsAt, ids } } of listings) {
      const end = ends === null ? row + 1 : ends[row]!;
      for (let at = ends === null ? row : row === 0 ? 0 : ends[row - 1]!; at < end; at++) {
        const code = codes[at]!;
        if (code === NULL_U32) continue;
        for (let place = idsAt[code]!; place < idsAt[code + 1]!; place++) {
          const list = ids[place]!;
          if (newest[list] === row) continue;
          newest[list] = row;
          gathered[next[list]!++] = row;
        }
      }
    }
  }
  return closedUp(starts, next, gathered);
}

/** Where each list would begin if no row were in it twice. */
function startsOf(lists: number, listings: readonly Listing[]): Uint32Array {
  const starts = new Uint32Array(lists + 1);
  for (const { rows: { codes }, lists: { starts: idsAt, ids } } of listings) {
    const times = new Uint32Array(idsAt.length);
    for (let at = 0; at < codes.length; at++) if (codes[at] !== NULL_U32) times[codes[at]!]!++;
    for (let code = 0; code + 1 < idsAt.length; code++) {
      for (let place = idsAt[code]!; place < idsAt[code + 1]!; place++) starts[ids[place]! + 1]! += times[code]!;
    }
  }
  for (let list = 0; list < lists; list++) starts[list + 1]! += starts[list]!;
  return starts;
}

/** The lists one behind the other, what they did not need left out; in place. */
function closedUp(starts: Uint32Array, ends: Uint32Array, rows: Uint32Array): Lists {
  let to = 0;
  for (let list = 0; list < ends.length; list++) {
    const [from, end] = [starts[list]!, ends[list]!];
    if (to !== from) rows.copyWithin(to, from, end);
    starts[list] = to;
    to += end - from;
  }
  starts[ends.length] = to;
  return { starts, rows: rows.subarray(0, to) };
}
