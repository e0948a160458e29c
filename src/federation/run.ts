import type { Chunk } from '../model/chunk.ts';

const NEWLINE = 0x0a;

/** Rows that lie one behind the other: where each begins is looked for only when somebody asks. `mark`: of the first, the next ones' follow it. */
export function chunkOfRun(bytes: Uint8Array, rows: number, { start, end, mark }: { readonly start: number; readonly end: number; readonly mark: number }): Chunk {
  let table: Float64Array | null = null;
  const column = (at: number): Float64Array => (table ??= tableOf(bytes, rows, start)).subarray(at * rows, (at + 1) * rows);
  return {
    bytes,
    rows,
    get start() { return column(0); },
    get end() { return column(1); },
    markAt: (row) => mark + row,
    identity: null,
    run: { start, end },
  };
}

/** Starts, then ends: no row holds a line end of its own. */
function tableOf(bytes: Uint8Array, rows: number, start: number): Float64Array {
  const table = new Float64Array(2 * rows);
  const lines = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let row = 0, from = start; row < rows; row++) {
    const end = lines.indexOf(NEWLINE, from);
    table[row] = from;
    table[rows + row] = end;
    from = end + 1;
  }
  return table;
}
