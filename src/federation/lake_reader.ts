import { LIMITS } from '../config/limits.ts';
import type { Chunk } from '../model/chunk.ts';
import type { LakeLane } from '../plan/plan.ts';
import type { FacetCounts } from '../model/answer.ts';
import type { ScanReply } from '../pool/protocol.ts';
import type { Later, ScanResult } from '../pool/scan_queue.ts';
import { joinedText, type PageText } from './page_text.ts';
import { chunkOfRun } from './run.ts';
import { foundUnder } from './suppression.ts';
import type { CallContext, LaneEnd, LaneFailure, LaneReader } from './lane_reader.ts';

const DONE = Promise.resolve();

type Scanned = Extract<ScanReply, { readonly ok: true }>;

/**
 * Reads a sealed part of a lake, slice by slice. At most one slice of rows is under way, and beside it one of the tally where that did not
 * fit the first: rows never wait for the total and the facets, which `settle` does.
 */
export class LakeReader implements LaneReader {
  readonly lane: LakeLane;
  readonly overcounts = false;
  readonly undercounts = false;
  readonly dropped = 0;
  readonly #context: CallContext;
  /** Where the last row that was asked for stands. */
  #after: number;
  ended: LaneEnd | null = null;
  failure: LaneFailure | null = null;
  uncounted: Exclude<LaneEnd, 'end'> | null = null;
  matched: number | null = null;
  facets: readonly FacetCounts[] | null = null;
  tookMs = 0;
  /** Slices in a row that brought no row: the scan waits behind those that had fewer. */
  #barren = 0;
  #tally: Promise<void> | null = null;
  /** Of a slice of rows that stay where they are: what is dear to find, or to bring from a disk, comes in small ones, so that a scan thread is not held. */
  #inPlaceBytes: number = LIMITS.chunkInPlaceBytes;

  constructor(lane: LakeLane, context: CallContext) {
    this.lane = lane;
    this.#context = context;
    this.#after = lane.after;
  }

  /** The next rows, at least one; null once the lane has ended. The first slice also counts, where that is asked for, even when the rows are all read. */
  next(rowsMax: number, bytesMax: number = this.#inPlace ? this.#inPlaceBytes : LIMITS.chunkBytes): Promise<Chunk | null> {
    return this.#next({ rowsMax, bytesMax, text: false }, (reply, epoch) => foundUnder(epoch, this.#chunk(reply)));
  }

  /** The same as text, which whoever gets it releases. */
  nextText(rowsMax: number): Promise<PageText | null> {
    return this.#next({ rowsMax, bytesMax: LIMITS.pageBytesMax, text: true }, (reply) => (
      reply.text === null ? joinedText(this.#chunk(reply)) : { ...reply.text, rows: reply.rows, mark: reply.after }
    ));
  }

  async #next<T>({ rowsMax, bytesMax, text }: { readonly rowsMax: number; readonly bytesMax: number; readonly text: boolean }, read: (reply: Scanned, epoch: number) => T): Promise<T | null> {
    while (this.ended === null) {
      const first = this.#tally === null;
      if (this.lane.done && (!first || !this.#mustCount)) this.ended = 'end';
      else {
        const { epoch } = this.#context.pool;
        const reply = this.#take(await this.#scan(this.lane.done ? 0 : rowsMax, bytesMax, { first, text }), first);
        if (reply !== null) return read(reply, epoch);
      }
    }
    return null;
  }

  get #inPlace(): boolean {
    return this.lane.segment.rowBytes !== null;
  }

  settle(): Promise<void> {
    return this.#tally ?? DONE;
  }

  get #mustCount(): boolean {
    const { count, facets } = this.#context.query;
    return count === 'exact' || facets.length > 0;
  }

  #scan(rowsMax: number, bytesMax: number, { first, text = false }: { readonly first: boolean; readonly text?: boolean }, later: Later | null = this.#later()): Promise<ScanResult> {
    const { pool, lease, query, order, identities, deadlineMs } = this.#context;
    return pool.scan({
      segment: this.lane.segment.mount,
      deadlineMs,
      filters: query.filters,
      terms: query.terms,
      order,
      after: this.#after,
      rowsMax,
      bytesMax,
      copy: !this.#inPlace,
      text,
      identities,
      count: first && query.count === 'exact',
      facets: first ? query.facets : [],
    }, lease, later);
  }

  #later(): Later | null {
    return this.#barren === 0 ? null : { slices: this.#barren, heldBy: null };
  }

  /** The reply, where it has rows. */
  #take(result: ScanResult, first: boolean): Scanned | null {
    if (!result.ok && this.lane.done) {
      // Its rows have all been given: what is missing is their number.
      this.ended = 'end';
      this.uncounted = result.code === 'timed_out' ? 'deadline' : 'failed';
      this.#tally ??= DONE;
      return null;
    }
    if (!result.ok) {
      this.ended = result.code === 'timed_out' ? 'deadline' : 'failed';
      this.failure = result.code === 'timed_out' ? null : result.code;
      this.#tally ??= DONE;
      return null;
    }
    this.tookMs += result.tookMs;
    this.#after = result.after;
    if (first) this.#tally = this.#tallyOn(result);
    if (this.lane.done) this.ended = 'end';
    else if (result.stop !== 'full') this.ended = result.stop;
    this.#barren = result.rows === 0 ? this.#barren + 1 : 0;
    this.#inPlaceBytes = result.tookMs < LIMITS.sliceMs / 2 ? Math.min(2 * this.#inPlaceBytes, LIMITS.chunkInPlaceBytesMax) : LIMITS.chunkInPlaceBytes;
    return result.rows === 0 ? null : result;
  }

  /** Asks until the tally is done, beside the rows. */
  async #tallyOn(begun: Scanned): Promise<void> {
    let reply = begun;
    for (let slices = 1; reply.tally === 'unfinished'; slices += 1) {
      const result = await this.#scan(0, 0, { first: true }, { slices, heldBy: reply.heldBy });
      if (!result.ok) {
        this.uncounted = result.code === 'timed_out' ? 'deadline' : 'failed';
        return;
      }
      this.tookMs += result.tookMs;
      reply = result;
    }
    this.matched = reply.matched;
    this.facets = reply.facets;
    if (reply.tally === 'deadline' || reply.tally === 'cancelled') this.uncounted = reply.tally;
  }

  #chunk(reply: Scanned): Chunk {
    const bytes = reply.bytes ?? this.lane.segment.rowBytes;
    if (bytes === null) throw new Error('a scan left rows in a segment whose rows are not in memory');
    return readTable(reply.table, reply.rows, bytes, this.#context.identities);
  }
}

const RUN_NUMBERS = 3;

/** The columns of a reply's table, where they lie: see `pool/protocol`. */
function readTable(table: Float64Array, rows: number, bytes: Uint8Array, identities: boolean): Chunk {
  if (table.length === RUN_NUMBERS) return chunkOfRun(bytes, rows, { start: table[0]!, end: table[1]!, mark: table[2]! });
  const column = (at: number): Float64Array => table.subarray(at * rows, (at + 1) * rows);
  const mark = column(2);
  const identity = identities ? { class: column(3), start: column(4), end: column(5) } : null;
  return { bytes, rows, start: column(0), end: column(1), markAt: (row) => mark[row]!, identity };
}
