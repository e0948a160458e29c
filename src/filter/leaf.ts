import { hasBit } from '../lib/bits.ts';
import { lowerBound } from '../lib/search.ts';
import { ARRAY, BITMAP, BLOCK_BITS, BLOCK_PAGES, BLOCK_ROWS, FULL, PAGE_BITS } from '../segment/layout.ts';
import type { Containers, RowList } from '../segment/postings.ts';
import type { Presence } from '../segment/reader.ts';
import type { Span } from './span.ts';
import { windowOf, type Window } from './windows.ts';

/** A set of rows, as it lies in the segment or as it was put together for one search. */
export type Leaf = RowList | {
  readonly form: 'bits';
  readonly bits: Int32Array;
  /** The word that row 0 would have is so many before the first. */
  readonly fromWord: number;
  readonly presence: Presence | null;
  /** Where the rows of a block are put in when it is first asked for: `partOf` does so. Nobody else reads the bitmap then. */
  readonly join: ((block: number) => void) | null;
};

/** At most how many rows the leaf holds of the blocks that a span lies in; of a bitmap nothing is known. */
export function leafCount(leaf: Leaf, { from, to }: Span): number {
  switch (leaf.form) {
    case 'rows': return lowerBound(leaf.rows, to) - lowerBound(leaf.rows, from);
    case 'containers': {
      const { containers } = leaf;
      const first = containers.before(containers.find(from >>> BLOCK_BITS));
      return containers.before(containers.find((to + BLOCK_ROWS - 1) >>> BLOCK_BITS)) - first;
    }
    case 'bits': return to - from;
    default: return leaf satisfies never;
  }
}

/** What a leaf is within a window: sparse rows `items[first, last)`, a bitmap to be read at a word offset, all rows or none. No views of its own: each would cost more than the search of it. */
export type Part =
  | { readonly form: 'none' }
  | { readonly form: 'all' }
  | { readonly form: 'rows'; readonly items: Uint32Array; readonly first: number; readonly last: number }
  | { readonly form: 'halves'; readonly items: Uint16Array; readonly first: number; readonly last: number }
  /** One byte a row, page behind page: `counts` is where the numbers of rows of the pages stand, `page` is that of the first row, and ends at `pageEnd`. */
  | { readonly form: 'pages'; readonly items: Uint8Array; readonly first: number; readonly last: number; readonly counts: number; readonly page: number; readonly pageEnd: number }
  | { readonly form: 'bits'; readonly bits: Int32Array; readonly at: number };

export type PagesPart = Extract<Part, { readonly form: 'pages' }>;
export type SparsePart = Extract<Part, { readonly form: 'rows' | 'halves' }>;

const NONE = { form: 'none' } as const satisfies Part;
export const ALL = { form: 'all' } as const satisfies Part;

export function partOf(leaf: Leaf, window: Window): Part {
  switch (leaf.form) {
    case 'rows': return rowsPart(leaf.rows, window);
    case 'containers': return containerPart(leaf.containers, window);
    case 'bits':
      leaf.join?.(window.block);
      return { form: 'bits', bits: leaf.bits, at: (window.block << (BLOCK_BITS - 5)) - leaf.fromWord };
    default: return leaf satisfies never;
  }
}

function rowsPart(rows: Uint32Array, { from, to }: Window): Part {
  const first = lowerBound(rows, from);
  const last = lowerBound(rows, to, first);
  return first === last ? NONE : { form: 'rows', items: rows, first, last };
}

function containerPart(containers: Containers, window: Window): Part {
  const { block, from, to } = window;
  const at = containers.find(block);
  if (at === containers.length || containers.block(at) !== block) return NONE;
  const form = containers.form(at);
  if (form === BITMAP) return { form: 'bits', bits: containers.bits, at: containers.bitsAt(at) };
  if (form === FULL) return ALL;
  if (form !== ARRAY) return pagesPart(containers, at, window);
  const { halves } = containers;
  const start = containers.halvesAt(at);
  const end = start + containers.size(at);
  const base = block << BLOCK_BITS;
  const first = lowerBound(halves, from - base, start, end);
  const last = lowerBound(halves, to - base, first, end);
  return first === last ? NONE : { form: 'halves', items: halves, first, last };
}

function pagesPart(containers: Containers, at: number, { block, from, to }: Window): Part {
  const { bytes: items } = containers;
  const counts = containers.pagesAt(at);
  const base = block << BLOCK_BITS;
  const page = (from - base) >>> PAGE_BITS;
  const start = containers.pageStart(at, page);
  const pageEnd = start + items[counts + page]!;
  const first = lowerBound(items, from & 0xff, start, pageEnd);
  const last = to - base === BLOCK_ROWS ? counts + BLOCK_PAGES + containers.size(at) : lastOf(containers, at, to - base);
  return first === last ? NONE : { form: 'pages', items, first, last, counts, page, pageEnd };
}

