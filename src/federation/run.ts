import type { Chunk } from '../model/chunk.ts';

const NEWLINE = 0x0a;

/** Rows that lie one behind the other: where each begins is looked for only when somebody asks. `mark`: of the first, the next ones' follow it. */
export function chunkOfRun(bytes: Uint8Array, rows: number, { start, end, mark }: { readonly start: number; readonly end: number; readonly mark: number }): Chunk {
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
