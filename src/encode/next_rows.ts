import type { ByteSink } from './byte_sink.ts';
import { rowsOnDesk } from './desk_rows.ts';
import { runLength, type RowOut, type RowShape } from './rows.ts';

const SEPARATORS = { json: 0x2c, lines: 0x0a } as const;

/** What stands between two rows: a comma in a page, a line end in a stream. */
type Between = keyof typeof SEPARATORS;

/**
 * Appends some rows from `at` on and before `end`, as JSON, none behind the last; gives how many. Rows that lie one after the other in a segment are copied at once, and
 * their line ends made what they are to be; such that are cut down or filled are so on the desk, many at a time.
 */
export function appendNext(sink: ByteSink, rows: readonly RowOut[], { at, end }: { readonly at: number; readonly end: number }, shape: RowShape, between: Between): number {
  const count = shape.copies(rows[at]!) ? runLength(rows, at, shape) : 0;
  if (count > 1) {
    appendRun(sink, rows[at]!, rows[at + count - 1]!.row, between);
    return count;
  }
  const made = count === 1 ? 0 : appendMade(sink, rows, { at, end }, shape, between);
  if (made === 0) shape.append(sink, rows[at]!);
  return Math.max(1, made);
}

function appendMade(sink: ByteSink, rows: readonly RowOut[], { at, end }: { readonly at: number; readonly end: number }, shape: RowShape, between: Between): number {
  const made = rowsOnDesk(between, rows, { first: at, end }, shape);
  if (made.rows > 0) sink.bytes(made.bytes, 0, made.bytes.length - 1);
  return made.rows;
}

function appendRun(sink: ByteSink, { chunk: { bytes, start, end }, row }: RowOut, last: number, between: Between): void {
  const shift = sink.length - start[row]!;
  sink.bytes(bytes, start[row], end[last]);
  for (let each = row; each < last; each++) sink.patch(end[each]! + shift, SEPARATORS[between]);
}
