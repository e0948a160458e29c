import { LIMITS } from '../config/limits.ts';
import { RowShape, rowLayout } from '../encode/rows.ts';
import { monotonicMs } from '../lib/clock.ts';
import type { Chunk } from '../model/chunk.ts';
import type { RowOrder } from '../model/query.ts';
import type { CatalogSegment } from '../plan/catalog.ts';
import type { LakeLane } from '../plan/plan.ts';
import type { FacetCounts } from '../model/answer.ts';
import type { Filter } from '../model/filter.ts';
import type { PageForm, ScanReply, ScanRequest } from '../pool/protocol.ts';
import type { Later, ScanListener, ScanResult } from '../pool/scan_queue.ts';
import type { HeldText } from '../pool/tray_protocol.ts';
import { cutText, joinedText, type PageText } from './page_text.ts';
import { withRecounted } from './facets.ts';
import { isRun } from './run.ts';
import { SliceRows, withinRows } from './slice_rows.ts';
import { SliceSize } from './slice_size.ts';
import { foundUnder } from './suppression.ts';
import type { CallContext, LaneEnd, LaneFailure, LaneReader } from './lane_reader.ts';

const DONE = Promise.resolve();
const NO_SEGMENTS: readonly string[] = [];
const NONE_BESIDE: readonly LakeReader[] = [];

type Scanned = Extract<ScanReply, { readonly ok: true }>;
/** `epoch`: the mount under which it was asked for. */
type Slice = { readonly epoch: number; readonly result: Promise<ScanResult> };
type Lost = Extract<ScanResult, { readonly ok: false }>;
/** Rows that have come and are handed on in parts; `ended`: how the lane has ended once they all are. */
type Held = { readonly epoch: number; readonly rows: SliceRows; readonly ended: LaneEnd | null };

/**
 * Reads a sealed part of a lake, slice by slice. At most one slice of rows is under way, and beside it one of the tally where that did not
 * fit the first: rows never wait for the total and the facets, which `settle` does.
 */
export class LakeReader implements LaneReader {
  readonly lane: LakeLane;
  readonly overcounts = false;
  readonly undercounts = false;
  dropped = 0;
  readonly #context: CallContext;
  /** Where the scan stands: the next slice begins behind it. */
  #after: number;
  ended: LaneEnd | null = null;
  failure: LaneFailure | null = null;
  uncounted: Exclude<LaneEnd, 'end'> | null = null;
  matched: number | null = null;
  facets: readonly FacetCounts[] | null = null;
  tookMs = 0;
  /** Slices in a row that brought no row: the scan waits behind those that had fewer. */
  #barren = 0;
  /** The count of all matches and of the facets; null until the first slice has come. */
  #tally: Promise<void> | null = null;
  /** The next slice, where it was asked for before anybody wanted it. */
  #ahead: Slice | null = null;
  /** Rows of all slices. */
  #given = 0;
  /** Rows that were asked for as text and came as ever. */
  #unread: Chunk | null = null;
  /** Of a slice of which not all rows were asked for yet. */
  #held: Held | null = null;
  readonly #size: SliceSize;

  constructor(lane: LakeLane, context: CallContext) {
    this.lane = lane;
    this.#context = context;
    this.#after = lane.after;
    this.#size = new SliceSize({ inPlace: this.#inPlace, merged: this.#isMerged, streams: context.query.delivery === 'stream' });
  }

