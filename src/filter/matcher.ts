import { LIMITS } from '../config/limits.ts';
import { BLOCK_ROWS } from '../segment/layout.ts';
import { isWithin } from './intervals.ts';
import { ALL, inLeaf, listPart, partOf, siftPart, type PagesPart, type Part, type SparsePart } from './leaf.ts';
import type { Clause, Coded, NumberClause, Reading, RowClause } from './reading.ts';
import { SLATE } from './thread_slate.ts';
import { trimWords, windowOf, type Spans, type Window } from './windows.ts';

/** The matches of a window: `list[0, count)`, ascending. Valid until the next call on any matcher of the thread. */
type Matches = { readonly list: Uint32Array; readonly count: number };

/** Up to so many rows are asked for their numbers; for more, those of the whole window are gone through. */
const NUMBERS_ROWS_MAX = 1_024;

/** A list of so few rows of a window is gone through row by row; where it is longer, the words of the window are. */
const LISTED_ROWS_MAX = 64;
/** Likewise of as many for each of its words. */
const LISTED_ROWS_A_WORD = 0.25;

/** The codes of so few rows are looked up, however many values are wanted, rather than to put their lists together. */
const CODED_ROWS_MAX = 256;

const { words: WORDS, union: UNION, list: LIST } = SLATE;

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
    const count = this.#listed(window) ?? SLATE.rows(window, WORDS, this.#rowClauses.length > 0 ? Infinity : rowsMax);
    return { list: LIST, count: this.#verified(count) };
  }

  /** Those of some rows. */
  rowsAmong(spans: Spans): Matches {
    const window = spans.window();
    const count = this.#listed(window, spans) ?? SLATE.rows(window, WORDS, Infinity);
    return { list: LIST, count: this.#verified(count) };
  }

  /** How many rows match in [from, to), which lie in one block. */
  count(from: number, to: number): number {
    if (this.#rowClauses.length > 0) return this.rows(from, to).count;
    const window = windowOf(from, to);
    return this.#listed(window) ?? SLATE.count(window);
  }

  /** Leaves the rows that pass all clauses in `LIST`, and says how many they are; null where they are left in `WORDS`. `spans`: those that are looked at, if not all of the window. */
  #listed(window: Window, spans: Spans | null = null): number | null {
    const sparse = spans !== null && spans.rows <= LISTED_ROWS_MAX ? this.#sifted(spans.list(LIST), window) : this.#sparse(window, spans);
    if (sparse !== null) return sparse;
    if (spans === null) {
      WORDS.fill(-1, window.first, window.last);
      trimWords(WORDS, window);
    } else spans.lay(WORDS, window);
    for (const clause of this.#clauses) keepClause(clause, window);
    if (this.#numbers.length === 0) return null;
    if (SLATE.count(window) > NUMBERS_ROWS_MAX) {
      for (const clause of this.#numbers) keepNumbers(clause, window);
      return null;
    }
    let count = SLATE.rows(window, WORDS, Infinity);
    for (const clause of this.#numbers) count = siftNumbers(clause, count);
    return count;
  }

  /** Where some required clause has few rows in the window, or few are looked at: leaves the rows that pass all clauses in `LIST`. Else null. */
  #sparse(window: Window, spans: Spans | null): number | null {
    let driver: readonly ListedPart[] | null = null;
    let rows = spans === null ? Infinity : spans.rows;
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
    if (rows > Math.max(LISTED_ROWS_MAX, (window.last - window.first) * LISTED_ROWS_A_WORD)) return null;
    if (driver === null) return this.#sifted(spans!.list(LIST), window);
    const count = listParts(driver, window);
    return this.#sifted(spans === null ? count : spans.sift(LIST, count), window, driving);
  }

  /** Keeps of the list what passes all clauses, but for one that is known to pass. */
  #sifted(listed: number, window: Window, driving: Clause | null = null): number {
    let count = listed;
    for (const clause of this.#clauses) if (clause !== driving && count > 0) count = siftClause(clause, window, count);
    for (const clause of this.#numbers) count = siftNumbers(clause, count);
    return count;
  }

  /** Applies to the list what only the rows themselves can tell. */
  #verified(count: number): number {
    let left = count;
    for (const clause of this.#rowClauses) left = siftRows(clause, left);
    return left;
  }
}

type ListedPart = SparsePart | PagesPart;
type BitsPart = Extract<Part, { readonly form: 'bits' }>;

const UNITED: BitsPart = { form: 'bits', bits: UNION, at: 0 };

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
  return SLATE.rows(window, UNION, Infinity);
}

function siftClause({ leaves, coded, negated }: Clause, window: Window, count: number): number {
  const wanted = !negated;
  const only = leaves.length === 1 ? partOf(leaves[0]!, window) : null;
  if (only !== null && only.form !== 'pages') return siftPart(only, wanted, LIST, count);
  if (coded !== null && (coded.wanted.length <= LIMITS.unionLeavesMax || count <= CODED_ROWS_MAX)) return siftCoded(coded, wanted, count);
  return siftPart(unionOf(partsOf(leaves, window), window), wanted, LIST, count);
}

function partsOf(leaves: Clause['leaves'], window: Window): Part[] {
  return leaves.map((leaf) => partOf(leaf, window));
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

/** Keeps of `WORDS` what passes. */
function keepClause({ leaves, negated }: Clause, window: Window): void {
  const parts = partsOf(leaves, window);
  const [only] = parts;
  const part = parts.length === 1 && only!.form === 'bits' ? only : unionOf(parts, window);
  if (part.form === 'bits') keepBits(part, negated, window);
  else if (negated) WORDS.fill(0, window.first, window.last);
}

function keepBits({ bits, at }: BitsPart, negated: boolean, window: Window): void {
  if (negated) SLATE.andNot(window, bits, at); else SLATE.and(window, bits, at);
}

/** The parts together, in `UNION`. */
function unionOf(parts: readonly Part[], window: Window): BitsPart | typeof ALL {
  if (parts.some(({ form }) => form === 'all')) return ALL;
  UNION.fill(0, window.first, window.last);
  for (const part of parts) SLATE.add(window, part);
  return UNITED;
}

function keepNumbers(clause: NumberClause, window: Window): void {
  UNION.fill(0, window.first, window.last);
  SLATE.within(window, clause);
  keepBits(UNITED, clause.negated, window);
}

function siftNumbers({ codes, intervals, negated }: NumberClause, count: number): number {
  const [only] = intervals;
  if (intervals.length === 1) return siftInterval(codes, only![0], only![1], negated, count);
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const row = LIST[at]!;
    if (isWithin(codes[row]!, intervals) !== negated) LIST[kept++] = row;
  }
  return kept;
}

/** Without a branch, which nobody could foresee. */
function siftInterval(codes: NumberClause['codes'], low: number, high: number, negated: boolean, count: number): number {
  const flip = Number(negated);
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const row = LIST[at]!;
    const code = codes[row]!;
    LIST[kept] = row;
    kept += (Number(low <= code) & Number(code <= high)) ^ flip;
  }
  return kept;
}

function siftRows({ among, wanted, test }: RowClause, count: number): number {
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const row = LIST[at]!;
    if (!inLeaf(among, row) || test(row) === wanted) LIST[kept++] = row;
  }
  return kept;
}
