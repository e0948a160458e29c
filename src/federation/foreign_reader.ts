import type { FacetCounts } from '../model/answer.ts';
import type { Chunk } from '../model/chunk.ts';
import type { ForeignLane } from '../plan/plan.ts';
import { TABLE_WIDTH, type RowsMessage } from '../pool/foreign_protocol.ts';
import type { ForeignScan } from '../pool/foreign_scan.ts';
import { placeText } from '../sources/place.ts';
import type { CallContext, LaneEnd, LaneFailure, LaneReader } from './lane_reader.ts';

/** Reads a source that is no lake, piece by piece. */
export class ForeignReader implements LaneReader {
  readonly lane: ForeignLane;
  ended: LaneEnd | null = null;
  matched: number | null = null;
  facets: readonly FacetCounts[] | null = null;
  readonly #context: CallContext;
  #scan: ForeignScan | null = null;

  constructor(lane: ForeignLane, context: CallContext) {
    this.lane = lane;
    this.#context = context;
    context.onGone(() => this.#scan?.close());
  }

  get failure(): LaneFailure | null { return this.#scan?.end?.failure ?? null; }
  get tookMs(): number { return this.#scan?.tookMs ?? 0; }

  async next(rowsMax: number): Promise<Chunk | null> {
    if (this.ended !== null) return null;
    this.#scan ??= this.#begin(rowsMax);
    const piece = this.lane.done ? null : await this.#scan.next();
    if (piece === null) {
      this.ended = this.#scan.end?.why ?? 'end';
      return null;
    }
    if (piece.last) this.ended = 'end';
    return chunkOf(piece, this.#context.identities);
  }

  async settle(): Promise<void> {
    if (this.#scan === null) return;
    const { matched, facets } = await this.#scan.counted();
    this.matched = matched;
    this.facets = facets;
    this.#scan.close();
  }

  #begin(rowsMax: number): ForeignScan {
    const { foreign, query, order, identities, deadlineMs, copy } = this.#context;
    return foreign.scan(this.lane.source, {
      order,
      after: this.lane.after,
      filters: query.filters,
      terms: query.terms,
      fields: query.fields,
      rowsMax: this.lane.done ? 0 : rowsMax,
      whole: query.delivery === 'stream' && (copy || query.limit > rowsMax),
      identities,
      count: query.count === 'exact',
      facets: query.facets,
      deadlineMs,
    });
  }
}

/** The columns of a piece's table: see `pool/foreign_protocol`. */
function chunkOf({ rows, table, bytes }: RowsMessage, identities: boolean): Chunk {
  const column = (at: number): Float64Array => Float64Array.from({ length: rows }, (_, row) => table[row * TABLE_WIDTH + at]!);
  const keyStart = column(4);
  const keyEnd = column(5);
  const markAt = (row: number): string => placeText({
    phase: table[row * TABLE_WIDTH + 2]!,
    seen: table[row * TABLE_WIDTH + 3]!,
    key: Buffer.from(bytes.buffer, bytes.byteOffset + keyStart[row]!, keyEnd[row]! - keyStart[row]!).toString(),
  });
  return { bytes, rows, start: column(0), end: column(1), markAt, identity: identities ? { class: column(6), start: keyStart, end: keyEnd } : null };
}