  /** Whether there is anything to ask for: where the rows were all read before, their number. */
  goesOn(): boolean {
    if (this.ended === null && this.lane.done && (this.#tally !== null || !this.#mustCount)) this.ended = 'end';
    return this.ended === null;
  }

  /** The next rows, at least one; null once the lane has ended. The first slice also counts, where that is asked for, even when the rows are all read. */
  async next(rowsMax: number, bytesMax: number = this.#size.bytes): Promise<Chunk | null> {
    const unread = this.#unread;
    this.#unread = null;
    if (unread !== null) return unread;
    if (this.#held !== null) return this.#part(this.#held, rowsMax);
    while (this.goesOn()) {
      const { epoch, result } = this.#ahead ?? this.#ask(rowsMax, bytesMax);
      this.#ahead = null;
      const reply = this.#take(this.#isMerged ? await result : withinRows(await result, rowsMax));
      if (reply === null) continue;
      this.#given += reply.rows;
      if (this.#readsAhead) this.#ahead = this.#ask(rowsMax, bytesMax);
      if (this.#isMerged || reply.rows <= rowsMax) return foundUnder(epoch, this.#chunk(reply));
      this.#held = { epoch, rows: new SliceRows(reply, this, 'stored'), ended: this.ended };
      this.ended = null;
      return this.#part(this.#held, rowsMax);
    }
    return null;
  }

  #ask(rowsMax: number, bytesMax: number): Slice {
    const { pool, query } = this.#context;
    const rows = this.#size.rows(rowsMax, query.limit - this.#given);
    return { epoch: pool.epoch, result: pool.scan(this.#rowsAsked(rows, bytesMax, 'rows'), this.#later()) };
  }

  #part({ epoch, rows, ended }: Held, rowsMax: number): Chunk {
    const chunk = rows.next(rowsMax);
    if (rows.isGiven) {
      this.#held = null;
      this.ended = ended;
    }
    return foundUnder(epoch, chunk);
  }

  /** Whoever merges a stream takes up a slice whole before he asks for the next: this is looked for meanwhile. What came is told when it is taken up. */
  get #readsAhead(): boolean {
    return this.#isMerged && this.#given < this.#context.query.limit && this.goesOn();
  }

  get #isMerged(): boolean {
    const { query: { delivery }, order } = this.#context;
    return delivery === 'stream' && order === 'identity';
  }

  /** Asks for the next rows as text, of a lane that goes on. The listener gets them by `takeText`. */
  askText(rowsMax: number, listener: ScanListener): void {
    this.#context.pool.ask(this.#rowsAsked(rowsMax, LIMITS.pageBytesMax, this.#context.form), this.#later(), listener);
  }

  /** What was asked for, at least one row, which whoever gets it releases; null where the slice brought none, or rows that are no text: see `hasUnread`. */
  takeText(result: ScanResult): PageText | null {
    const reply = this.#take(result);
    if (reply === null) return null;
    const text = reply.text ?? this.#joined(reply);
    return text === null ? null : { text, rows: reply.rows, mark: reply.after };
  }

  /** Whether rows have come that are no text, though such was asked for: `next` gives them. */
  get hasUnread(): boolean { return this.#unread !== null; }

  /** The same for whoever waits; of a lane that has ended nothing is asked. `beside`: readers of small segments, whose totals the same scan may tell. */
  async nextText(rowsMax: number, beside: readonly LakeReader[] = NONE_BESIDE): Promise<PageText | null> {
    if (!this.goesOn()) return null;
    const asked = this.#rowsAsked(rowsMax, LIMITS.pageBytesMax, this.#context.form);
    const request = beside.length === 0 ? asked : { ...asked, beside: beside.map(mountOf) };
    const result = await this.#context.pool.scan(request, this.#later());
    if (result.ok && result.beside !== null) for (const [at, reader] of beside.entries()) reader.#told(result.beside[at]!);
    return this.takeText(result);
  }

  /** What the scan of another segment told beside its own. */
  #told(matched: number): void {
    this.matched = matched;
    this.#tally = DONE;
    if (this.lane.done) this.ended = 'end';
  }

  /** Whether `settle` has nothing to wait for. */
  get settled(): boolean {
    return this.#tally === null || this.#tally === DONE;
  }

  settle(): Promise<void> {
    return this.#tally ?? DONE;
  }

  /** Where it fails the facet counts as missing here: what is told of it would be too little. */
  async recount(name: string, filter: Filter, isWanted: (value: string) => boolean): Promise<void> {
    const request = this.#asked(0, 0, { form: 'rows', counts: false });
    const counted = await this.#tallied({ ...request, filters: [...request.filters, filter], facets: [name] }, null);
    if (counted !== null && (counted.tally === 'deadline' || counted.tally === 'cancelled')) this.uncounted = counted.tally;
    this.facets = withRecounted(this.facets!, name, counted?.facets ?? null, isWanted);
  }

  /** Rows that had come, and whose text could not be made here, are as a scan that failed. */
  broke(detail: string): void {
    this.#held = null;
    this.ended = 'failed';
    this.failure = 'scan_crashed';
    this.#context.pool.tellBroken(this.lane.segment.mount, detail);
  }

  drop(): void {
    this.dropped += 1;
    this.#context.pool.tellBroken(this.lane.segment.mount, 'a row has rotted where it is stored');
  }

  /** Its scans end with the lease. */
  close(): void {}

  get #inPlace(): boolean {
    return mayStay(this.lane.segment, this.#context.order);
  }

  get #mustCount(): boolean {
    const { count, facets } = this.#context.query;
    return count === 'exact' || facets.length > 0;
  }

  /** The first also counts. */
  #rowsAsked(rowsMax: number, bytesMax: number, form: PageForm): ScanRequest {
    return this.#asked(this.lane.done ? 0 : rowsMax, bytesMax, { form, counts: this.#tally === null });
  }

  #asked(rowsMax: number, bytesMax: number, { form, counts }: { readonly form: PageForm; readonly counts: boolean }): ScanRequest {
    const { lease, query, order, deadlineMs } = this.#context;
    return {
      segment: this.lane.segment.mount,
      slot: lease.slot,
      ticket: lease.ticket,
      deadlineMs: deadlineMs - LIMITS.scanMarginMs,
      filters: query.filters,
      terms: query.terms,
      order,
      after: this.#after,
      rowsMax,
      bytesMax,
      copy: !this.#inPlace,
      form,
      fields: form === 'rows' ? null : query.fields,
      count: counts && query.count === 'exact',
      facets: counts ? query.facets : [],
      beside: NO_SEGMENTS,
    };
  }

