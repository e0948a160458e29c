import { LIMITS } from '../config/limits.ts';
import { monotonicMs } from '../lib/clock.ts';
import { nextTurn, turnIsOver } from '../lib/turns.ts';
import type { Chunk } from '../model/chunk.ts';
import type { Outcome } from '../model/outcome.ts';
import type { Facets } from '../model/answer.ts';
import type { Query } from '../model/query.ts';
import type { Plan, Position } from '../plan/plan.ts';
import { mergeFacets } from './facets.ts';
import type { CallContext, LaneReader, SearchCall } from './lane_reader.ts';
import { mayStay } from './lake_reader.ts';
import { IdentityMerge } from './merge.ts';
import { withReaders } from './open_reader.ts';
import { reportOf, type Report } from './outcome.ts';
import { pickedRows, Progress, type PickedRow } from './picked.ts';
import { nextPosition } from './position.ts';
import { recountFacets } from './recount.ts';
import { LateSuppression } from './suppression.ts';

/** Where the rows of a stream go. Each call resolves when more should come; after the reader left they resolve at once. */
export interface RowOutlet {
  /** True once no more rows may go out: the reader left, or his key is revoked. */
  readonly gone: boolean;
  /** Rows `0 .. count - 1` of a chunk, in order, piece by piece for as long as they may go as they are, up to one that is broken; gives how many did. */
  chunk(chunk: Chunk, count: number, mayGo: () => boolean): Promise<number>;
  /** All of them, or where one is broken none. */
  rows(rows: readonly PickedRow[]): Promise<void>;
  sourceEnded(outcome: Outcome): Promise<void>;
  /** A place from which the stream can be taken up again. */
  checkpoint(position: Position): Promise<void>;
  /** How many of `rows` the budget of the caller still pays for. */
  afford(rows: number): number | Promise<number>;
}

/** Which of them it was is for the owner of the key to know. */
const KEY_ENDED = 'the key was revoked or has run out, or its account was suspended: the stream ends here and can be resumed from next_cursor with another key';

export type StreamEnd = Report & { readonly next: Position | null; readonly facets: Facets | null; readonly returned: number };

/** Delivers every match, as it is found; with dedupe in the order of identity. */
export function federateStream(plan: Plan, query: Query, call: SearchCall, outlet: RowOutlet): Promise<StreamEnd> {
  const context: CallContext = { ...call, query, order: plan.order, form: 'rows' };
  return withReaders(plan.lanes, context, (readers) => deliver(plan, context, readers, outlet));
}

async function deliver(plan: Plan, context: CallContext, readers: readonly LaneReader[], outlet: RowOutlet): Promise<StreamEnd> {
  const { query, pool, vocabulary } = context;
  const stream = new Delivering(plan, context, readers, outlet, new LateSuppression(pool, readers));
  await stream.tellSilent();
  const over = plan.order === 'identity' ? await stream.merged() : await stream.asFound();
  await Promise.all(readers.map((reader) => reader.settle()));
  const unsure = await recountFacets(context, readers);

  const next = nextPosition(plan, readers, stream.progress, over);
  const { cut, isCancelled: cancelled, progress: { returned, leftOut } } = stream;
  const report = reportOf(plan, query, readers, { returned, exhausted: next === null, cut, cancelled, leftOut, unsure });
  const halted = outlet.gone && next !== null;
  const revoked = halted ? [KEY_ENDED] : [];
  const spent = stream.spent ? ['the daily unit budget is used up: the stream ends here and can be resumed from next_cursor'] : [];
  return {
    ...report,
    partial: report.partial || stream.spent || halted,
    warnings: [...report.warnings, ...spent, ...revoked],
    next,
    facets: mergeFacets(query.facets, vocabulary, readers),
    returned: stream.delivered,
  };
}

/** What a slice may have whatever the other lanes hold. */
function sliceRowsMin({ lanes: { length } }: Plan): number {
  return length === 1 ? LIMITS.cursorRowsEvery : Math.ceil(LIMITS.cursorRowsEvery / (LIMITS.cursorSlices * length));
}

/**
 * Lanes write in turns: what a source of another kind has ready waits, with its connection, while others write. Parts of lakes have nothing that could not wait, and are
 * read the faster the fewer slices they come in, but where their rows are copied, which wait in memory.
 */
function sliceRowsMax(plan: Plan): number {
  const stayWhereTheyAre = plan.lanes.every((lane) => lane.kind === 'lake' && mayStay(lane.segment, 'stored'));
  return stayWhereTheyAre ? LIMITS.cursorRowsEvery : sliceRowsMin(plan);
}

/** A list of where each of its rows stands. */
function listedRows({ run, rows }: Chunk): number {
  return run === undefined ? rows : 0;
}

