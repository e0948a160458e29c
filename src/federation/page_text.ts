import type { Chunk, Mark } from '../model/chunk.ts';
import type { HeldText } from '../pool/protocol.ts';

/** Rows of a page as they leave: text with a comma between any two, in memory that is held until `release`. `mark`: where the scan stands behind them. */
export type PageText = HeldText & { readonly rows: number; readonly mark: Mark };

const COMMA = 0x2c;
const NOTHING = (): void => {};

/** The rows of a chunk, which found no place in the ring of their thread, in memory of their own. */
export function joinedText({ bytes, rows, start, end, markAt }: Chunk): PageText {
  let length = rows - 1;
  for (let row = 0; row < rows; row++) length += end[row]! - start[row]!;
  const text = Buffer.allocUnsafe(length);
  let at = 0;
  for (let row = 0; row < rows; row++) {
    if (row > 0) text[at++] = COMMA;
    text.set(bytes.subarray(start[row]!, end[row]!), at);
    at += end[row]! - start[row]!;
  }
  return { bytes: text, start: 0, end: length, rows, mark: markAt(rows - 1), release: NOTHING };
}
