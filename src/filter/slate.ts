import type { Part } from './leaf.ts';
import type { NumberClause } from './reading.ts';
import type { Window } from './windows.ts';

/**
 * What the rows of a window that match are worked out on: two bitmaps of its block, of which only the window's words say anything, and a list. A thread has one: a scan runs to its end before
 * another begins.
 */
export type Slate = {
  /** Row r of the block is bit r mod 32 of word r / 32. */
  readonly words: Int32Array;
  readonly union: Int32Array;
  /** Rows of the segment, ascending. */
  readonly list: Uint32Array;
  /** Keeps of `words` what is in a bitmap, too: in `bits` from word `at` on, or in `union`. */
  and(window: Window, bits: Int32Array, at: number): void;
  /** Keeps what is not in it. */
  andNot(window: Window, bits: Int32Array, at: number): void;
  /** Adds the rows of a part to `union`. */
  add(window: Window, part: Part): void;
  /** Adds to `union` the rows whose codes lie within the clause's intervals, whether it is negated or not: of those in `words` all, of others some. */
  within(window: Window, clause: NumberClause): void;
  /** How many rows there are in `words`. */
  count(window: Window): number;
  /** Puts the rows of `words` or of `union` into `list`, and says how many they are: of many the first `rowsMax`, or more. */
  rows(window: Window, of: Int32Array, rowsMax: number): number;
};
