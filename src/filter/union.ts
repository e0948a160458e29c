import { LIMITS } from '../config/limits.ts';
import { lowerBound } from '../lib/search.ts';
import { BLOCK_BITS, BLOCK_ROWS, BLOCK_WORDS } from '../segment/layout.ts';
import type { Postings } from '../segment/postings.ts';
import { leafCount, partOf, rowsOfBits, type Leaf } from './leaf.ts';
import { matchingRows } from './matching_rows.ts';
import type { Clause } from './reading.ts';
import type { Span } from './span.ts';
import { SLATE } from './thread_slate.ts';
import { trimWords, windowOf } from './windows.ts';

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
  return { ...joined(held, span, spanBits(span)), negated, coded };
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
  const long: Leaf[] = [];
  for (const { postings, lists } of sources) {
    for (const list of lists) if (!postings.setPlain(list, span, bits, base)) long.push(postings.open(list));
  }
  return { ...joined(long, span, bits), negated, coded };
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
function spanBits(span: Span): Int32Array {
  return new Int32Array(blocksOf(span) * BLOCK_WORDS);
}

function blocksOf({ from, to }: Span): number {
  return from === to ? 0 : ((to - 1) >>> BLOCK_BITS) - (from >>> BLOCK_BITS) + 1;
}

function firstRow({ from }: Span): number {
  return (from >>> BLOCK_BITS) << BLOCK_BITS;
}

/** Few rows are found sooner in a list. */
function leafOf(bits: Int32Array, span: Span): Leaf {
  const base = firstRow(span);
  const rows = rowsOfBits(bits, base, LIMITS.unionRowsMax);
  return rows !== null ? { form: 'rows', rows } : { form: 'bits', bits, fromWord: base >>> 5, presence: null, join: null };
}

/** One leaf for all, with what its bitmap has already. Of a long span each block is joined when it is first asked for: its first rows are there at once, and nobody waits for the last. */
function joined(leaves: readonly Leaf[], span: Span, bits: Int32Array): Pick<Clause, 'leaves' | 'disjoint'> {
  const join = (block: number): void => { joinBlock(leaves, block, span, bits); };
  const [first, blocks] = [span.from >>> BLOCK_BITS, blocksOf(span)];
  if (blocks <= LIMITS.unionBlocksMax) {
    for (let block = first; block < first + blocks; block++) join(block);
    return { leaves: [leafOf(bits, span)], disjoint: true };
  }
  const isJoined = new Uint8Array(blocks);
  const joinOnce = (block: number): void => {
    if (isJoined[block - first] === 0) join(block);
    isJoined[block - first] = 1;
  };
  return { leaves: [{ form: 'bits', bits, fromWord: firstRow(span) >>> 5, presence: null, join: joinOnce }], disjoint: false };
}

/** Adds the leaves' rows of a block to a bitmap of the span's blocks: none beyond the segment's last, though a leaf may have all of its block. They would be counted. */
function joinBlock(leaves: readonly Leaf[], block: number, span: Span, bits: Int32Array): void {
  const window = windowOf(Math.max(span.from, block * BLOCK_ROWS), Math.min(span.to, (block + 1) * BLOCK_ROWS));
  const at = (block - (span.from >>> BLOCK_BITS)) * BLOCK_WORDS;
  SLATE.union.fill(0, window.first, window.last);
  SLATE.add(window, { form: 'bits', bits, at });
  for (const leaf of leaves) SLATE.add(window, partOf(leaf, window));
  trimWords(SLATE.union, window);
  bits.set(SLATE.union.subarray(window.first, window.last), at + window.first);
}