class Delivering {
  readonly progress: Progress;
  delivered = 0;
  /** True once the caller's budget did not pay for a row that was there. */
  spent = false;
  /** By lane: whether the deadline struck, or the call was cancelled, before rows that had come were delivered. */
  cut: boolean[];
  readonly #plan: Plan;
  readonly #context: CallContext;
  readonly #readers: readonly LaneReader[];
  readonly #outlet: RowOutlet;
  readonly #late: LateSuppression;
  #checkpointAt: number = LIMITS.cursorRowsEvery;
  /** Rows, of all lanes, that are asked for, or have come and are not delivered. */
  #coming = 0;
  /** Those of them that are asked for, or wait in a list of where they stand. */
  #listed = 0;
  readonly #sliceRows: { readonly min: number; readonly max: number };
  /** Lanes write in turns, so that what a checkpoint says has been handed over has been. */
  #turn: Promise<void> = Promise.resolve();
  /** The first failure of a lane or of a turn: no other turn is taken after it. */
  #broken: { readonly error: unknown } | null = null;

  constructor(plan: Plan, context: CallContext, readers: readonly LaneReader[], outlet: RowOutlet, late: LateSuppression) {
    this.#plan = plan;
    this.#context = context;
    this.cut = readers.map(() => false);
    this.#readers = readers;
    this.#outlet = outlet;
    this.#late = late;
    this.#sliceRows = { min: sliceRowsMin(plan), max: sliceRowsMax(plan) };
    this.progress = new Progress(plan.lanes.map(({ after }) => after));
  }

  /** Sources that give no row: those that are not asked, and those of which no part can match. */
  async tellSilent(): Promise<void> {
    for (const { name, skip } of this.#plan.sources) {
      if (skip !== null || !this.#readers.some(({ lane }) => lane.source === name)) await this.#tellEnd(name);
    }
  }

  async asFound(): Promise<boolean[]> {
    const over = this.#readers.map(() => false);
    const open = new Map<string, number>();
    for (const { lane } of this.#readers) open.set(lane.source, (open.get(lane.source) ?? 0) + 1);
    const lanes = this.#readers.map(async (reader, lane) => {
      over[lane] = await this.#drainLane(reader, lane, over);
      await reader.settle();
      const left = open.get(reader.lane.source)! - 1;
      open.set(reader.lane.source, left);
      if (left === 0) await this.#inTurn(() => this.#tellEnd(reader.lane.source));
    });
    try {
      await Promise.all(lanes);
    } catch (error) {
      // What the caller says of the failure is to be the next thing written, and the last: other lanes may have more.
      this.#broken ??= { error };
      await this.#turn;
      throw error;
    }
    return over;
  }

  /** The next slice is asked for while this one is written, unless that is all that is wanted: two slices a lane are all that is ever held. */
  async #drainLane(reader: LaneReader, lane: number, over: readonly boolean[]): Promise<boolean> {
    for (let chunk = await this.#ask(reader); chunk !== null;) {
      const held = chunk;
      const ahead = this.#isEnough(held, reader) ? null : this.#ask(reader);
      // It may never be awaited, where this slice cannot be written.
      ahead?.catch(() => {});
      const whole = await this.#inTurn(() => this.#writeChunk(held, lane, over));
      if (!whole) return false;
      chunk = await (ahead ?? this.#ask(reader));
    }
    return reader.ended === 'end';
  }

