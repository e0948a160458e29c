import type { Chunk } from '../model/chunk.ts';
import type { RowOrder } from '../model/query.ts';
import type { LakeLane } from '../plan/plan.ts';
import type { ScanReply } from '../pool/protocol.ts';
import type { ScanResult } from '../pool/scan_queue.ts';
import { chunkOfCompact } from './compact_chunk.ts';
import { chunkOfRun, isRun, RunInParts } from './run.ts';

type Scanned = Extract<ScanReply, { readonly ok: true }>;
/** `broke`: told of rows that have rotted where they are stored. */
type Reader = { readonly lane: LakeLane; broke(detail: string): void };

/** The rows that a scan found, all together, or some at a time where they lie one behind the other. */
export class SliceRows {
  readonly #reply: Scanned;
  readonly #reader: Reader;
  readonly #bytes: Uint8Array;
  readonly #run: RunInParts | null;

  constructor(reply: Scanned, reader: Reader, order: RowOrder) {
    const { rowBytes } = reader.lane.segment;
    if (reply.bytes === null && rowBytes === null) throw new Error('a scan left rows in a segment whose rows are not in memory');
    this.#reply = reply;
    this.#reader = reader;
    this.#bytes = reply.bytes ?? rowBytes!;
    this.#run = order === 'stored' && isRun(reply.table, reply.rows) ? new RunInParts(reply.table, reply.rows) : null;
  }

  all(): Chunk {
    const { table, rows } = this.#reply;
    return this.#run === null ? this.#formed(chunkOfTable(table, rows, this.#bytes)) : this.next(rows);
  }

  /** Of a run: so many, or the least that can be told. */
  next(rowsMax: number): Chunk {
    return this.#formed(chunkOfRun(this.#bytes, this.#run!.next(rowsMax)));
  }

  get isGiven(): boolean { return this.#run!.isGiven; }

  #formed(chunk: Chunk): Chunk {
    const { stencils } = this.#reader.lane.segment;
    return this.#reply.bytes === null && stencils !== null ? chunkOfCompact(chunk, stencils, this.#reader) : chunk;
  }
}

/** More rows than were wanted are asked for where they probably lie one behind the other. Where they do not, those beyond are looked for again: none wait in a list. */
export function withinRows(result: ScanResult, rowsMax: number): ScanResult {
  if (!result.ok || result.rows <= rowsMax || isRun(result.table, result.rows)) return result;
  const { table, rows } = result;
  const own = new Float64Array(3 * rowsMax);
  for (let column = 0; column < 3; column++) own.set(table.subarray(column * rows, column * rows + rowsMax), column * rowsMax);
  return { ...result, rows: rowsMax, table: own, stop: 'full', after: own.at(-1)! };
}

/** The columns of a reply's table, where they lie: see `pool/protocol`. Those of identity are there in its order. */
function chunkOfTable(table: Float64Array, rows: number, bytes: Uint8Array): Chunk {
  const column = (at: number): Float64Array => table.subarray(at * rows, (at + 1) * rows);
  const mark = column(2);
  const identity = table.length > 3 * rows ? { class: column(3), start: column(4), end: column(5) } : null;
  return { bytes, rows, start: column(0), end: column(1), markAt: (row) => mark[row]!, identity };
}