  #later(): Later | null {
    return this.#barren === 0 ? null : { slices: this.#barren, heldBy: null };
  }

  /** The reply, where it has rows. */
  #take(result: ScanResult): Scanned | null {
    if (!result.ok) {
      // Where its rows have all been given what is missing is their number.
      this.ended = this.lane.done ? 'end' : endOf(result.code);
      if (this.lane.done) this.uncounted = endOf(result.code);
      else if (result.code !== 'timed_out') this.failure = result.code;
      this.#tally ??= DONE;
      return null;
    }
    this.tookMs += result.tookMs;
    const moved = result.after !== this.#after;
    this.#after = result.after;
    this.#tally ??= result.tally === 'unfinished' ? this.#tallyOn(result) : this.#count(result);
    if (this.lane.done) this.ended = 'end';
    else if (result.stop !== 'full') this.ended = result.stop;
    this.#barren = result.rows === 0 && moved ? this.#barren + 1 : 0;
    this.#size.came(result.tookMs, result.rows > 1 && isRun(result.table, result.rows), monotonicMs());
    return result.rows === 0 ? null : result;
  }

  #chunk(reply: Scanned): Chunk {
    return new SliceRows(reply, this, this.#context.order).all();
  }

  /** Only JSON is made here at once: of what cannot be made on a desk a row takes 20 us. */
  #joined(reply: Scanned): HeldText | null {
    const { query, vocabulary, form, pool } = this.#context;
    const chunk = this.#chunk(reply);
    if (form !== 'json') {
      this.#unread = foundUnder(pool.epoch, chunk);
      return null;
    }
    if (chunk.isSound?.() === false) return null;
    return query.fields === null ? joinedText(chunk) : cutText(chunk, new RowShape(rowLayout(vocabulary), query.fields));
  }

  async #tallyOn({ heldBy }: Scanned): Promise<void> {
    const counted = await this.#tallied(this.#asked(0, 0, { form: 'rows', counts: true }), heldBy);
    if (counted !== null) await this.#count(counted);
  }

  /** Asks until the tally is done, beside the rows; null where it cannot be. */
  async #tallied(request: ScanRequest, heldBy: number | null): Promise<Scanned | null> {
    for (let slices = 1, held = heldBy; ; slices += 1) {
      const result = await this.#context.pool.scan(request, { slices, heldBy: held });
      if (!result.ok) {
        this.uncounted = endOf(result.code);
        return null;
      }
      this.tookMs += result.tookMs;
      held = result.heldBy;
      if (result.tally !== 'unfinished') return result;
    }
  }

  #count({ matched, facets, tally }: Scanned): Promise<void> {
    this.matched = matched;
    this.facets = facets;
    if (tally === 'deadline' || tally === 'cancelled') this.uncounted = tally;
    return DONE;
  }
}

function mountOf({ lane }: LakeReader): string {
  return lane.segment.mount;
}

function endOf(code: Lost['code']): 'deadline' | 'failed' {
  return code === 'timed_out' ? 'deadline' : 'failed';
}

/** Whether this thread can read rows of a segment where they are stored. Identities are told of text alone. */
export function mayStay({ rowBytes, stencils }: CatalogSegment, order: RowOrder): boolean {
  return rowBytes !== null && (stencils === null || order === 'stored');
}
