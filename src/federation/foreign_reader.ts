import { LIMITS } from '../config/limits.ts';
import type { FacetCounts } from '../model/answer.ts';
import type { Chunk } from '../model/chunk.ts';
import { staleCursor } from '../model/errors.ts';
import type { Filter } from '../model/filter.ts';
import type { RowOrder } from '../model/query.ts';
import type { SharedSuppressions } from '../model/suppression/suppressions.ts';
import type { ForeignLane } from '../plan/plan.ts';
import type { ForeignRequest, RowsMessage } from '../pool/foreign_protocol.ts';
import type { ForeignScan } from '../pool/foreign_scan.ts';
import { placeText } from '../sources/place.ts';
import { withRecounted } from './facets.ts';
import { foundUnder } from './suppression.ts';
import type { CallContext, LaneEnd, LaneFailure, LaneReader } from './lane_reader.ts';

/** Reads a source that is no lake, piece by piece. */
export class ForeignReader implements LaneReader {
  readonly lane: ForeignLane;
  ended: LaneEnd | null = null;
  uncounted: LaneReader['uncounted'] = null;
  matched: number | null = null;
  facets: readonly FacetCounts[] | null = null;
  overcounts = false;
  undercounts = false;
  readonly #context: CallContext;
  readonly #suppressions: SharedSuppressions | null;
  /** The mount at each of the last calls of `next`, so many as may lie between the beginning of a piece and its coming. */
  readonly #asked: number[] = [];
  #scan: ForeignScan | null = null;
  /** No row more is wanted: one that was asked for ahead may come or not. */
  #settled = false;
  #closed = false;

  constructor(lane: ForeignLane, context: CallContext) {
    this.lane = lane;
    this.#context = context;
    this.#suppressions = context.pool.suppressions;
    context.onGone(() => this.close());
  }

  get dropped(): number { return this.#scan?.dropped ?? 0; }
  /** They are stored nowhere: each was put together as it came. */
  drop(): never { throw new Error('a row that came from a source is no row'); }
  /** A scan that brought all rows and then failed has lost none: it only did not count. */
  get failure(): LaneFailure | null {
    if (this.ended === 'failed') return this.#scan?.end?.failure ?? null;
    return this.#scan?.incomplete === true ? 'incomplete' : null;
  }

  get tookMs(): number { return this.#scan?.tookMs ?? 0; }

  async next(rowsMax: number): Promise<Chunk | null> {
    if (this.ended !== null) return null;
    if (this.#closed && this.#scan === null) {
      this.ended = 'cancelled';
      return null;
    }
    if (this.lane.done) {
      this.ended = 'end';
      if (this.#mustCount) this.#scan = this.#begin(0);
      return null;
    }
    if (this.#asked.push(this.#context.pool.epoch) > 2 + LIMITS.foreignPiecesAhead) this.#asked.shift();
    this.#scan ??= this.#begin(rowsMax);
    const piece = await this.#scan.next();
    if (piece === null) {
      // It would fail so on every page to come.
      if (this.#scan.end?.failure === 'changed') throw staleCursor();
      if (!this.#settled) this.ended = this.#scan.end?.why ?? 'end';
      return null;
    }
    if (piece.last) this.ended = 'end';
    return foundUnder(this.#gatheredUnder(), chunkOf(piece, this.#context.order));
  }

  /** A piece is begun when the one before it has gone, which may be as many calls ago as pieces are sent ahead. Sets that were exchanged are not seen over there. */
  #gatheredUnder(): number {
    if (this.#context.pool.suppressions !== this.#suppressions) return Number.NaN;
    return this.#asked[0]!;
  }

  /** One that has not begun never will. */
  close(): void {
    this.#closed = true;
    this.#scan?.close();
  }

  async settle(): Promise<void> {
    this.#settled = true;
    if (this.#scan === null) return;
    const { matched, atMost, atLeast, facets, missed } = await this.#scan.counted();
    if (this.#mustCount) this.uncounted = missed;
    this.matched = matched;
    this.overcounts = atMost;
    this.undercounts = atLeast;
    this.facets = facets;
    this.#scan.close();
  }

  /** What it could not count again is told as not counted at all. */
  async recount(name: string, filter: Filter, isWanted: (value: string) => boolean): Promise<void> {
    const { query, onGone } = this.#context;
    const scan = this.#begin(0, { filters: [...query.filters, filter], count: false, facets: [name] });
    onGone(() => scan.close());
    const { facets, missed } = await scan.counted();
    scan.close();
    this.uncounted ??= missed;
    this.facets = withRecounted(this.facets!, name, facets, isWanted);
  }

  get #mustCount(): boolean {
    const { count, facets } = this.#context.query;
    return count === 'exact' || facets.length > 0;
  }

  /** `rowsMax` 0 only counts. */
  #begin(rowsMax: number, change: Partial<Pick<ForeignRequest, 'filters' | 'count' | 'facets'>> = {}): ForeignScan {
    const { foreign, query, order, deadlineMs } = this.#context;
    return foreign.scan(this.lane.source, {
      order,
      after: this.lane.after,
      filters: query.filters,
      terms: query.terms,
      fields: query.fields,
      suppressions: this.#suppressions,
      rowsMax,
      whole: query.delivery === 'stream' && (order === 'stored' || query.limit > rowsMax),
      ...(query.limit < Number.MAX_SAFE_INTEGER && { rowsEnough: query.limit }),
      count: query.count === 'exact',
      facets: query.facets,
      deadlineMs,
      hops: [...query.hops ?? [], foreign.gateway],
      ...change,
    });
  }
}

/** The columns of a piece's table, where they lie: see `pool/foreign_protocol`. */
function chunkOf({ rows, table, bytes }: RowsMessage, order: RowOrder): Chunk {
  const column = (at: number): Float64Array => table.subarray(at * rows, (at + 1) * rows);
  const [phase, seen, keyStart, keyEnd] = [column(2), column(3), column(4), column(5)];
  const markAt = (row: number): string => placeText({
    phase: phase[row]!,
    seen: seen[row]!,
    key: Buffer.from(bytes.buffer, bytes.byteOffset + keyStart[row]!, keyEnd[row]! - keyStart[row]!).toString(),
  });
  return { bytes, rows, start: column(0), end: column(1), markAt, identity: order === 'identity' ? { class: column(6), start: keyStart, end: keyEnd } : null };
}
