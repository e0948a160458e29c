import { bitmap, setBit } from '../lib/bits.ts';
import { LIMITS } from '../config/limits.ts';
import { BLOCK_ROWS, BLOCK_WORDS } from '../segment/layout.ts';
import { leafCount, orPart, partOf, windowOf, type Leaf } from './leaf.ts';
import { matchingRows } from './matching_rows.ts';
import type { Clause } from './reading.ts';

/** The clause that rows are in one of the leaves (or in none), with many leaves joined once and for all. */
export function anyOf(leaves: readonly Leaf[], { rows, negated, disjoint }: { readonly rows: number; readonly negated: boolean; readonly disjoint: boolean }): Clause {
  if (leaves.length <= 1) return { negated, leaves, disjoint: true };
  const count = leaves.reduce((sum, leaf) => sum + leafCount(leaf, rows), 0);
  const isFew = leaves.length <= LIMITS.unionLeavesMax;
  if (count <= (isFew ? LIMITS.unionSortedMax : LIMITS.unionRowsMax)) return { negated, leaves: [{ form: 'rows', rows: joinRows(leaves, rows, count) }], disjoint: true };
  if (isFew) return { negated, leaves, disjoint };
  return { negated, leaves: [{ form: 'bits', bits: joinBits(leaves, rows), presence: null }], disjoint: true };
}

/** The sorted rows of few and short leaves, each once. */
function joinRows(leaves: readonly Leaf[], rows: number, count: number): Uint32Array {
  const all = new Uint32Array(count);
  let filled = 0;
  for (const leaf of leaves) {
    const listed = leaf.form === 'rows' ? leaf.rows : matchingRows({ ranges: [[0, rows]], clauses: [{ negated: false, leaves: [leaf], disjoint: true }], numbers: [], rowClauses: [] });
    all.set(listed, filled);
    filled += listed.length;
  }
  all.sort();
  let kept = 0;
  for (let at = 0; at < all.length; at++) if (at === 0 || all[at] !== all[at - 1]) all[kept++] = all[at]!;
  return all.subarray(0, kept);
}

function joinBits(leaves: readonly Leaf[], rows: number): Int32Array {
  const bits = bitmap(Math.ceil(rows / BLOCK_ROWS) * BLOCK_ROWS);
  for (const leaf of leaves) {
    if (leaf.form === 'rows') for (let at = 0; at < leaf.rows.length; at++) setBit(bits, leaf.rows[at]!);
    else for (const block of blocksOf(leaf, rows)) orBlock(leaf, block, rows, bits);
  }
  return bits;
}

/** The blocks that a leaf has rows in; of a bitmap all of them. */
function blocksOf(leaf: Exclude<Leaf, { readonly form: 'rows' }>, rows: number): number[] {
  if (leaf.form === 'bits') return Array.from({ length: Math.ceil(rows / BLOCK_ROWS) }, (_, block) => block);
  return Array.from({ length: leaf.containers.length }, (_, at) => leaf.containers.block(at));
}

function orBlock(leaf: Leaf, block: number, rows: number, bits: Int32Array): void {
  const window = windowOf(block * BLOCK_ROWS, Math.min(rows, (block + 1) * BLOCK_ROWS));
  orPart(partOf(leaf, window), window, bits.subarray(block * BLOCK_WORDS, (block + 1) * BLOCK_WORDS));
}
