import { LIMITS } from '../config/limits.ts';
import { isOfBrokenRow } from '../encode/row_layout.ts';
import { monotonicMs } from '../lib/clock.ts';
import type { Mark } from '../model/chunk.ts';
import { isUncounted, type Query } from '../model/query.ts';
import type { LakeLane, Plan } from '../plan/plan.ts';
import type { HeldText } from '../pool/tray_protocol.ts';
import { mergeFacets } from './facets.ts';
import { LakeReader } from './lake_reader.ts';
import type { CallContext } from './lane_reader.ts';
import { reportOf } from './outcome.ts';
import { releaseTexts, type PageText } from './page_text.ts';
import { placeOf, positionOf } from './position.ts';
import { recountFacets } from './recount.ts';
import { LateSuppression } from './suppression.ts';
import { isWholeJson, livingText, type AsRows } from './text_page.ts';
import { pageOf, type Page } from './whole_page.ts';

/**
 * The page of several lanes as text, one lane after the other. At first only the first that has rows left is asked for some, the others for their number alone: by far the most pages are
 * full then, and else it is known who has how many of those that are missing. Where nobody counts they are asked in turn. `asRows` gives the page where these texts will not do.
 */
export async function textPageOfParts(plan: Plan, context: CallContext, lanes: readonly LakeLane[], asRows: AsRows): Promise<Page> {
  const { query, pool } = context;
  const parts = lanes.map((lane) => new Part(lane, context));
  const readers = parts.map(({ reader }) => reader);
  const late = new LateSuppression(pool, readers);
  try {
    await gather(parts, query);
    const scannedMs = monotonicMs();
    if (parts.some(hasUnread)) {
      const texts = textsOf(parts);
      releaseTexts(texts);
      return asRows(texts.length === 0 && late.none ? readers : null);
    }
    if (!readers.every(isSettled)) await Promise.all(readers.map((reader) => reader.settle()));
    const unsure = query.facets.length > 0 ? await recountFacets(context, readers) : [];
    // Where something was suppressed meanwhile, nobody can tell whether it is in the texts.
    const isWhole = isWholeJson(context);
    if (!late.none && isWhole) parts.forEach((part, lane) => { part.keepLiving(late, lane); });
    if (late.none || isWhole) return given(plan, context, parts, { scannedMs, unsure });
  } catch (error) {
    releaseTexts(textsOf(parts));
    if (isOfBrokenRow(error)) return asRows(null);
    throw error;
  }
  releaseTexts(textsOf(parts));
  return asRows(null);
}

async function gather(parts: readonly Part[], query: Query): Promise<void> {
  if (!isUncounted(query)) await gatherCounted(parts, query);
  await fill(parts, query);
  if (isUncounted(query) && !parts.some(hasUnread)) await lookBehind(parts);
}

/** Rounds until the page is full, an answer has no room for more, nobody has any, or some came as rows. */
async function fill(parts: readonly Part[], query: Query): Promise<void> {
  while (!parts.some(hasUnread)) {
    let missing = query.limit - sumOf(parts, rowsOf);
    if (sumOf(parts, bytesOf) >= LIMITS.answerBytesMax) missing = 0;
    const asked: Promise<void>[] = [];
    for (const part of parts) {
      const wanted = Math.min(missing, part.leftAtMost);
      if (wanted > 0) asked.push(part.ask(wanted));
      missing -= wanted;
    }
    if (asked.length === 0) return;
    await all(asked);
  }
}

/** The first round: the scan of the first lane counts small segments too, as changes of a source are, which would cost as much as the others. */
async function gatherCounted(parts: readonly Part[], query: Query): Promise<void> {
  const { limit } = query;
  const first = parts.find(isOpen);
  const beside = first === undefined || query.count !== 'exact' || query.facets.length > 0 ? [] : parts.filter((part) => part !== first && part.isSmall).slice(0, LIMITS.besideSegmentsMax);
  if (first !== undefined && beside.length === parts.length - 1) await first.ask(limit, beside);
  else await all(parts.filter((part) => !beside.includes(part)).map((part) => part.ask(part === first ? limit : 0, part === first ? beside : [])));
  const untold = beside.filter(isUntold);
  if (untold.length > 0) await all(untold.map((part) => part.ask(0)));
}

