import { LIMITS } from '../config/limits.ts';
import { monotonicMs } from '../lib/clock.ts';
import type { Facets } from '../model/answer.ts';
import { textBytes, type Chunk } from '../model/chunk.ts';
import { isUncounted, type Query } from '../model/query.ts';
import type { LakeLane, Lane, Plan } from '../plan/plan.ts';
import type { PageForm } from '../pool/protocol.ts';
import { mergeFacets } from './facets.ts';
import type { CallContext, LaneReader, SearchCall } from './lane_reader.ts';
import { IdentityMerge } from './merge.ts';
import { withReaders } from './open_reader.ts';
import { reportOf } from './outcome.ts';
import { Progress, type PickedRow } from './picked.ts';
import { nextPosition } from './position.ts';
import { recountFacets } from './recount.ts';
import { LateSuppression } from './suppression.ts';
import { isWholeJson, textPage, type AsRows } from './text_page.ts';
import { textPageOfParts } from './text_page_of_parts.ts';
import { pageOf, type Page } from './whole_page.ts';

/** Gathers one page, by the deadline, from what came: every lane is asked at once. `form`: what its rows may be, where they come so. */
export function federatePage(plan: Plan, query: Query, call: SearchCall, form: PageForm = 'rows'): Promise<Page> {
  const context = contextOf(plan, query, call, form);
  const { lanes, order } = plan;
  const comesAsText = form !== 'rows' && order === 'stored' && query.limit <= LIMITS.trayRowsMax && lanes.length > 0 && areLakes(lanes);
  if (!comesAsText || (query.count === 'none' && !canBeInTurn(query, lanes))) return pageOfRows(plan, context);
  if (lanes.length > 1) return textPageOfParts(plan, context, lanes, asRows(plan, context));
  return textPage(plan, context, lanes[0]!, isWholeJson(context) ? null : asRows(plan, context));
}

function asRows(plan: Plan, context: CallContext): AsRows {
  return (begun) => (begun === null ? pageOfRows(plan, context) : pageOfLanes(plan, context, begun));
}

function areLakes(lanes: readonly Lane[]): lanes is readonly LakeLane[] {
  for (const { kind } of lanes) if (kind !== 'lake') return false;
  return true;
}

/** Whether the lanes need not be asked all at once: of a source that is lost behind a full page nobody would learn. */
function canBeInTurn(query: Query, lanes: readonly Lane[]): boolean {
  if (!isUncounted(query)) return lanes.length === 1;
  for (const { source } of lanes) if (source !== lanes[0]!.source) return false;
  return true;
}

function pageOfRows(plan: Plan, context: CallContext): Promise<Page> {
  return withReaders(plan.lanes, context, (readers) => pageOfLanes(plan, context, readers));
}

async function pageOfLanes(plan: Plan, context: CallContext, readers: readonly LaneReader[]): Promise<Page> {
  const { query, pool, lease, vocabulary, deadlineMs } = context;
  const late = new LateSuppression(pool, readers);
  const gathered = plan.order === 'identity'
    ? await mergedRows(readers, context)
    : await storedRows(readers, query.limit);
  await together(readers.map((reader) => reader.settle()));
  const unsure = query.facets.length > 0 ? await recountFacets(context, readers) : [];
  const facets = mergeFacets(query.facets, vocabulary, readers);
  const asked: Asked = { plan, query, readers, facets, unsure, late, deadlineMs, cancelled: pool.isCancelled(lease) };
  return deliver(asked, gathered, late.living(gathered.rows));
}

type Asked = {
  readonly plan: Plan;
  readonly query: Query;
  readonly readers: readonly LaneReader[];
  readonly facets: Facets | null;
  readonly unsure: readonly string[];
  readonly late: LateSuppression;
  readonly deadlineMs: number;
  /** While the rows were gathered. */
  readonly cancelled: boolean;
};

