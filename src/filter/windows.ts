import { BLOCK_BITS, BLOCK_ROWS } from '../segment/layout.ts';

/** The end of the window that begins at `from`: not beyond `end`, its block, or `rowsMax` rows. */
export function windowEnd(from: number, end: number, rowsMax: number): number {
  return Math.min(end, ((from >>> BLOCK_BITS) + 1) * BLOCK_ROWS, from + rowsMax);
}