function lastOf(containers: Containers, at: number, end: number): number {
  const page = end >>> PAGE_BITS;
  const start = containers.pageStart(at, page);
  return lowerBound(containers.bytes, end & 0xff, start, start + containers.bytes[containers.pagesAt(at) + page]!);
}

const UNPAGED = new Uint16Array(BLOCK_ROWS);

/** The same with two bytes a row. Valid until the next call in this thread. */
export function unpaged({ items, first, last, counts, page: firstPage, pageEnd }: PagesPart): SparsePart {
  let filled = 0;
  let end = pageEnd;
  for (let at = first, page = firstPage; at < last; end += items[counts + ++page]!) {
    const stop = Math.min(end, last);
    for (; at < stop; at++) UNPAGED[filled++] = (page << PAGE_BITS) | items[at]!;
  }
  return { form: 'halves', items: UNPAGED, first: 0, last: filled };
}

/** Writes the part's rows, ascending, to `out`, and gives their number; not for bitmaps. */
export function listPart(part: SparsePart | PagesPart, window: Window, out: Uint32Array): number {
  if (part.form === 'pages') return listPart(unpaged(part), window, out);
  const { block } = window;
  const { items, first, last } = part;
  const base = part.form === 'rows' ? 0 : block << BLOCK_BITS;
  for (let at = first; at < last; at++) out[at - first] = base | items[at]!;
  return last - first;
}

/** The rows of a bitmap whose first bit is row `base`; null where they are more than `rowsMax`. */
export function rowsOfBits(bits: Int32Array, base: number, rowsMax: number): Uint32Array | null {
  const rows = new Uint32Array(rowsMax + 32);
  let filled = 0;
  for (let at = 0; at < bits.length; at++) {
    for (let word = bits[at]!; word !== 0; word &= word - 1) rows[filled++] = base + at * 32 + (31 - Math.clz32(word & -word));
    if (filled > rowsMax) return null;
  }
  return rows.slice(0, filled);
}

/** Adds the part to a bitmap of the window. */
export function orPart(part: Part, { first, last }: Window, words: Int32Array): void {
  switch (part.form) {
    case 'none': return;
    case 'all': words.fill(-1, first, last); return;
    case 'rows': case 'halves': orSorted(part, words); return;
    case 'pages': orSorted(unpaged(part), words); return;
    case 'bits': {
      const { bits, at: offset } = part;
      for (let at = first; at < last; at++) words[at]! |= bits[offset + at]!;
      return;
    }
    default: part satisfies never;
  }
}

function orSorted({ items, first, last }: SparsePart, words: Int32Array): void {
  for (let at = first; at < last; at++) {
    const row = items[at]!;
    words[(row & 0xffff) >>> 5]! |= 1 << (row & 31);
  }
}

/** Keeps of `list[0, count)` the rows that are in the part (or, `wanted` false, that are not); gives how many are left. */
export function siftPart(part: Exclude<Part, PagesPart>, wanted: boolean, list: Uint32Array, count: number): number {
  switch (part.form) {
    case 'none': return wanted ? 0 : count;
    case 'all': return wanted ? count : 0;
    case 'rows': return siftSorted(part, 0xffffffff, wanted, list, count);
    case 'halves': return siftSorted(part, 0xffff, wanted, list, count);
    case 'bits': return siftBits(part.bits, part.at, wanted, list, count);
    default: return part satisfies never;
  }
}

function siftBits(bits: Int32Array, offset: number, wanted: boolean, list: Uint32Array, count: number): number {
  const flip = wanted ? 0 : 1;
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const row = list[at]!;
    list[kept] = row;
    kept += ((bits[offset + ((row & 0xffff) >>> 5)]! >>> (row & 31)) & 1) ^ flip;
  }
  return kept;
}

/** Beyond this many sorted items for each row of the list, a search for the row is cheaper than a walk. */
const GALLOP = 16;

function siftSorted({ items, first, last }: SparsePart, mask: number, wanted: boolean, list: Uint32Array, count: number): number {
  const gallops = last - first > count * GALLOP;
  let kept = 0;
  let place = first;
  for (let at = 0; at < count; at++) {
    const row = list[at]!;
    const item = (row & mask) >>> 0;
    if (gallops) place = lowerBound(items, item, place, last);
    else while (place < last && items[place]! < item) place++;
    if ((place < last && items[place] === item) === wanted) list[kept++] = row;
  }
  return kept;
}

/** Whether one row is in the leaf. */
export function inLeaf(leaf: Leaf, row: number): boolean {
  const part = partOf(leaf, windowOf(row, row + 1));
  return part.form === 'bits' ? hasBit(part.bits, part.at * 32 + (row & 0xffff)) : part.form !== 'none';
}
