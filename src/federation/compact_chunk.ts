import { LIMITS } from '../config/limits.ts';
import type { Chunk, TextSink } from '../model/chunk.ts';
import { threadExpander, type StoredRun } from '../segment/expander.ts';
import { brokenRow, storedBytes, textOfRow } from '../segment/row_form.ts';
import { placesIn, type Places } from './run.ts';

type Run = NonNullable<Chunk['run']>;

/**
 * Rows that stay where they are stored until their text is sent: it is made a piece at a time. `stored`: they as they are stored, compact; the line end of
 * a row is its last byte.
 */
export function chunkOfCompact(stored: Chunk, stencils: Uint8Array): Chunk {
  const compact: Spelled = stored.run === undefined ? new Apart(stored, stencils) : new Neighbours(stored, stored.run, stencils);
  const { rows, markAt } = stored;
  let whole: WholeText | null = null;
  const text = (): WholeText => (whole ??= wholeText(compact, rows));
  return {
    get bytes() { return text().bytes; },
    get start() { return text().start; },
    get end() { return text().end; },
    rows,
    markAt,
    identity: null,
    appendTo: (sink, first, end, bytesMax) => compact.appendTo(sink, first, end, bytesMax),
  };
}

/** Rows that are spelled from one on. */
interface Spelled {
  appendTo(sink: TextSink, first: number, end: number, bytesMax: number): number;
}

/** Rows one behind the other. Where a row begins is only known when the one before it was read, so that they are read in one go. */
class Neighbours implements Spelled {
  readonly #rows: number;
  readonly #stored: Uint8Array;
  readonly #stencils: Uint8Array;
  readonly #start: number;
  readonly #end: number;
  /** Where the next row begins. */
  #row = 0;
  #at: number;

  constructor({ bytes, rows }: Chunk, { start, end }: Run, stencils: Uint8Array) {
    this.#rows = rows;
    this.#stored = bytes;
    this.#stencils = stencils;
    this.#start = this.#at = start;
    this.#end = end + 1;
  }

  appendTo(sink: TextSink, first: number, end: number, bytesMax: number): number {
    if (first !== this.#row) [this.#row, this.#at] = [first, this.#placeOf(first)];
    const stop = end === this.#rows ? this.#end : this.#placeOf(end);
    const full = sink.length + bytesMax;
    while (this.#row < end && sink.length < full) {
      const written = append(sink, { stored: this.#stored, stencils: this.#stencils, start: this.#at, end: stop, bytesMax: full - sink.length, isFirst: this.#row === first });
      if (written.rows === 0) break;
      this.#row += written.rows;
      this.#at = written.end;
    }
    if (this.#row > end) throw brokenRow();
    return this.#row;
  }

  #placeOf(row: number): number {
    const { buffer, byteOffset, length } = this.#stored;
    const view = new DataView(buffer, byteOffset, length);
    let [at, to] = row < this.#row ? [0, this.#start] : [this.#row, this.#at];
    for (; at < row; at++) to += storedBytes(view, to, length);
    return to;
  }
}

/** Rows each by itself. */
class Apart implements Spelled {
  readonly #stored: Chunk;
  readonly #stencils: Uint8Array;

  constructor(stored: Chunk, stencils: Uint8Array) {
    this.#stored = stored;
    this.#stencils = stencils;
  }

  appendTo(sink: TextSink, first: number, end: number, bytesMax: number): number {
    const { bytes, start, end: last } = this.#stored;
    const full = sink.length + bytesMax;
    let row = first;
    while (row < end && sink.length < full) {
      let next = row + 1;
      const far = start[row]! + LIMITS.expandWindowBytes;
      while (next < end && start[next] === last[next - 1]! + 1 && last[next]! < far) next++;
      const written = append(sink, { stored: bytes, stencils: this.#stencils, start: start[row]!, end: last[next - 1]! + 1, bytesMax: full - sink.length, isFirst: row === first });
      if (written.rows === 0) break;
      row += written.rows;
    }
    return row;
  }
}

type Appending = StoredRun & { readonly stored: Uint8Array; readonly isFirst: boolean };

/** Some rows of a run, how many, and where the next one begins; none where the next is too long, but for a first one. */
function append(sink: TextSink, { stored, isFirst, ...run }: Appending): { readonly rows: number; readonly end: number } {
  const desk = threadExpander();
  const rows = desk?.writeStored(stored, run) ?? 0;
  if (desk !== null && rows > 0) {
    sink.bytes(desk.bytes, desk.scratch.at, desk.end);
    return { rows, end: desk.read };
  }
  if (!isFirst) return { rows: 0, end: run.start };
  // It is too long for the desk, or there is none.
  const { buffer, byteOffset, length } = stored;
  const bytes = storedBytes(new DataView(buffer, byteOffset, length), run.start, run.end);
  sink.bytes(textOfRow(Buffer.from(buffer, byteOffset + run.start, bytes), run.stencils));
  return { rows: 1, end: run.start + bytes };
}

type WholeText = Places & { readonly bytes: Uint8Array };

/** Where one row after the other is looked at. */
function wholeText(compact: Spelled, rows: number): WholeText {
  // Copies: what it is given is written over by the next.
  const parts: Buffer[] = [];
  const sink = { length: 0, bytes(source: Uint8Array, start = 0, end = source.length): void { parts.push(Buffer.from(source.subarray(start, end))); this.length += end - start; } };
  for (let row = 0; row < rows;) row = compact.appendTo(sink, row, rows, LIMITS.expandScratchBytes);
  const bytes = Buffer.concat(parts);
  return { bytes, ...placesIn(bytes, rows, 0) };
}