  /** Rows of a source that is no lake may be paid for one by one; its slice tells by itself whether it is the last. */
  #isEnough({ rows }: Chunk, { lane }: LaneReader): boolean {
    return lane.kind !== 'lake' && this.delivered + rows >= this.#context.query.limit;
  }

  /**
   * No slice reaches beyond where the next cursor is due, or one behind it, if all that is asked for comes in the order it was asked for. Nor, but for a little, beyond what
   * all lanes may hold, however many they are.
   */
  async #ask(reader: LaneReader): Promise<Chunk | null> {
    const { min, max } = this.#sliceRows;
    const room = Math.max(min, LIMITS.streamListedRowsMax - this.#listed);
    const asked = Math.min(this.#context.query.limit - this.delivered, max, room, LIMITS.cursorRowsEvery - this.#rowsAfterCursor % LIMITS.cursorRowsEvery);
    if (asked <= 0 || this.#outlet.gone || this.#broken !== null) return null;
    this.#coming += asked;
    this.#listed += asked;
    const chunk = await reader.next(asked);
    this.#coming -= asked - (chunk?.rows ?? 0);
    this.#listed -= asked - (chunk === null ? 0 : listedRows(chunk));
    return chunk;
  }

  /** How many rows will have been delivered since the last cursor when all that are coming have. */
  get #rowsAfterCursor(): number {
    return this.delivered + this.#coming - (this.#checkpointAt - LIMITS.cursorRowsEvery);
  }

  /** False when the stream may go no further: its limit, its budget, its time or its reader is done. What is struck within a slice has at least its first piece. */
  async #writeChunk(chunk: Chunk, lane: number, over: readonly boolean[]): Promise<boolean> {
    if (this.delivered > 0 && this.#isStruck) return this.#cutOff(lane);
    const count = await this.#allow(chunk.rows);
    const isLiving = (): boolean => !this.#outlet.gone && !this.#late.concerns(chunk);
    const sent = count > 0 && isLiving() ? await this.#outlet.chunk(chunk, count, () => isLiving() && !this.#isStruck) : 0;
    const { end, living } = sent < count ? await this.#writeLiving(chunk, { from: sent, end: count }, lane) : { end: count, living: 0 };
    this.progress.deliverChunk(lane, chunk, end);
    this.progress.leaveOut(lane, end - sent - living);
    this.delivered += sent + living;
    this.#coming -= chunk.rows;
    this.#listed -= listedRows(chunk);
    if (end < count) return this.#cutOff(lane);
    if (this.#outlet.gone || count < chunk.rows) return false;
    await this.#checkpointIfDue(over);
    return true;
  }

  /** Each of the rows is parsed: others run meanwhile. Gives before which row it ended, and how many were living. */
  async #writeLiving(chunk: Chunk, { from, end }: { readonly from: number; readonly end: number }, lane: number): Promise<{ readonly end: number; readonly living: number }> {
    let delivered = 0;
    let at = from;
    while (at < end && !this.#outlet.gone && !(this.#isStruck && this.delivered + at > 0) && chunk.isSound?.() !== false) {
      const next = Math.min(end, at + LIMITS.mergeRows);
      const living = this.#late.livingOf(pickedRows(chunk, { from: at, end: next }, lane));
      if (living.length > 0) await this.#outlet.rows(living);
      delivered += living.length;
      at = next;
      if (turnIsOver(LIMITS.mainTurnMs)) await nextTurn();
    }
    return { end: at, living: delivered };
  }

  get #mayGoOn(): boolean {
    return !this.#outlet.gone && this.delivered < this.#context.query.limit;
  }

  /** A slow reader would else be given for minutes what had come by the deadline, or when the service was told to stop. */
  get #isStruck(): boolean {
    return monotonicMs() >= this.#context.deadlineMs + LIMITS.mergeLateMs || this.isCancelled;
  }

  get isCancelled(): boolean {
    return this.#context.pool.isCancelled(this.#context.lease);
  }

  /** Whoever may have no more, or has all that he asked for, was not cut by the clock. */
  #cutOff(lane: number): false {
    this.cut[lane] = this.#mayGoOn;
    return false;
  }

  async merged(): Promise<boolean[]> {
    const merge = new IdentityMerge(this.#readers, this.#context, Math.min(LIMITS.mergeRows, this.#context.query.limit + 1));
    for (;;) {
      const want = Math.min(LIMITS.mergeRows, this.#context.query.limit - this.delivered);
      if (this.delivered > 0 && this.#isStruck) merge.late = true;
      const rows = want > 0 ? await merge.take(want, LIMITS.mergeBytes) : [];
      const allowed = await this.#allow(rows.length);
      const count = this.#outlet.gone ? 0 : allowed;
      const paid = count === rows.length ? rows : rows.slice(0, count);
      const living = await this.#late.given(paid, (some) => this.#outlet.rows(some));
      for (const row of paid) this.progress.deliver(row);
      this.progress.leaveOutBut(paid, living);
      this.delivered += living.length;
      const over = merge.over();
      if (count < rows.length) over.fill(false);
      this.cut = over.map((is) => merge.late && !is && this.#mayGoOn);
      if (rows.length === 0 || count < rows.length || this.#outlet.gone) {
        await Promise.all(this.#readers.map((reader) => reader.settle()));
        for (const source of new Set(this.#readers.map(({ lane }) => lane.source))) await this.#tellEnd(source);
        return over;
      }
      await this.#checkpointIfDue(over);
    }
  }

  /** Of no rows nobody is asked: a stream without any may not have begun, and never begin. */
  async #allow(rows: number): Promise<number> {
    const fitting = Math.min(rows, this.#context.query.limit - this.delivered);
    const paid = fitting === 0 ? 0 : await this.#outlet.afford(fitting);
    if (paid < fitting) this.spent = true;
    return paid;
  }

  async #checkpointIfDue(over: readonly boolean[]): Promise<void> {
    if (this.delivered < this.#checkpointAt) return;
    this.#checkpointAt = this.delivered + LIMITS.cursorRowsEvery;
    const position = nextPosition(this.#plan, this.#readers, this.progress, over);
    if (position !== null) await this.#outlet.checkpoint(position);
  }

  async #tellEnd(source: string): Promise<void> {
    const delivery = { returned: this.progress.returned, exhausted: false, cut: this.cut, cancelled: this.isCancelled, leftOut: this.progress.leftOut };
    const { outcomes } = reportOf(this.#plan, this.#context.query, this.#readers, delivery);
    await this.#outlet.sourceEnded(outcomes.find((outcome) => outcome.source === source)!);
  }

  async #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const before = this.#turn;
    let done = (): void => {};
    this.#turn = new Promise((resolve) => { done = resolve; });
    await before;
    try {
      if (this.#broken !== null) throw this.#broken.error;
      return await act();
    } catch (error) {
      this.#broken ??= { error };
      throw error;
    } finally {
      done();
    }
  }
}
