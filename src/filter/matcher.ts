import { countBits } from '../lib/bits.ts';
import { LIMITS } from '../config/limits.ts';
import { BLOCK_BITS, BLOCK_ROWS, BLOCK_WORDS } from '../segment/layout.ts';
import { andBits, andNotPart, fillWindow, inLeaf, listPart, orPart, partOf, siftPart, trimWindow, windowOf, wordsOf, type PagesPart, type Part, type SparsePart, type Window } from './leaf.ts';
import type { Clause, Coded, NumberClause, Reading, RowClause } from './reading.ts';

/** The matches of a window: `list[0, count)`, ascending. Valid until the next call on any matcher of the thread. */
type Matches = { readonly list: Uint32Array; readonly count: number };

/** Lists to be joined that hold more rows in a window are not listed again: that takes longer than to go through the window's words. */
const JOINED_ROWS_MAX = 2_048;

/** Up to so many rows are asked for their codes; for more, the leaves of a window are put together in a bitmap. */
const CODED_ROWS_MAX = 4_096;

// Shared by all matchers of a thread: a scan runs to its end before another begins.
const LIST = new Uint32Array(BLOCK_ROWS);
const WORDS = new Int32Array(BLOCK_WORDS);
const UNION = new Int32Array(BLOCK_WORDS);
const CODES = new Int32Array(BLOCK_ROWS);

/** Evaluates a reading window by window: from the rarest sparse clause, else by words of bitmaps. */
export class Matcher {
  readonly #clauses: readonly Clause[];
  readonly #numbers: readonly NumberClause[];
  readonly #rowClauses: readonly RowClause[];
  /** A window must not be longer where each of its rows may have to be read. */
  readonly windowRowsMax: number;

  constructor({ clauses, numbers, rowClauses }: Omit<Reading, 'ranges' | 'part'>) {
    this.#clauses = clauses;
    this.#numbers = numbers;
    this.#rowClauses = rowClauses;
    this.windowRowsMax = rowClauses.length > 0 ? LIMITS.scanReadRowsMax : BLOCK_ROWS;
  }

