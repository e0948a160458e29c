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

/** The rows of each list, ascending, where row i has `codes[i]` alone, or null, and each code a list of its own. */
export function rowsByCode(codes: Uint32Array, listOf: Uint32Array): Lists {
  const starts = new Uint32Array(listOf.length + 1);
  for (let row = 0; row < codes.length; row++) if (codes[row] !== NULL_U32) starts[listOf[codes[row]!]! + 1]!++;
  for (let list = 0; list < listOf.length; list++) starts[list + 1]! += starts[list]!;
  const next = listOf.map((list) => starts[list]!);
  const rows = new Uint32Array(starts[listOf.length]!);
  for (let row = 0; row < codes.length; row++) {
    const code = codes[row]!;
    if (code !== NULL_U32) rows[next[code]!++] = row;
  }
  return { starts, rows };
}

/** The rows of each list, ascending, each once. One pass over the rows: how many a list may have at most is told by how often each code comes. */
export function gatherRows(lists: number, rows: number, listings: readonly Listing[]): Lists {
  const starts = startsOf(lists, listings);
  const gathering: Gathering = { next: starts.slice(0, lists), gathered: new Uint32Array(starts[lists]!).fill(NULL_U32) };
  const begun = listings.map((listing) => new ListingAtRow(listing));
  for (let row = 0; row < rows; row++) for (let at = 0; at < begun.length; at++) begun[at]!.gather(row, gathering);
  return closedUp(starts, gathering);
}

/** Where the next row of each list goes. Before the first of each there is a place that holds none, so that the row before can always be asked. */
type Gathering = { readonly next: Uint32Array; readonly gathered: Uint32Array };

/** A listing that is gone through row by row. */
class ListingAtRow {
  readonly #codes: Uint32Array;
  readonly #ends: Uint32Array | null;
  readonly #starts: Uint32Array;
  readonly #ids: Uint32Array;
  /** Where the codes of the next row begin. */
  #at = 0;

  constructor({ rows: { codes, ends }, lists: { starts, ids } }: Listing) {
    this.#codes = codes;
    this.#ends = ends;
    this.#starts = starts;
    this.#ids = ids;
  }

  gather(row: number, { next, gathered }: Gathering): void {
    const [starts, ids, codes] = [this.#starts, this.#ids, this.#codes];
    const end = this.#ends === null ? row + 1 : this.#ends[row]!;
    for (let at = this.#at; at < end; at++) {
      const code = codes[at]!;
      if (code === NULL_U32) continue;
      const last = starts[code + 1]!;
      for (let place = starts[code]!; place < last; place++) addRow(next, gathered, ids[place]!, row);
    }
    this.#at = end;
  }
}

/** Unless it was the last. */
function addRow(next: Uint32Array, gathered: Uint32Array, list: number, row: number): void {
  const at = next[list]!;
  if (gathered[at - 1] === row) return;
  gathered[at] = row;
  next[list] = at + 1;
}

/** Where each list would begin if no row were in it twice, behind its empty place. */
function startsOf(lists: number, listings: readonly Listing[]): Uint32Array {
  const starts = new Uint32Array(lists + 1).fill(1);
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

/** Moved without a call. */
const SHORT_LIST = 32;

/** The lists one behind the other, what they did not need left out; in place. */
function closedUp(starts: Uint32Array, { next: ends, gathered }: Gathering): Lists {
  let to = 0;
  for (let list = 0; list < ends.length; list++) {
    const [from, end] = [starts[list]!, ends[list]!];
    starts[list] = to;
    if (end - from > SHORT_LIST) gathered.copyWithin(to, from, end);
    else for (let at = from; at < end; at++) gathered[to + at - from] = gathered[at]!;
    to += end - from;
  }
  starts[ends.length] = to;
  return { starts, rows: gathered.subarray(0, to) };
}
