import { countBits } from '../lib/bits.ts';
import { BLOCK_BITS, BLOCK_ROWS, BLOCK_WORDS } from '../segment/layout.ts';
import { isWithin } from './intervals.ts';
import { orPart, type Part } from './leaf.ts';
import type { NumberClause } from './reading.ts';
import type { Slate } from './slate.ts';
import type { Window } from './windows.ts';

/** Word by word: for systems that have no room for the memory of a module. */
export class PlainSlate implements Slate {
  readonly words = new Int32Array(BLOCK_WORDS);
  readonly union = new Int32Array(BLOCK_WORDS);
  readonly list = new Uint32Array(BLOCK_ROWS);

  and({ first, last }: Window, bits: Int32Array, at: number): void {
    for (let word = first; word < last; word++) this.words[word]! &= bits[at + word]!;
  }

  andNot({ first, last }: Window, bits: Int32Array, at: number): void {
    for (let word = first; word < last; word++) this.words[word]! &= ~bits[at + word]!;
  }

  add(window: Window, part: Part): void {
    orPart(part, window, this.union);
  }

  within(window: Window, clause: NumberClause): void {
    addWithin(this, window, clause);
  }

  count({ first, last }: Window): number {
    return countBits(this.words, first * 32, last * 32);
  }

  rows({ block, first, last }: Window, of: Int32Array, rowsMax: number): number {
    let count = 0;
    for (let at = first; at < last && count < rowsMax; at++) {
      const start = (block << BLOCK_BITS) + at * 32;
      for (let word = of[at]!; word !== 0; word &= word - 1) this.list[count++] = start + (31 - Math.clz32(word & -word));
    }
    return count;
  }
}

/** Row by row, of numbers of every form; where no row of a word is left, none is looked at. */
export function addWithin({ words, union }: Pick<Slate, 'words' | 'union'>, { block, first, last }: Window, { codes, intervals }: NumberClause): void {
  const base = block << BLOCK_BITS;
  for (let at = first; at < last; at++) {
    if (words[at] === 0) continue;
    for (let bit = 0; bit < 32; bit++) if (isWithin(codes[base + at * 32 + bit]!, intervals)) union[at]! |= 1 << bit;
  }
}
