import { LIMITS } from '../config/limits.ts';
import type { Chunk } from '../model/chunk.ts';
import type { LakeLane } from '../plan/plan.ts';
import type { FacetCounts } from '../model/answer.ts';
import type { ScanReply } from '../pool/protocol.ts';
import type { ScanResult } from '../pool/scan_pool.ts';
import { foundUnder } from './suppression.ts';
import type { CallContext, LaneEnd, LaneFailure, LaneReader } from './lane_reader.ts';

/** Reads a sealed part of a lake, slice by slice. At most one slice is under way. */
export class LakeReader implements LaneReader {
  readonly lane: LakeLane;
  readonly overcounts = false;
  readonly #context: CallContext;
  /** Where the last row that was asked for stands. */
  #after: number;
  ended: LaneEnd | null = null;
  failure: LaneFailure | null = null;
  matched: number | null = null;
  facets: readonly FacetCounts[] | null = null;
  tookMs = 0;
  #counted = false;

  constructor(lane: LakeLane, context: CallContext) {
    this.lane = lane;
    this.#context = context;
    this.#after = lane.after;
  }

  /** The next rows, at least one; null once the lane has ended. The first slice also counts, where that is asked for, even when the rows are all read. */
  async next(rowsMax: number, bytesMax: number = LIMITS.chunkBytes): Promise<Chunk | null> {
    while (this.ended === null) {
      const first = !this.#counted;
      if (this.lane.done && (!first || !this.#mustCount)) this.ended = 'end';
      else {
        const { epoch } = this.#context.pool;
        const chunk = this.#take(await this.#scan(this.lane.done ? 0 : rowsMax, bytesMax, first));
        if (chunk !== null) return foundUnder(epoch, chunk);
      }
    }
    return null;
  }

  /** The first slice has counted, and a slice that nobody asks for is not read. */
  settle(): Promise<void> {
    return Promise.resolve();
  }

  get #mustCount(): boolean {
    const { count, facets } = this.#context.query;
    return count === 'exact' || facets.length > 0;
  }

  #scan(rowsMax: number, bytesMax: number, first: boolean): Promise<ScanResult> {
    const { pool, lease, query, order, identities, deadlineMs, copy } = this.#context;
    this.#counted = true;
    return pool.scan({
      segment: this.lane.segment.mount,
      deadlineMs,
      filters: query.filters,
      terms: query.terms,
      order,
      after: this.#after,
      rowsMax,
      bytesMax,
      copy: copy || this.lane.segment.rowBytes === null,
      identities,
      count: first && query.count === 'exact',
      facets: first ? query.facets : [],
    }, lease);
  }

  #take(result: ScanResult): Chunk | null {
    if (!result.ok) {
      this.ended = result.code === 'timed_out' ? 'deadline' : 'failed';
      this.failure = result.code === 'timed_out' ? null : result.code;
      return null;
    }
    this.tookMs += result.tookMs;
    this.matched ??= result.matched;
    this.facets ??= result.facets;
    this.#after = result.after;
    if (result.stop !== 'full') this.ended = result.stop;
    else if (this.lane.done) this.ended = 'end';
    return result.rows === 0 ? null : this.#chunk(result);
  }

  #chunk(reply: ScanReply & { ok: true }): Chunk {
    const bytes = reply.bytes ?? this.lane.segment.rowBytes;
    if (bytes === null) throw new Error('a scan left rows in a segment whose rows are not in memory');
    return readTable(reply.table, reply.rows, bytes, this.#context.identities);
  }
}

/** The columns of a reply's table: see `pool/protocol`. Plain arrays: a typed one of more than 64 bytes has its memory outside of the heap, and costs ten times as much. */
function readTable(table: Float64Array, rows: number, bytes: Uint8Array, identities: boolean): Chunk {
  const start: number[] = [];
  const end: number[] = [];
  const mark: number[] = [];
  const identity = identities ? { class: [] as number[], start: [] as number[], end: [] as number[] } : null;
  let at = 0;
  for (let row = 0; row < rows; row += 1) {
    start.push(table[at]!);
    end.push(table[at + 1]!);
    mark.push(table[at + 2]!);
    at += 3;
    if (identity !== null) {
      identity.class.push(table[at]!);
      identity.start.push(table[at + 1]!);
      identity.end.push(table[at + 2]!);
      at += 3;
    }
  }
  return { bytes, rows, start, end, markAt: (row) => mark[row]!, identity };
}
