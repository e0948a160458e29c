import { LIMITS } from '../config/limits.ts';
import type { Chunk, TextSink } from '../model/chunk.ts';
import { threadExpander, type StoredRun } from '../segment/expander.ts';
import { brokenRow, storedBytes, textOfRow } from '../segment/row_form.ts';

/** Where compact rows stand in their segment. Every `end` is that of a last byte. */
type RunPlaces = { readonly rows: number; readonly run: { readonly start: number; readonly end: number; readonly mark: number } };
type ApartPlaces = { readonly rows: number; readonly run?: undefined; readonly start: ArrayLike<number>; readonly end: ArrayLike<number>; readonly mark: ArrayLike<number> };
/** One behind the other, with marks that follow each other, or each by itself. */
export type CompactPlaces = RunPlaces | ApartPlaces;

/** Rows that stay where they are stored until their text is sent: it is made a piece at a time. */
export function chunkOfCompact(stored: Uint8Array, stencils: Uint8Array, places: CompactPlaces): Chunk {
  const compact: Spelled = places.run === undefined ? new Apart(stored, stencils, places) : new Neighbours(stored, stencils, places);
  const { run } = places;
  let whole: WholeText | null = null;
  const text = (): WholeText => (whole ??= wholeText(compact));
  return {
    get bytes() { return text().bytes; },
    get start() { return text().start; },
    get end() { return text().end; },
    rows: places.rows,
    markAt: run === undefined ? (row) => places.mark[row]! : (row) => run.mark + row,
    identity: null,
    appendTo: (sink, first, end, bytesMax) => compact.appendTo(sink, first, end, bytesMax),
  };
}

/** Rows that are spelled from one on. */
interface Spelled {
  readonly rows: number;
  appendTo(sink: TextSink, first: number, end: number, bytesMax: number): number;
}

/** Rows one behind the other. Where a row begins is only known when the one before it was read, so that they are read in one go. */
class Neighbours implements Spelled {
  readonly rows: number;
  readonly #stored: Uint8Array;
  readonly #stencils: Uint8Array;
  readonly #start: number;
  readonly #end: number;
  /** Where the next row begins. */
  #row = 0;
  #at: number;

  constructor(stored: Uint8Array, stencils: Uint8Array, { rows, run: { start, end } }: RunPlaces) {
    this.rows = rows;
    this.#stored = stored;
    this.#stencils = stencils;
    this.#start = this.#at = start;
    this.#end = end + 1;
  }

  appendTo(sink: TextSink, first: number, end: number, bytesMax: number): number {
    if (first !== this.#row) [this.#row, this.#at] = [first, this.#placeOf(first)];
    const stop = end === this.rows ? this.#end : this.#placeOf(end);
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
  readonly rows: number;
  readonly #stored: Uint8Array;
  readonly #stencils: Uint8Array;
  readonly #places: ApartPlaces;

  constructor(stored: Uint8Array, stencils: Uint8Array, places: ApartPlaces) {
    this.rows = places.rows;
    this.#stored = stored;
    this.#stencils = stencils;
    this.#places = places;
  }

  appendTo(sink: TextSink, first: number, end: number, bytesMax: number): number {
    const { start, end: last } = this.#places;
    const full = sink.length + bytesMax;
    let row = first;
    while (row < end && sink.length < full) {
      let next = row + 1;
      const far = start[row]! + LIMITS.expandWindowBytes;
      while (next < end && start[next] === last[next - 1]! + 1 && last[next]! < far) next++;
      const written = append(sink, { stored: this.#stored, stencils: this.#stencils, start: start[row]!, end: last[next - 1]! + 1, bytesMax: full - sink.length, isFirst: row === first });
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

type WholeText = { readonly bytes: Uint8Array; readonly start: Float64Array; readonly end: Float64Array };

/** Where one row after the other is looked at. */
function wholeText(compact: Spelled): WholeText {
  // Copies: what it is given is written over by the next.
  const parts: Buffer[] = [];
  const sink = { length: 0, bytes(source: Uint8Array, start = 0, end = source.length): void { parts.push(Buffer.from(source.subarray(start, end))); this.length += end - start; } };
  const { rows } = compact;
  const places = { start: new Float64Array(rows), end: new Float64Array(rows) };
  for (let row = 0; row < rows;) row = compact.appendTo(sink, row, rows, LIMITS.expandScratchBytes);
  const bytes = Buffer.concat(parts);
  for (let row = 0, from = 0; row < rows; row++) {
    places.start[row] = from;
    places.end[row] = bytes.indexOf(NEWLINE, from);
    from = places.end[row]! + 1;
  }
  return { bytes, ...places };
}

const NEWLINE = 0x0a;
