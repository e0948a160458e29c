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

/** Some of the rows of one block, as ranges that ascend: those of a window that are looked at. */
export class Spans {
  /** From, to, from, to, ... */
  readonly #ends: number[] = [];
  #rows = 0;

  get rows(): number { return this.#rows; }

  clear(): void {
    this.#ends.length = 0;
    this.#rows = 0;
  }

  /** Whether rows [from, to) behind those that there are lie in their block, and all together are no more than so many. */
  fits(from: number, to: number, rowsMax: number): boolean {
    return this.#rows === 0 || (this.#rows + to - from <= rowsMax && from >>> BLOCK_BITS === this.#ends[0]! >>> BLOCK_BITS);
  }

  add(from: number, to: number): void {
    if (this.#ends.at(-1) === from) this.#ends[this.#ends.length - 1] = to; else this.#ends.push(from, to);
    this.#rows += to - from;
  }

  window(): Window {
    return windowOf(this.#ends[0]!, this.#ends.at(-1)!);
  }

  /** Writes the rows to `list`. */
  list(list: Uint32Array): number {
    let count = 0;
    for (let at = 0; at < this.#ends.length; at += 2) {
      for (let row = this.#ends[at]!; row < this.#ends[at + 1]!; row++) list[count++] = row;
    }
    return count;
  }

  /** Keeps of `list[0, count)`, which ascends, what is among the rows. */
  sift(list: Uint32Array, count: number): number {
    let kept = 0;
    let at = 0;
    for (let place = 0; place < count; place++) {
      const row = list[place]!;
      while (at < this.#ends.length && this.#ends[at + 1]! <= row) at += 2;
      if (at === this.#ends.length) break;
      if (this.#ends[at]! <= row) list[kept++] = row;
    }
    return kept;
  }

  /** Has the words of the window say which rows they are. */
  lay(words: Int32Array, { block, first, last }: Window): void {
    words.fill(0, first, last);
    const base = block << BLOCK_BITS;
    for (let at = 0; at < this.#ends.length; at += 2) {
      const [from, to] = [this.#ends[at]! - base, this.#ends[at + 1]! - base];
      const [start, end] = [from >>> 5, (to - 1) >>> 5];
      words[start]! |= maskOf(start * 32, from, to);
      if (start === end) continue;
      words.fill(-1, start + 1, end);
      words[end]! |= maskOf(end * 32, from, to);
    }
  }
}

/** Clears the bits of a bitmap of the window's block that lie in its words, but outside of it. */
export function trimWords(words: Int32Array, { block, from, to, first, last }: Window): void {
  const base = block << BLOCK_BITS;
  for (let at = first; at < last && base + at * 32 < from; at++) words[at]! &= maskOf(base + at * 32, from, to);
  for (let at = last - 1; at >= first && base + at * 32 + 32 > to; at--) words[at]! &= maskOf(base + at * 32, from, to);
}