  /** The matching rows in [from, to), which lie in one block; of many the first `rowsMax`, or more. */
  rows(from: number, to: number, rowsMax = Infinity): Matches {
    const window = windowOf(from, to);
    const sparse = this.#sparse(window);
    if (sparse !== null) return { list: LIST, count: this.#verified(sparse) };
    this.#dense(window);
    return { list: LIST, count: this.#verified(listWords(window, WORDS, LIST, this.#rowClauses.length > 0 ? Infinity : rowsMax)) };
  }

  /** How many rows match in [from, to), which lie in one block. */
  count(from: number, to: number): number {
    if (this.#rowClauses.length > 0) return this.rows(from, to).count;
    const window = windowOf(from, to);
    const sparse = this.#sparse(window);
    if (sparse !== null) return sparse;
    this.#dense(window);
    const base = window.block << BLOCK_BITS;
    return countBits(WORDS, from - base, to - base);
  }

  /** Where some required clause has few rows in the window, or all of them in one list: leaves the rows that pass all clauses in `LIST`. Else null. */
  #sparse(window: Window): number | null {
    let driver: readonly ListedPart[] | null = null;
    let rows = Infinity;
    let driving: Clause | null = null;
    for (const clause of this.#clauses) {
      const parts = clause.negated ? null : listedParts(clause, window);
      if (parts === null) continue;
      const size = sizeOf(parts);
      if (size === 0) return 0;
      if (size >= rows) continue;
      driver = parts;
      rows = size;
      driving = clause;
    }
    if (driver === null || (driver.length > 1 && rows > JOINED_ROWS_MAX && this.#numbers.length === 0)) return null;
    let count = listParts(driver, window);
    for (const clause of this.#clauses) if (clause !== driving && count > 0) count = siftClause(clause, window, count);
    for (const clause of this.#numbers) count = siftNumbers(clause, count);
    return count;
  }

  /** Leaves the rows that pass all clauses in `WORDS`. */
  #dense(window: Window): void {
    fillWindow(window, WORDS, -1);
    trimWindow(window, WORDS);
    for (const clause of this.#clauses) if (clause.negated) andNotClause(clause, window); else andClause(clause, window);
    for (const clause of this.#numbers) andNumbers(clause, window);
  }

  /** Applies to the list what only the rows themselves can tell. */
  #verified(count: number): number {
    let left = count;
    for (const clause of this.#rowClauses) left = siftRows(clause, left);
    return left;
  }
}

type ListedPart = SparsePart | PagesPart;

/** The parts of a clause that hold rows; null where one of them is no list. */
function listedParts({ leaves }: Clause, window: Window): readonly ListedPart[] | null {
  const parts: ListedPart[] = [];
  for (const leaf of leaves) {
    const part = partOf(leaf, window);
    if (part.form === 'all' || part.form === 'bits') return null;
    if (part.form !== 'none') parts.push(part);
  }
  return parts;
}

/** At most how many rows they hold together. */
function sizeOf(parts: readonly ListedPart[]): number {
  let size = 0;
  for (const { first, last } of parts) size += last - first;
  return size;
}

/** Writes the rows of the parts to `LIST`, ascending and each once. */
function listParts(parts: readonly ListedPart[], window: Window): number {
  if (parts.length === 1) return listPart(parts[0]!, window, LIST);
  unionOf(parts, window);
  return listWords(window, UNION, LIST, Infinity);
}

function siftClause({ leaves, coded, negated }: Clause, window: Window, count: number): number {
  const wanted = !negated;
  if (leaves.length === 1) return siftPart(partOf(leaves[0]!, window), wanted, LIST, count);
  if (coded !== null && coded.wanted.length <= LIMITS.unionLeavesMax && count <= CODED_ROWS_MAX) return siftCoded(coded, wanted, count);
  return siftPart(unionOf(leaves.map((leaf) => partOf(leaf, window)), window), wanted, LIST, count);
}

function siftCoded({ codes, wanted: values }: Coded, wanted: boolean, count: number): number {
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const row = LIST[at]!;
    if (isAmong(codes[row]!, values) === wanted) LIST[kept++] = row;
  }
  return kept;
}

/** Of a few values: `includes` is a call each time. */
function isAmong(code: number, values: readonly number[]): boolean {
  for (const value of values) if (value === code) return true;
  return false;
}

function andNotClause({ leaves }: Clause, window: Window): void {
  for (const leaf of leaves) andNotPart(partOf(leaf, window), window, WORDS);
}

function andClause({ leaves }: Clause, window: Window): void {
  const parts = leaves.map((leaf) => partOf(leaf, window));
  const only = parts.length === 1 && (parts[0]!.form === 'bits' || parts[0]!.form === 'all') ? parts[0]! : unionOf(parts, window);
  if (only.form === 'bits') andBits(only.bits, only.at, window, WORDS);
  else if (only.form === 'none') fillWindow(window, WORDS, 0);
}

function unionOf(parts: readonly Part[], window: Window): Part {
  if (parts.some(({ form }) => form === 'all')) return { form: 'all' };
  fillWindow(window, UNION, 0);
  for (const part of parts) orPart(part, window, UNION);
  return { form: 'bits', bits: UNION, at: 0 };
}

function siftNumbers({ codes, intervals, negated }: NumberClause, count: number): number {
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const row = LIST[at]!;
    if (isWithin(codes[row]!, intervals) !== negated) LIST[kept++] = row;
  }
  return kept;
}

function andNumbers({ codes, intervals, negated }: NumberClause, window: Window): void {
  const base = window.block << BLOCK_BITS;
  const [first, last] = wordsOf(window);
  const within = codes instanceof Float64Array ? numbersWithin(codes, intervals, 0) : codesWithin(codes.subarray(base + first * 32, base + last * 32), intervals, base + first * 32);
  const flip = negated ? -1 : 0;
  for (let at = first; at < last; at++) if (WORDS[at] !== 0) WORDS[at]! &= within(base + at * 32) ^ flip;
}

/**
 * Gives the word of the 32 rows from a row on. Codes of every width pass through one array, so that the loop is compiled for one. They
 * are below 2^31: a code lies within where neither difference is negative, four times faster than by a comparison that a branch waits for.
 */
function codesWithin(codes: Uint8Array | Uint16Array | Uint32Array, intervals: NumberClause['intervals'], base: number): (row: number) => number {
  if (intervals.length > LIMITS.intervalsTriedMax) return numbersWithin(codes, intervals, base);
  CODES.set(codes);
  return (row) => {
    let word = 0;
    for (const [low, high] of intervals) word |= wordWithin(row - base, low | 0, high | 0);
    return word;
  };
}

function wordWithin(start: number, low: number, high: number): number {
  let word = 0;
  for (let at = start + 31; at >= start; at--) {
    const code = CODES[at]!;
    word = (word << 1) | (~((code - low) | (high - code)) >>> 31);
  }
  return word;
}

function numbersWithin(numbers: NumberClause['codes'], intervals: NumberClause['intervals'], base: number): (row: number) => number {
  return (row) => {
    let word = 0;
    for (let bit = 0; bit < 32; bit++) if (isWithin(numbers[row - base + bit]!, intervals)) word |= 1 << bit;
    return word;
  };
}

function isWithin(code: number, intervals: NumberClause['intervals']): boolean {
  if (intervals.length > LIMITS.intervalsTriedMax) return isWithinLast(code, intervals);
  for (const [low, high] of intervals) if (low <= code && code <= high) return true;
  return false;
}

/** By the last interval that does not begin above. */
function isWithinLast(code: number, intervals: NumberClause['intervals']): boolean {
  let low = 0;
  let high = intervals.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (intervals[middle]![0] <= code) low = middle + 1; else high = middle;
  }
  return low > 0 && code <= intervals[low - 1]![1];
}

function siftRows({ among, wanted, test }: RowClause, count: number): number {
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const row = LIST[at]!;
    if (!inLeaf(among, row) || test(row) === wanted) LIST[kept++] = row;
  }
  return kept;
}

/** Writes the rows of a window's bitmap to `out`, ascending, and gives their number. Ends with the word that reaches `rowsMax`. */
function listWords(window: Window, words: Int32Array, out: Uint32Array, rowsMax: number): number {
  const base = window.block << BLOCK_BITS;
  const [first, last] = wordsOf(window);
  let count = 0;
  for (let at = first; at < last && count < rowsMax; at++) {
    const start = base + at * 32;
    for (let word = words[at]!; word !== 0; word &= word - 1) out[count++] = start + (31 - Math.clz32(word & -word));
  }
  return count;
}
