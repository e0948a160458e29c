import { SegmentRefused } from './refused.ts';

/** Rows are stored as the text that leaves the service, a line each, or compact. */
export const ROW_FORMS = ['text', 'compact'] as const;
export type RowForm = (typeof ROW_FORMS)[number];

/**
 * How a compact row stands in the rows file. What rows have in common (names, quotes, nulls, a level) is kept once a segment, in *stencils*; the text of a row,
 * its newline with it, is a stencil and a value, piece after piece. Stencil 0 is no text, and a value may be none.
 *
 *   0           4           8        12
 *   ┌───────────┬───────────┬────────┬──────────────────┬──────────────────────────────────────┬────
 *   │ u32 bytes │ u32 bytes │ u32    │ values, one      │ piece: u8 stencil, u8 bytes of value │ ...
 *   │ of text   │ of values │ pieces │ behind the other │                                      │
 *   └───────────┴───────────┴────────┴──────────────────┴──────────────────────────────────────┴────
 *
 * The pieces stand together so that none waits for the length of the value before it.
 */
const ROW_HEAD = { text: 0, values: 4, pieces: 8, bytes: 12 } as const;
const PIECE_BYTES = 2;
/** A longer one is several pieces: each is then copied without a look at its length. */
export const VALUE_BYTES_MAX = 32;

/** The section that a compact segment has and no other: the length of each, a byte each, then the texts, each in a place of its own. */
export const STENCILS = 'stencils';
export const STENCILS_MAX = 256;
export const STENCIL_BYTES_MAX = 32;
export const STENCILS_BYTES_MAX = STENCILS_MAX * (1 + STENCIL_BYTES_MAX);

/** As the section holds them. The first is the empty one. */
export function stencilTable(stencils: readonly Uint8Array[]): Uint8Array {
  const table = new Uint8Array(STENCILS_MAX + stencils.length * STENCIL_BYTES_MAX);
  for (const [code, text] of stencils.entries()) {
    table[code] = text.length;
    table.set(text, STENCILS_MAX + code * STENCIL_BYTES_MAX);
  }
  return table;
}

/** The text of a compact row, its newline with it. One at a time, and without a need for memory of its own: `expander` is for many. */
export function textOfRow(row: Buffer, stencils: Uint8Array): Buffer {
  const { textBytes, valueBytes, pieces } = headOf(row);
  const text = Buffer.allocUnsafe(textBytes);
  const values = ROW_HEAD.bytes + valueBytes;
  let value: number = ROW_HEAD.bytes;
  let at = 0;
  for (let piece = values; piece < values + PIECE_BYTES * pieces; piece += PIECE_BYTES) {
    const stencil = STENCILS_MAX + row[piece]! * STENCIL_BYTES_MAX;
    const [stencilBytes, bytes] = [stencils[row[piece]!]!, row[piece + 1]!];
    if (at + stencilBytes + bytes > textBytes || value + bytes > values) throw brokenRow();
    text.set(stencils.subarray(stencil, stencil + stencilBytes), at);
    at += stencilBytes;
    at += row.copy(text, at, value, value + bytes);
    value += bytes;
  }
  if (at !== textBytes || value !== values) throw brokenRow();
  return text;
}

/** What a whole row says of itself is held against how long it is before anything is made of it. */
function headOf(row: Buffer): { readonly textBytes: number; readonly valueBytes: number; readonly pieces: number } {
  if (row.length < ROW_HEAD.bytes) throw brokenRow();
  const [textBytes, valueBytes, pieces] = [row.readUInt32LE(ROW_HEAD.text), row.readUInt32LE(ROW_HEAD.values), row.readUInt32LE(ROW_HEAD.pieces)];
  if (ROW_HEAD.bytes + valueBytes + PIECE_BYTES * pieces !== row.length || textBytes > (STENCIL_BYTES_MAX + VALUE_BYTES_MAX) * pieces) throw brokenRow();
  return { textBytes, valueBytes, pieces };
}

/** Of the compact row that begins at `at` and ends no later than `end`. */
export function storedBytes(stored: DataView, at: number, end: number): number {
  const bytes = at + ROW_HEAD.bytes > end ? Infinity : ROW_HEAD.bytes + stored.getUint32(at + ROW_HEAD.values, true) + PIECE_BYTES * stored.getUint32(at + ROW_HEAD.pieces, true);
  if (at + bytes > end) throw brokenRow();
  return bytes;
}

export function brokenRow(): SegmentRefused {
  return new SegmentRefused('malformed', 'a row does not stand as rows are stored');
}
