import { BLOCK_BITS, BLOCK_ROWS } from '../segment/layout.ts';

/** Visits the ranges in windows that lie within one block each and are at most `rowsMax` long. */
export function eachWindow(ranges: readonly (readonly [start: number, end: number])[], visit: (from: number, to: number) => void, rowsMax = BLOCK_ROWS): void {
  for (const [start, end] of ranges) {
    for (let from = start; from < end;) {
      const to = windowEnd(from, end, rowsMax);
      visit(from, to);
      from = to;
    }
  }
}

/** The end of the window that begins at `from`: not beyond `end`, its block, or `rowsMax` rows. */
export function windowEnd(from: number, end: number, rowsMax: number): number {
  return Math.min(end, ((from >>> BLOCK_BITS) + 1) * BLOCK_ROWS, from + rowsMax);
}