function deliver(asked: Asked, gathered: Gathered, living: readonly PickedRow[]): Page {
  const { plan, query, readers, facets, unsure, cancelled } = asked;
  const { rows, over, cut, scannedMs } = gathered;
  const progress = new Progress(plan.lanes.map(({ after }) => after));
  for (const row of rows) progress.deliver(row);
  const next = nextPosition(plan, readers, progress, over);
  progress.leaveOutBut(rows, living);
  const report = reportOf(plan, query, readers, { returned: progress.returned, exhausted: next === null, cut, cancelled, leftOut: progress.leftOut, unsure });
  const upTo = (count: number, late: boolean): Page => deliver(asked, cutBehind(gathered, living[count - 1]!, late), living.slice(0, count));
  const whole = async (): Promise<Page> => {
    const looked = await asked.late.whole(rows, asked.deadlineMs + LIMITS.rowsLateMs);
    return deliver(asked, looked.end === rows.length ? gathered : cutBehind(gathered, rows[looked.end - 1]!, true), looked.living);
  };
  return pageOf(report, { returned: living.length, rows: living, texts: null, next, facets, upTo, whole, scannedMs });
}

/** As if no more than up to `last` had been asked for, or where it is `late` the deadline had struck there: the lanes of what came after it are not over. */
function cutBehind({ rows, over, cut, scannedMs }: Gathered, last: PickedRow, late: boolean): Gathered {
  const end = rows.indexOf(last.pickedAs ?? last) + 1;
  const lost = new Set<number>();
  const passed = new Set<number>();
  for (const { lane, passes } of rows.slice(end)) {
    lost.add(lane);
    for (const [other] of passes ?? []) passed.add(other);
  }
  return {
    rows: rows.slice(0, end),
    over: over.map((is, lane) => is && !lost.has(lane) && !passed.has(lane)),
    cut: cut.map((is, lane) => is || (late && lost.has(lane))),
    scannedMs,
  };
}

/** Member by member: spreading objects with closures among their members costs several microseconds. */
function contextOf({ order }: Plan, query: Query, { pool, lease, foreign, vocabulary, deadlineMs, onGone }: SearchCall, form: PageForm): CallContext {
  return { pool, lease, foreign, vocabulary, deadlineMs, onGone, query, order, form };
}

/** `over[lane]`: nothing is left of the lane after the rows given. `cut[lane]`: something is that belonged to the page, but the deadline struck. */
type Gathered = { readonly rows: readonly PickedRow[]; readonly over: readonly boolean[]; readonly cut: readonly boolean[]; readonly scannedMs: number };

/** One row more than the page is asked of each lane: a group that ends exactly at its end is seen to end. */
async function mergedRows(readers: readonly LaneReader[], context: CallContext): Promise<Gathered> {
  const { limit } = context.query;
  const merge = new IdentityMerge(readers, context, limit + 1);
  await merge.begin();
  const scannedMs = monotonicMs();
  const rows = await merge.take(limit, LIMITS.answerBytesMax);
  const over = merge.over();
  return { rows, over, cut: over.map((is) => merge.late && !is), scannedMs };
}

/** The lanes one after the other, as far as an answer has room for their rows; all are asked at once, because every one must count and most calls ask one. */
async function storedRows(readers: readonly LaneReader[], limit: number): Promise<Gathered> {
  const first = await together(readers.map((reader) => reader.next(limit, LIMITS.pageBytesMax)));
  const scannedMs = monotonicMs();
  const rows: PickedRow[] = [];
  const over = readers.map(() => false);
  let room = limit;
  let bytes = 0;
  for (let lane = 0; lane < readers.length; lane += 1) {
    let left = false;
    for (let chunk: Chunk | null = first[lane]!; chunk !== null; chunk = await readers[lane]!.next(room, LIMITS.pageBytesMax)) {
      if (room > 0 && chunk.isSound?.() === false) break;
      const fitting = Math.min(chunk.rows, room);
      for (let row = 0; row < fitting; row += 1) rows.push({ chunk, row, lane, fill: null, sources: null, passes: null });
      left = fitting < chunk.rows;
      room -= fitting;
      // Not of the last one: a page seldom has more.
      if (room > 0) bytes += textBytes(chunk);
      if (bytes >= LIMITS.answerBytesMax) room = 0;
      if (room === 0) break;
    }
    over[lane] = !left && readers[lane]!.ended === 'end';
  }
  return { rows, over, cut: over.map(() => false), scannedMs };
}

/** `Promise.all` costs a microsecond, and most calls ask one lane. */
async function together<T>(lanes: readonly Promise<T>[]): Promise<T[]> {
  return lanes.length === 1 ? [await lanes[0]!] : Promise.all(lanes);
}
