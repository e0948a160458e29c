/** Bitmaps are `Int32Array`s, bit i of the set in word i >> 5: signed words stay integers in the compiled loops. */

export function hasBit(words: Int32Array, bit: number): boolean {
  return (words[bit >>> 5]! & (1 << (bit & 31))) !== 0;
}

export function setBit(words: Int32Array, bit: number): void {
  words[bit >>> 5]! |= 1 << (bit & 31);
}

function popcount(word: number): number {
  let count = word - ((word >>> 1) & 0x55555555);
  count = (count & 0x33333333) + ((count >>> 2) & 0x33333333);
  return Math.imul((count + (count >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** The bits of the word that starts at bit `base` which lie in [from, to). */
export function maskOf(base: number, from: number, to: number): number {
  const low = from <= base ? -1 : from - base >= 32 ? 0 : -1 << (from - base);
  const high = to >= base + 32 ? -1 : to <= base ? 0 : ~(-1 << (to - base));
  return low & high;
}

/** A bitmap read from word `at` on as if it were turned round where `flip` is -1 (else 0). */
export type Bits = { readonly words: Int32Array; readonly at: number; readonly flip: number };

/** How many bits are set in both in [from, to). */
export function countCommon(a: Bits, b: Bits, from: number, to: number): number {
  if (to <= from) return 0;
  const last = (to - 1) >>> 5;
  let count = 0;
  for (let at = from >>> 5; at <= last; at++) {
    count += popcount((a.words[a.at + at]! ^ a.flip) & (b.words[b.at + at]! ^ b.flip) & maskOf(at * 32, from, to));
  }
  return count;
}

/** How many bits are set in [from, to). */
export function countBits(words: Int32Array, from: number, to: number): number {
  if (to <= from) return 0;
  const first = from >>> 5;
  const last = (to - 1) >>> 5;
  let count = 0;
  for (let at = first; at <= last; at++) {
    const word = words[at]!;
    count += popcount(at === first || at === last ? word & maskOf(at * 32, from, to) : word);
  }
  return count;
}
