import { LIMITS } from '../config/limits.ts';
import type { Chunk, SpelledRows } from '../model/chunk.ts';
import { threadExpander, type StoredRun } from '../segment/expander.ts';
import { SegmentRefused } from '../segment/refused.ts';
import { brokenRow, storedBytes, textOfRow } from '../segment/row_form.ts';
import { placesIn, type Places } from './run.ts';

type Run = NonNullable<Chunk['run']>;

/**
 * Rows that stay where they are stored until their text is sent: it is made a piece at a time. `stored`: they as they are stored, compact; the line end of
 * a row is its last byte. `lane` is told of rows that do not stand as rows are stored, as on a disk that rots: no scan has looked at what they say.
 */
export function chunkOfCompact(stored: Chunk, stencils: Uint8Array, lane: { broke(detail: string): void }): Chunk {
  const compact: StoredRows = stored.run === undefined ? new Apart(stored, stencils) : new Neighbours(stored, stored.run, stencils);
  const { rows, markAt } = stored;
  let whole: WholeText | null | undefined;
  const spell = (first: number, end: number): SpelledRows => {
    try {
      return spelled(compact, first, end);
    } catch (error) {
      if (!(error instanceof SegmentRefused)) throw error;
      if (whole !== null) lane.broke(error.stack ?? error.message);
      whole = null;
      return { bytes: NO_TEXT, next: first };
    }
  };
  const text = (): WholeText | null => (whole === undefined ? whole = wholeText(spell, rows) : whole);
  return {
    get bytes() { return text()!.bytes; },
    get start() { return text()!.start; },
    get end() { return text()!.end; },
    rows,
    markAt,
    identity: null,
    spell,
    isSound: () => text() !== null,
  };
}

const NO_TEXT = new Uint8Array(0);

/** Rows as they are stored: some of them that stand one behind the other, from a row on and before another. */
interface StoredRows {
  readonly stored: Uint8Array;
  readonly stencils: Uint8Array;
  run(row: number, end: number): StoredRun;
  /** Of that run so many rows were spelled; the next one begins there. */
  wasSpelled(row: number, rows: number, next: number): void;
}

function spelled(compact: StoredRows, first: number, end: number): SpelledRows {
  const desk = threadExpander();
  if (desk === null) return alone(compact, first, end);
  let row = first;
  desk.begin();
  while (row < end && desk.roomBytes > LIMITS.expandSpareBytes) {
    const run = compact.run(row, end);
    const rows = desk.writeStored(compact.stored, run, compact.stencils);
    if (rows === 0) break;
    if (row + rows > end) throw brokenRow();
    compact.wasSpelled(row, rows, desk.read);
    row += rows;
  }
  return row === first ? alone(compact, first, end) : { bytes: desk.text(), next: row };
}

/** A row that is too long for the desk, or for which there is none. */
function alone(compact: StoredRows, row: number, end: number): SpelledRows {
  const { buffer, byteOffset, length } = compact.stored;
  const run = compact.run(row, end);
  const bytes = storedBytes(new DataView(buffer, byteOffset, length), run.start, run.end);
  compact.wasSpelled(row, 1, run.start + bytes);
  return { bytes: textOfRow(Buffer.from(buffer, byteOffset + run.start, bytes), compact.stencils), next: row + 1 };
}

/** Rows one behind the other. Where a row begins is only known when the one before it was read, so that they are read in one go. */
class Neighbours implements StoredRows {
  readonly stored: Uint8Array;
  readonly stencils: Uint8Array;
  readonly #rows: number;
  readonly #start: number;
  readonly #end: number;
  /** Where the next row begins. */
  #row = 0;
  #at: number;

  constructor({ bytes, rows }: Chunk, { start, end }: Run, stencils: Uint8Array) {
    this.#rows = rows;
    this.stored = bytes;
    this.stencils = stencils;
    this.#start = this.#at = start;
    this.#end = end + 1;
  }

  run(row: number, end: number): StoredRun {
    if (row !== this.#row) [this.#row, this.#at] = [row, this.#placeOf(row)];
    return { start: this.#at, end: end === this.#rows ? this.#end : this.#placeOf(end) };
  }

  wasSpelled(row: number, rows: number, next: number): void {
    [this.#row, this.#at] = [row + rows, next];
  }

  #placeOf(row: number): number {
    const { buffer, byteOffset, length } = this.stored;
    const view = new DataView(buffer, byteOffset, length);
    let [at, to] = row < this.#row ? [0, this.#start] : [this.#row, this.#at];
    for (; at < row; at++) to += storedBytes(view, to, length);
    return to;
  }
}

/** Rows each by itself. */
class Apart implements StoredRows {
  readonly stored: Uint8Array;
  readonly stencils: Uint8Array;
  readonly #start: Chunk['start'];
  readonly #end: Chunk['end'];

  constructor({ bytes, start, end }: Chunk, stencils: Uint8Array) {
    this.stored = bytes;
    this.stencils = stencils;
    this.#start = start;
    this.#end = end;
  }

  run(row: number, end: number): StoredRun {
    const [starts, ends] = [this.#start, this.#end];
    const start = starts[row]!;
    let next = row + 1;
    while (next < end && starts[next] === ends[next - 1]! + 1 && ends[next]! < start + LIMITS.expandWindowBytes) next++;
    return { start, end: ends[next - 1]! + 1 };
  }

  wasSpelled(): void {}
}

type WholeText = Places & { readonly bytes: Uint8Array };

/** Where one row after the other is looked at; null where one is broken. */
function wholeText(spell: (first: number, end: number) => SpelledRows, rows: number): WholeText | null {
  const parts: Buffer[] = [];
  for (let row = 0; row < rows;) {
    const { bytes, next } = spell(row, rows);
    if (next === row) return null;
    parts.push(Buffer.from(bytes));
    row = next;
  }
  const bytes = Buffer.concat(parts);
  return { bytes, ...placesIn(bytes, rows, 0) };
}