/** Where the page ends with a lane: whether any of those behind it, which nobody asked or counted, has a row. A cursor would lead to nothing else. The reader has then passed the row: nobody goes on from it. */
async function lookBehind(parts: readonly Part[]): Promise<void> {
  if (parts.some(({ open, texts }) => open && texts.length > 0)) return;
  for (const part of parts) {
    while (part.open && !hasUnread(part)) if (await part.hasRow()) return;
  }
}

/** Whatever fails, what the others bring is here to be released. */
async function all(asked: readonly Promise<void>[]): Promise<void> {
  const ends = await Promise.allSettled(asked);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

/** What has come of one lane. */
class Part {
  readonly reader: LakeReader;
  texts: PageText[] = [];
  rows = 0;
  bytes = 0;
  /** How many of the rows were suppressed meanwhile. */
  dead = 0;
  /** A row was seen that is not given. */
  #holdsBack = false;

  constructor(lane: LakeLane, context: CallContext) {
    this.reader = new LakeReader(lane, context);
  }

  get open(): boolean {
    return !this.reader.lane.done && this.reader.ended === null;
  }

  get isSmall(): boolean {
    return this.reader.lane.segment.rows <= LIMITS.besideRowsMax;
  }

  /** Infinity where nobody knows: it could not be counted, or its count has those before the page in it. */
  get leftAtMost(): number {
    const { matched, lane } = this.reader;
    if (!this.open) return 0;
    return matched === null || lane.after >= 0 ? Infinity : Math.max(0, matched - this.rows);
  }

  get mark(): Mark {
    return this.texts.at(-1)?.mark ?? this.reader.lane.after;
  }

  get over(): boolean {
    if (this.#holdsBack) return false;
    return this.reader.ended === 'end' || (this.reader.ended === null && this.leftAtMost === 0);
  }

  /** Where the scan stands is told by the last text, even if nothing is left of it. */
  keepLiving(late: LateSuppression, lane: number): void {
    const living = this.texts.map((text) => livingText(text, late, this.reader, lane));
    releaseTexts(this.texts.map(({ text }) => text));
    this.texts = living;
    this.dead = this.rows - living.reduce((sum, { rows }) => sum + rows, 0);
  }

  async ask(rowsMax: number, beside: readonly Part[] = []): Promise<void> {
    const text = await this.reader.nextText(rowsMax, beside.map(({ reader }) => reader));
    if (text === null) return;
    this.texts.push(text);
    this.rows += text.rows;
    this.bytes += text.text.end - text.text.start;
  }

  /** Whether the next slice has a row, which is left for another page. */
  async hasRow(): Promise<boolean> {
    const text = await this.reader.nextText(1);
    if (text === null) return false;
    releaseTexts([text.text]);
    this.#holdsBack = true;
    return true;
  }
}

function given(plan: Plan, { query, vocabulary }: CallContext, parts: readonly Part[], { scannedMs, unsure }: { readonly scannedMs: number; readonly unsure: readonly string[] }): Page {
  const readers = parts.map(({ reader }) => reader);
  const next = positionOf(plan, parts.map(({ reader, mark, over }) => placeOf(reader.lane, mark, over)));
  const leftOut = parts.some(({ dead }) => dead > 0);
  const report = reportOf(plan, query, readers, { returned: parts.map(livingOf), exhausted: next === null, cut: parts.map(() => false), leftOut, unsure });
  const facets = mergeFacets(query.facets, vocabulary, readers);
  return pageOf(report, { returned: sumOf(parts, livingOf), rows: [], texts: textsOf(parts), next, facets, upTo: null, whole: null, scannedMs });
}

function textsOf(parts: readonly Part[]): HeldText[] {
  return parts.flatMap(({ texts }) => texts.filter(({ rows }) => rows > 0).map(({ text }) => text));
}

function sumOf(parts: readonly Part[], read: (part: Part) => number): number {
  return parts.reduce((sum, part) => sum + read(part), 0);
}

function isOpen({ open }: Part): boolean {
  return open;
}

function isUntold({ reader }: Part): boolean {
  return reader.matched === null;
}

function isSettled({ settled }: LakeReader): boolean {
  return settled;
}

function hasUnread({ reader }: Part): boolean {
  return reader.hasUnread;
}

function rowsOf({ rows }: Part): number {
  return rows;
}

function livingOf({ rows, dead }: Part): number {
  return rows - dead;
}

function bytesOf({ bytes }: Part): number {
  return bytes;
}
