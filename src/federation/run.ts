import { LIMITS } from '../config/limits.ts';
import type { Chunk } from '../model/chunk.ts';

const NEWLINE = 0x0a;

/** Rows that lie one behind the other: where the first begins and the last ends. `mark`: of the first, the next ones' follow it. */
type Run = { readonly rows: number; readonly start: number; readonly end: number; readonly mark: number };

/** Whether a reply's table tells of rows that lie one behind the other, and not of each: see `pool/protocol`. */
export function isRun(table: Float64Array, rows: number): boolean {
  return rows === 1 || table.length < 3 * rows;
}

/** Such rows, handed out some at a time: up to where one ends of which the table tells it. */
export class RunInParts {
  readonly #table: Float64Array;
  readonly #rows: number;
  #given = 0;

  constructor(table: Float64Array, rows: number) {
    this.#table = table;
    this.#rows = rows;
  }

  get isGiven(): boolean { return this.#given === this.#rows; }

  /** The next rows: as many as are told of and asked for, but the least that can be told. */
  next(rowsMax: number): Run {
    const [table, given] = [this.#table, this.#given];
    const last = table.length - 2;
    const first = Math.floor(given / LIMITS.runPartRows);
    const wanted = given + rowsMax >= this.#rows ? last : Math.floor((given + rowsMax) / LIMITS.runPartRows);
    const part = Math.min(last, Math.max(first + 1, wanted));
    this.#given = part === last ? this.#rows : part * LIMITS.runPartRows;
    return { rows: this.#given - given, start: given === 0 ? table[0]! : table[first]! + 1, end: table[part]!, mark: table[last + 1]! + given };
  }
}

/** Where each of its rows begins is looked for only when somebody asks. */
export function chunkOfRun(bytes: Uint8Array, { rows, start, end, mark }: Run): Chunk {
  let places: Places | null = null;
  const found = (): Places => (places ??= placesIn(bytes.subarray(start, end + 1), rows, start));
  return {
    bytes,
    rows,
    get start() { return found().start; },
    get end() { return found().end; },
    markAt: (row) => mark + row,
    identity: null,
    run: { start, end },
  };
}

export type Places = { readonly start: Float64Array; readonly end: Float64Array };

/** No row holds a line end of its own; where that of one has rotted, two are one, which is none, and an empty one stands at the end of the last. Given the bytes of the rows alone, which begin at `first`: what looks for a byte counts no further than 2 GiB. */
export function placesIn({ buffer, byteOffset, length }: Uint8Array, rows: number, first: number): Places {
  const places = { start: new Float64Array(rows), end: new Float64Array(rows) };
  const lines = Buffer.from(buffer, byteOffset, length);
  for (let row = 0, from = 0; row < rows; row++) {
    const found = lines.indexOf(NEWLINE, from);
    const end = found === -1 ? Math.max(0, length - 1) : found;
    places.start[row] = first + Math.min(from, end);
    places.end[row] = first + end;
    from = end + 1;
  }
  return places;
}
