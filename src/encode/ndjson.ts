import type { StreamAnswer } from '../model/answer.ts';
import type { Chunk } from '../model/chunk.ts';
import type { Outcome } from '../model/outcome.ts';
import type { ByteSink } from './byte_sink.ts';
import { NO_DONORS, liesTogether, type RowOut, type RowShape } from './rows.ts';

const NEWLINE = 0x0a;

/** The one line that a caller can act on without having asked: nothing came for a while, and all is well. */
export const HEARTBEAT_LINE = '{"@heartbeat":{}}\n';

/** The error of a stream that has begun, in the form that it would have had as an answer. */
export type StreamError = { readonly error: string; readonly detail: string; readonly request_id: string };

export function appendLine(sink: ByteSink, row: RowOut, shape: RowShape): void {
  shape.append(sink, row);
  sink.byte(NEWLINE);
}

/** Rows `from .. from + count - 1` of a chunk as lines; in one copy where they lie together and leave as they are stored. */
export function appendLines(sink: ByteSink, chunk: Chunk, from: number, count: number, shape: RowShape): void {
  if (count === 0) return;
  if (shape.wanted === null && liesTogether(chunk, from, count)) {
    sink.bytes(chunk.bytes, chunk.start[from], chunk.end[from + count - 1]);
    sink.byte(NEWLINE);
    return;
  }
  for (let row = from; row < from + count; row++) appendLine(sink, { chunk, row, ...NO_DONORS }, shape);
}

export function sourceLine(outcome: Outcome): string {
  return control('source', outcome);
}

export function cursorLine(cursor: string): string {
  return control('cursor', cursor);
}

export function endLine(answer: StreamAnswer): string {
  return control('end', answer);
}

export function errorLine(error: StreamError): string {
  return control('error', error);
}

function control(name: string, value: unknown): string {
  return `{"@${name}":${JSON.stringify(value)}}\n`;
}
