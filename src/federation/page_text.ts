import { LIMITS } from '../config/limits.ts';
import { ByteSink } from '../encode/byte_sink.ts';
import type { RowShape } from '../encode/rows.ts';
import { textBytes, type Chunk, type Mark } from '../model/chunk.ts';
import { TRAY_FRONT_BYTES, type HeldText } from '../pool/tray_protocol.ts';

/** Rows of a page as they leave, in the form that was asked for. `mark`: where the scan stands behind them. */
export type PageText = { readonly text: HeldText; readonly rows: number; readonly mark: Mark };

const COMMA = 0x2c;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const NOTHING = (): void => {};

/** The rows of a chunk, for which no tray was free, in memory of their own with the same room. */
export function joinedText(chunk: Chunk): HeldText {
  const { bytes, rows, start, end } = chunk;
  const length = textBytes(chunk) + rows - 1;
  const text = Buffer.allocUnsafeSlow(TRAY_FRONT_BYTES + length + LIMITS.trayRoomBytes);
  let at = TRAY_FRONT_BYTES;
  for (let row = 0; row < rows; row++) {
    if (row > 0) text[at++] = COMMA;
    const to = at + end[row]! - start[row]!;
    // Fills with the very bytes: `set` takes shared memory byte by byte.
    text.fill(bytes.subarray(start[row]!, end[row]!), at, to);
    at = to;
  }
  return { bytes: text, start: TRAY_FRONT_BYTES, end: at, release: NOTHING };
}

/** The same of rows cut down to some fields. Throws of a broken row. */
export function cutText({ bytes, rows, start, end }: Chunk, shape: RowShape): HeldText {
  const sink = new ByteSink();
  sink.room(TRAY_FRONT_BYTES);
  sink.advance(TRAY_FRONT_BYTES);
  for (let row = 0; row < rows; row++) {
    if (row > 0) sink.byte(COMMA);
    shape.cut(sink, bytes, start[row]!, end[row]!);
  }
  return { bytes: sink.room(LIMITS.trayRoomBytes), start: TRAY_FRONT_BYTES, end: sink.length, release: NOTHING };
}

/** The rows of a text each by its place, in memory of their own: the text may be released. Null where they cannot be told apart, as where one has rotted. */
export function separateRows({ text: { bytes, start: from, end: to }, rows, mark }: PageText): Chunk | null {
  const own = Buffer.from(bytes.subarray(from, to));
  const start: number[] = [];
  const end: number[] = [];
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < own.length; at++) {
    const byte = own[at]!;
    if (byte === QUOTE) quoted = !quoted;
    else if (quoted) at += byte === BACKSLASH ? 1 : 0;
    else if (byte === OPEN && depth++ === 0) start.push(at);
    else if (byte === CLOSE && --depth === 0) end.push(at + 1);
  }
  if (start.length !== rows || end.length !== rows) return null;
  return { bytes: own, rows, start, end, markAt: () => mark, identity: null };
}

export function releaseTexts(texts: readonly HeldText[]): void {
  for (const text of texts) text.release();
}
