import type { FindAnswer } from '../model/answer.ts';
import type { ByteSink } from './byte_sink.ts';
import { runLength, type RowOut, type RowShape } from './rows.ts';

const COMMA = 0x2c;

/** The whole answer of a page: `{"results":[...],"total":...}`. The rows are copied, never parsed. */
export function encodeJson(sink: ByteSink, rows: readonly RowOut[], shape: RowShape, answer: FindAnswer): void {
  sink.text('{"results":[');
  appendResults(sink, rows, shape);
  sink.text(`],${JSON.stringify(answer).slice(1)}`);
}

/** Rows that lie one after the other in a segment are copied at once, and their line ends made commas. */
function appendResults(sink: ByteSink, rows: readonly RowOut[], shape: RowShape): void {
  for (let at = 0; at < rows.length;) {
    if (at > 0) sink.byte(COMMA);
    const first = rows[at]!;
    const count = runLength(rows, at, shape);
    if (count === 1) shape.append(sink, first);
    else appendRun(sink, first, rows[at + count - 1]!.row);
    at += count;
  }
}

function appendRun(sink: ByteSink, { chunk: { bytes, start, end }, row }: RowOut, last: number): void {
  const shift = sink.length - start[row]!;
  sink.bytes(bytes, start[row], end[last]);
  for (let each = row; each < last; each++) sink.patch(end[each]! + shift, COMMA);
}
