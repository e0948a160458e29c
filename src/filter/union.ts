import { setBit } from '../lib/bits.ts';
import { LIMITS } from '../config/limits.ts';
import { lowerBound } from '../lib/search.ts';
import { BLOCK_BITS, BLOCK_ROWS, BLOCK_WORDS } from '../segment/layout.ts';
import type { Containers, Postings } from '../segment/postings.ts';
import { leafCount, orPart, partOf, rowsOfBits, type Leaf } from './leaf.ts';
import { matchingRows } from './matching_rows.ts';
import type { Clause } from './reading.ts';
import type { Span } from './span.ts';
import { windowOf } from './windows.ts';

type UnionOf = Pick<Clause, 'negated' | 'disjoint' | 'coded'> & { readonly span: Span };

/** The clause that rows of the span are in one of the leaves (or in none), with many leaves joined once and for all. */
export function anyOf(leaves: readonly Leaf[], { span, negated, disjoint, coded }: UnionOf): Clause {
  if (leaves.length <= 1) return { negated, leaves, disjoint: true, coded };
  const held: Leaf[] = [];
  let count = 0;
  for (const leaf of leaves) {
    const rows = leafCount(leaf, span);
    if (rows > 0) held.push(leaf);
    count += rows;
  }
  if (held.length <= 1) return { negated, leaves: held, disjoint: true, coded };
  if (count <= LIMITS.unionSortedMax) return { negated, leaves: [{ form: 'rows', rows: joinRows(held, span, count) }], disjoint: true, coded };
  if (held.length <= LIMITS.unionLeavesMax) return { negated, leaves: held, disjoint, coded };
  const bits = spanBits(span);
  for (const leaf of held) orLeaf(leaf, span, bits);
  return { negated, leaves: [leafOf(bits, span)], disjoint: true, coded };
}

/** Posting lists, by their numbers. */
export type PostingLists = { readonly postings: Postings; readonly lists: Uint32Array };

/** Likewise of posting lists: thousands of short ones are joined without a view of each. */
export function anyOfLists(sources: readonly PostingLists[], union: UnionOf): Clause {
  let [many, count] = [0, 0];
  for (const { postings, lists } of sources) {
    many += lists.length;
    for (const list of lists) count += postings.count(list);
  }
  if (many <= LIMITS.unionLeavesMax || count <= LIMITS.unionSortedMax) return anyOf(sources.flatMap(opened), union);
  const { span, negated, coded } = union;
  const bits = spanBits(span);
  const base = firstRow(span);
  for (const { postings, lists } of sources) {
    for (const list of lists) if (!postings.setPlain(list, span, bits, base)) orLeaf(postings.open(list), span, bits);
  }
  return { negated, leaves: [leafOf(bits, span)], disjoint: true, coded };
}

function opened({ postings, lists }: PostingLists): Leaf[] {
  return Array.from(lists, (list) => postings.open(list));
}

/** The rows of few and short leaves in the span, at most `count`: sorted, each once. */
function joinRows(leaves: readonly Leaf[], { from, to }: Span, count: number): Uint32Array {
  const all = new Uint32Array(count);
  let filled = 0;
  for (const leaf of leaves) {
    const listed = leaf.form === 'rows'
      ? leaf.rows.subarray(lowerBound(leaf.rows, from), lowerBound(leaf.rows, to))
      : matchingRows({ ranges: [[from, to]], clauses: [{ negated: false, leaves: [leaf], disjoint: true, coded: null }], numbers: [], rowClauses: [] });
    all.set(listed, filled);
    filled += listed.length;
  }
  const rows = all.subarray(0, filled).sort();
  let kept = 0;
  for (let at = 0; at < rows.length; at++) if (at === 0 || rows[at] !== rows[at - 1]) rows[kept++] = rows[at]!;
  return rows.subarray(0, kept);
}

/** A bitmap of the blocks that the span lies in. */
function spanBits({ from, to }: Span): Int32Array {
  return new Int32Array(from === to ? 0 : (((to - 1) >>> BLOCK_BITS) - (from >>> BLOCK_BITS) + 1) * BLOCK_WORDS);
}

function firstRow({ from }: Span): number {
  return (from >>> BLOCK_BITS) << BLOCK_BITS;
}

/** Few rows are found sooner in a list. */
function leafOf(bits: Int32Array, span: Span): Leaf {
  const base = firstRow(span);
  const rows = rowsOfBits(bits, base, LIMITS.unionRowsMax);
  return rows !== null ? { form: 'rows', rows } : { form: 'bits', bits, fromWord: base >>> 5, presence: null };
}

function orLeaf(leaf: Leaf, span: Span, bits: Int32Array): void {
  const base = firstRow(span);
  switch (leaf.form) {
    case 'rows': {
      const end = lowerBound(leaf.rows, span.to);
      for (let at = lowerBound(leaf.rows, span.from); at < end; at++) setBit(bits, leaf.rows[at]! - base);
      return;
    }
    case 'containers': orContainers(leaf, leaf.containers, span, bits); return;
    case 'bits': for (let from = span.from; from < span.to; from = blockEnd(from)) orBlock(leaf, from >>> BLOCK_BITS, span, bits); return;
    default: leaf satisfies never;
  }
}

function orContainers(leaf: Leaf, containers: Containers, span: Span, bits: Int32Array): void {
  for (let at = containers.find(span.from >>> BLOCK_BITS); at < containers.length; at++) {
    const block = containers.block(at);
    if (block * BLOCK_ROWS >= span.to) return;
    orBlock(leaf, block, span, bits);
  }
}

function orBlock(leaf: Leaf, block: number, { from, to }: Span, bits: Int32Array): void {
  const window = windowOf(Math.max(from, block * BLOCK_ROWS), Math.min(to, (block + 1) * BLOCK_ROWS));
  const words = (block - (from >>> BLOCK_BITS)) * BLOCK_WORDS;
  orPart(partOf(leaf, window), window, bits.subarray(words, words + BLOCK_WORDS));
}

function blockEnd(row: number): number {
  return ((row >>> BLOCK_BITS) + 1) * BLOCK_ROWS;
}
