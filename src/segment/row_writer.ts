/** Where rows are written: bytes with room for what was reserved. */
export interface RoomyBytes {
  readonly bytes: Buffer;
  reserve(at: number, bytes: number): void;
}

/** A text that may stand in many rows. Its number is the writer's own. */
export type Phrase = number;

/**
 * Writes rows in the form in which they are stored, given by fixed texts and values in the order of their text.
 *
 *   begin ▶ fixed, fixed, open ▶ the caller writes a value ▶ close ▶ fixed, open ▶ value ▶ close ▶ ... ▶ end
 *
 * Each says where in `out` the next value will stand. Values are written where they stay, by the caller.
 */
export interface RowWriter {
  phrase(text: string): Phrase;
  /** Bytes of the row's text so far. */
  readonly textBytes: number;
  begin(out: RoomyBytes, at: number): number;
  fixed(phrase: Phrase, out: RoomyBytes, at: number): number;
  /** A value is to be written. */
  open(out: RoomyBytes, at: number): number;
  /** So many bytes of it were written. */
  close(bytes: number): void;
  /** The row is whole; says where it ends. */
  end(out: RoomyBytes, at: number): number;
  /** What the rows so far are spelled with, as the section holds it; null where they are their text. */
  stencils(): Uint8Array | null;
}
