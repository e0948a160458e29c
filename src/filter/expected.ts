import { BLOCK_BITS, BLOCK_ROWS } from '../segment/layout.ts';
import { isWithin } from './intervals.ts';
import { leafCount, type Leaf } from './leaf.ts';
import type { Clause, NumberClause, Reading } from './reading.ts';
import { spanOf, type Span } from './span.ts';

/**
 * How many rows match if no clause has to do with another, by the lengths of their lists and by some rows' numbers: a guess, for whoever must choose how far to look at first. What only
 * the rows themselves tell counts as if it held of all.
 */
export function expectedMatches({ ranges, clauses, numbers }: Pick<Reading, 'ranges' | 'clauses' | 'numbers'>, rowsTotal: number): number {
  const { from, to } = spanOf(ranges);
  // Lists are told by whole blocks.
  const span = { from: from - (from % BLOCK_ROWS), to: Math.min(rowsTotal, Math.ceil(to / BLOCK_ROWS) * BLOCK_ROWS) };
  let rows = 0;
  for (const [start, end] of ranges) rows += end - start;
  for (const clause of clauses) rows *= shareOf(clause, span);
  for (const clause of numbers) rows *= shareOfNumbers(clause, span);
  return rows;
}

/** Rows whose numbers are looked at. */
const SAMPLE_ROWS = 32;

function shareOfNumbers({ codes, intervals, negated }: NumberClause, { from, to }: Span): number {
  let passed = 0.5;
  for (let at = 0; at < SAMPLE_ROWS; at++) {
    const row = from + Math.floor(((to - from) * at) / SAMPLE_ROWS);
    if (isWithin(codes[row]!, intervals) !== negated) passed += 1;
  }
  return passed / SAMPLE_ROWS;
}

function shareOf({ leaves, negated }: Clause, span: Span): number {
  let rows = 0;
  for (const leaf of leaves) rows += leafRows(leaf, span);
  if (rows === Infinity) return 1;
  const share = Math.min(1, rows / (span.to - span.from));
  return negated ? 1 - share : share;
}

/** Infinity where nobody knows: of bitmaps but those of presence. */
function leafRows(leaf: Leaf, span: Span): number {
  if (leaf.form !== 'bits') return leafCount(leaf, span);
  if (leaf.presence === null) return Infinity;
  const { before } = leaf.presence;
  return before[(span.to + BLOCK_ROWS - 1) >>> BLOCK_BITS]! - before[span.from >>> BLOCK_BITS]!;
}
