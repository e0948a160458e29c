import type { Chunk, SpelledRows } from '../model/chunk.ts';
import { threadDeskRows } from './desk_rows.ts';
import type { RowShape } from './rows.ts';

const NEWLINE = 0x0a;
const NO_BYTES = new Uint8Array(0);

/**
 * The text of rows of a chunk from `first` on and before `end`, of some of their fields, each with its line end: as much as the desk of the thread holds, and up to the first row that
 * only `RowShape` can read, or that is broken. The bytes are lent until the desk is used again.
 */
export function cutRows(chunk: Chunk, { first, end }: { readonly first: number; readonly end: number }, shape: RowShape): SpelledRows {
  const onDesk = threadDeskRows();
  if (onDesk === null) return { bytes: NO_BYTES, next: first };
  const { bytes, rows } = chunk.spell === undefined
    ? onDesk.cut(shape, onDesk.bringChunk(chunk, first, end), NEWLINE)
    : onDesk.cut(shape, spelled(chunk, first, end, onDesk.desk.memory), NEWLINE, NEWLINE);
  return { bytes, next: first + rows };
}

/** How many rows stand on the desk as they were spelled. One that is too long for it is spelled elsewhere. */
function spelled(chunk: Chunk, first: number, end: number, { buffer }: WebAssembly.Memory): number {
  const { bytes, next } = chunk.spell!(first, end);
  return bytes.buffer === buffer ? next - first : 0;
}
