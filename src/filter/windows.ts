import { maskOf } from '../lib/bits.ts';
import { BLOCK_BITS, BLOCK_ROWS } from '../segment/layout.ts';

/** Rows [from, to) of one block, `to` above `from`, and the words [first, last) of a bitmap of the block that they lie in: in fours, so that other rows may, too. */
export type Window = { readonly block: number; readonly from: number; readonly to: number; readonly first: number; readonly last: number };

/** The end of the window that begins at `from`: not beyond `end`, its block, or `rowsMax` rows. */
export function windowEnd(from: number, end: number, rowsMax: number): number {
  return Math.min(end, ((from >>> BLOCK_BITS) + 1) * BLOCK_ROWS, from + rowsMax);
}

/** Of rows [from, to), which lie in one block. */
export function windowOf(from: number, to: number): Window {
  const block = from >>> BLOCK_BITS;
  const base = block << BLOCK_BITS;
  return { block, from, to, first: ((from - base) >>> 7) << 2, last: (((to - base - 1) >>> 7) + 1) << 2 };
}

/** Clears the bits of a bitmap of the window's block that lie in its words, but outside of it. */
export function trimWords(words: Int32Array, { block, from, to, first, last }: Window): void {
  const base = block << BLOCK_BITS;
  for (let at = first; at < last && base + at * 32 < from; at++) words[at]! &= maskOf(base + at * 32, from, to);
  for (let at = last - 1; at >= first && base + at * 32 + 32 > to; at--) words[at]! &= maskOf(base + at * 32, from, to);
}
