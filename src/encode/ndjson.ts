import { LIMITS } from '../config/limits.ts';
import type { StreamAnswer } from '../model/answer.ts';
import type { Outcome } from '../model/outcome.ts';
import type { ByteSink } from './byte_sink.ts';
import { appendNext } from './next_rows.ts';
import type { RowOut, RowShape } from './rows.ts';

const LINE_END = 0x0a;

/** What a line of a stream may be beside a row. Exactly one `@end` or `@error` is the last. */
export type ControlLine =
  | { readonly '@source': Outcome }
  | { readonly '@heartbeat': Readonly<Record<string, never>> }
  | { readonly '@cursor': string }
  | { readonly '@end': StreamAnswer }
  | { readonly '@error': { readonly error: string; readonly detail: string; readonly request_id: string } };

export function appendLine(sink: ByteSink, row: RowOut, shape: RowShape): void {
  shape.append(sink, row);
  sink.byte(LINE_END);
}

/** Some rows from `at` on, as many as may be before a look at the clock; gives how many. */
export function appendLines(sink: ByteSink, rows: readonly RowOut[], at: number, shape: RowShape): number {
  const count = appendNext(sink, rows, { at, end: Math.min(rows.length, at + LIMITS.rowsWrittenUntimed) }, shape, 'lines');
  sink.byte(LINE_END);
  return count;
}

export function controlLine(line: ControlLine): Uint8Array {
  return Buffer.from(`${JSON.stringify(line)}\n`);
}
