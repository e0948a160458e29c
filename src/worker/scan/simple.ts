import { partOf, unpaged, type Leaf, type Part } from '../../filter/leaf.ts';
import type { Reading } from '../../filter/reading.ts';
import { windowOf, type Window } from '../../filter/windows.ts';
import { countBits, countCommon, hasBit, type Bits } from '../../lib/bits.ts';
import { lowerBound } from '../../lib/search.ts';
import { BLOCK_BITS, BLOCK_ROWS } from '../../segment/layout.ts';
import type { Presence } from '../../segment/reader.ts';

/** A reading whose matches in whole blocks follow from running counts: at most one choice of values, at most one presence. */
export type Simple = { readonly leaves: readonly Leaf[] | null; readonly presence: { readonly of: Presence; readonly wanted: boolean } | null };

export function simpleOf({ clauses, numbers, rowClauses }: Reading): Simple | null {
  if (numbers.length > 0 || rowClauses.length > 0) return null;
  let chosen: Simple['leaves'] = null;
  let presence: Simple['presence'] = null;
  for (const { leaves, negated, disjoint } of clauses) {
    const only = leaves[0];
    if (leaves.length === 1 && only?.form === 'bits' && only.presence !== null) {
      if (presence !== null) return null;
      presence = { of: only.presence, wanted: !negated };
    } else {
      if (negated || !disjoint || chosen !== null || (leaves.length > 1 && leaves.some(({ form }) => form === 'bits'))) return null;
      chosen = leaves;
    }
  }
  return { leaves: chosen, presence };
}

/** Matches in [from, to), which lie in one block. */
export function countWindow({ leaves, presence }: Simple, from: number, to: number): number {
  if (leaves === null) return presence === null ? to - from : countPresent(presence, from, to);
  const window = windowOf(from, to);
  let count = 0;
  for (const leaf of leaves) count += countPart(partOf(leaf, window), presence, window);
  return count;
}

function countPart(part: Part, presence: Simple['presence'], { block, from, to }: Window): number {
  switch (part.form) {
    case 'none': return 0;
    case 'all': return presence === null ? to - from : countPresent(presence, from, to);
    case 'rows': return countItems(part, 0, presence);
    case 'halves': return countItems(part, block << BLOCK_BITS, presence);
    case 'pages': return presence === null ? part.last - part.first : countItems(unpaged(part), block << BLOCK_BITS, presence);
    case 'bits': {
      const base = block << BLOCK_BITS;
      const own: Bits = { words: part.bits, at: part.at, flip: 0 };
      const present: Bits = presence === null ? own : { words: presence.of.bits, at: base >>> 5, flip: presence.wanted ? 0 : -1 };
      return countCommon(own, present, from - base, to - base);
    }
    default: return part satisfies never;
  }
}

function countItems({ items, first, last }: Extract<Part, { readonly form: 'rows' | 'halves' }>, base: number, presence: Simple['presence']): number {
  if (presence === null) return last - first;
  const { bits } = presence.of;
  let present = 0;
  for (let at = first; at < last; at++) {
    const row = base | items[at]!;
    present += (bits[row >>> 5]! >>> (row & 31)) & 1;
  }
  return presence.wanted ? present : last - first - present;
}

function countPresent({ of, wanted }: NonNullable<Simple['presence']>, from: number, to: number): number {
  const present = countBits(of.bits, from, to);
  return wanted ? present : to - from - present;
}

/** Matches in the blocks [from, to), the last of which may be the segment's own last. */
export function countBlocks({ leaves, presence }: Simple, from: number, to: number, rows: number): number {
  if (from === to) return 0;
  if (leaves !== null) return leaves.reduce((sum, leaf) => sum + countLeaf(leaf, presence, from, to), 0);
  const all = Math.min(rows, to * BLOCK_ROWS) - from * BLOCK_ROWS;
  if (presence === null) return all;
  const present = presence.of.before[to]! - presence.of.before[from]!;
  return presence.wanted ? present : all - present;
}

export function countLeaf(leaf: Leaf, presence: Simple['presence'], from: number, to: number): number {
  switch (leaf.form) {
    case 'containers': {
      const { containers } = leaf;
      const first = containers.find(from);
      const last = containers.find(to);
      const all = containers.before(last) - containers.before(first);
      if (presence === null) return all;
      const present = containers.presentBefore(last, presence.of.which) - containers.presentBefore(first, presence.of.which);
      return presence.wanted ? present : all - present;
    }
    case 'rows': {
      const first = lowerBound(leaf.rows, from * BLOCK_ROWS);
      const last = lowerBound(leaf.rows, to * BLOCK_ROWS, first);
      if (presence === null) return last - first;
      let present = 0;
      for (let at = first; at < last; at++) if (hasBit(presence.of.bits, leaf.rows[at]!)) present++;
      return presence.wanted ? present : last - first - present;
    }
    case 'bits': {
      const [start, end] = [from * BLOCK_ROWS, Math.min(to * BLOCK_ROWS, (leaf.fromWord + leaf.bits.length) * 32)];
      if (presence === null) return countBits(leaf.bits, start - leaf.fromWord * 32, end - leaf.fromWord * 32);
      const present: Bits = { words: presence.of.bits, at: 0, flip: presence.wanted ? 0 : -1 };
      return countCommon({ words: leaf.bits, at: -leaf.fromWord, flip: 0 }, present, start, Math.min(end, presence.of.bits.length * 32));
    }
    default: return leaf satisfies never;
  }
}

/** The whole blocks [from, to) of a range: its first and last rows may lie outside of them. */
export function wholeBlocks([start, end]: readonly [number, number], rows: number): readonly [from: number, to: number] {
  const from = Math.ceil(start / BLOCK_ROWS);
  const to = end === rows ? Math.ceil(end / BLOCK_ROWS) : Math.floor(end / BLOCK_ROWS);
  return from < to ? [from, to] : [from, from];
}

/** What of a range lies outside of its whole blocks. */
export function edgesOf([start, end]: readonly [number, number], rows: number): (readonly [start: number, end: number])[] {
  const [from, to] = wholeBlocks([start, end], rows);
  if (from === to) return [[start, end]];
  const edges: (readonly [number, number])[] = [[start, from * BLOCK_ROWS], [Math.min(end, to * BLOCK_ROWS), end]];
  return edges.filter(([first, last]) => first < last);
}
