import { LIMITS } from '../config/limits.ts';
import { isOfBrokenRow } from '../encode/row_layout.ts';
import { monotonicMs } from '../lib/clock.ts';
import type { Mark } from '../model/chunk.ts';
import type { LakeLane, Plan } from '../plan/plan.ts';
import type { ScanListener, ScanResult } from '../pool/scan_queue.ts';
import type { HeldText } from '../pool/tray_protocol.ts';
import { mergeFacets } from './facets.ts';
import { LakeReader } from './lake_reader.ts';
import type { CallContext } from './lane_reader.ts';
import { reportOf } from './outcome.ts';
import { joinedText, releaseTexts, separateRows, type PageText } from './page_text.ts';
import { pickedRows } from './picked.ts';
import { placeOf, positionOf } from './position.ts';
import { LateSuppression } from './suppression.ts';
import { pageOf, type Page } from './whole_page.ts';

/**
 * The page for who must look into whole rows, or takes them one by one. `begun`: readers of the lanes that have given no row yet, as they stand, while nothing was suppressed since they were
 * begun; null asks anew.
 */
export type AsRows = (begun: readonly LakeReader[] | null) => Promise<Page>;

/** Whether texts hold all there is to know of a row, so that it can be told whether it is suppressed. */
export function isWholeJson({ form, query: { fields } }: CallContext): boolean {
  return form === 'json' && fields === null;
}

/** The page of one lane as text. `asRows`: null where it is of whole rows in JSON. */
export function textPage(plan: Plan, context: CallContext, lane: LakeLane, asRows: AsRows | null): Promise<Page> {
  return new Promise((resolve, reject) => { new TextPage(plan, context, lane, { resolve, reject, asRows }).gather(); });
}

type Settling = { readonly resolve: (page: Page | Promise<Page>) => void; readonly reject: (error: unknown) => void; readonly asRows: AsRows | null };

const NOT_CUT = [false];
const NO_ROWS: Page['rows'] = [];

/**
 * By far the most pages are one slice of one lane. It is told of its slices by calls, and there is one promise for all of it: each function
 * that waits on the way from the thread to the answer costs as much as the report.
 */
class TextPage implements ScanListener {
  readonly #plan: Plan;
  readonly #context: CallContext;
  readonly #settling: Settling;
  readonly #late: LateSuppression;
  readonly #reader: LakeReader;
  readonly #readers: readonly LakeReader[];
  readonly #texts: PageText[] = [];
  #returned = 0;
  #bytes = 0;
  #mark: Mark;
  #scannedMs: number | null = null;

  constructor(plan: Plan, context: CallContext, lane: LakeLane, settling: Settling) {
    this.#plan = plan;
    this.#context = context;
    this.#settling = settling;
    this.#reader = new LakeReader(lane, context);
    this.#readers = [this.#reader];
    this.#late = new LateSuppression(context.pool, this.#readers);
    this.#mark = lane.after;
  }

  /** Asks for what is missing, as far as an answer has room for it. */
  gather(): void {
    const missing = this.#context.query.limit - this.#returned;
    if (missing > 0 && this.#bytes < LIMITS.answerBytesMax && this.#reader.goesOn()) this.#reader.askText(missing, this);
    else if (this.#reader.settled) this.#end();
    else void this.#endCounted();
  }

  scanned(result: ScanResult): void {
    try {
      const text = this.#reader.takeText(result);
      if (text !== null) this.#add(text);
      if (this.#reader.hasUnread) this.#asRows(this.#texts.length === 0 && this.#late.none ? this.#readers : null);
      else this.gather();
    } catch (error) {
      this.#fail(error);
    }
  }

  #add(text: PageText): void {
    this.#scannedMs ??= monotonicMs();
    this.#texts.push(text);
    this.#returned += text.rows;
    this.#bytes += text.text.end - text.text.start;
    this.#mark = text.mark;
  }

  async #endCounted(): Promise<void> {
    this.#scannedMs ??= monotonicMs();
    try {
      await this.#reader.settle();
      this.#end();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Where something was suppressed meanwhile, nobody can tell whether it is in the texts: then their rows are looked at one by one, or asked for anew where these texts are not all of them. */
  #end(): void {
    const texts = this.#texts.map(textOf);
    if (this.#late.none) return this.#give(texts, this.#returned);
    if (this.#settling.asRows !== null) return this.#asRows(null);
    const living = this.#texts.map((text) => livingText(text, this.#late, this.#reader));
    releaseTexts(texts);
    this.#give(living.filter(hasRows).map(textOf), living.reduce((sum, { rows }) => sum + rows, 0));
  }

  #give(texts: readonly HeldText[], returned: number): void {
    const plan = this.#plan;
    const reader = this.#reader;
    const { query, vocabulary } = this.#context;
    const next = positionOf(plan, [placeOf(reader.lane, this.#mark, reader.ended === 'end')]);
    const report = reportOf(plan, query, this.#readers, { returned: [returned], exhausted: next === null, cut: NOT_CUT, leftOut: returned < this.#returned });
    const facets = mergeFacets(query.facets, vocabulary, this.#readers);
    const scannedMs = this.#scannedMs ?? monotonicMs();
    this.#settling.resolve(pageOf(report, { returned, rows: NO_ROWS, texts, next, facets, upTo: null, whole: null, scannedMs }));
  }

  #fail(error: unknown): void {
    if (this.#settling.asRows !== null && isOfBrokenRow(error)) return this.#asRows(null);
    releaseTexts(this.#texts.map(textOf));
    this.#settling.reject(error);
  }

  #asRows(begun: readonly LakeReader[] | null): void {
    releaseTexts(this.#texts.map(textOf));
    this.#settling.resolve(this.#settling.asRows!(begun));
  }
}

/** The rows of a text, of the reader's lane, that are living. As text again: where each row stands is not told with it, so that the page cannot be cut behind one of them. */
export function livingText(text: PageText, late: LateSuppression, reader: LakeReader, lane = 0): PageText {
  const chunk = separateRows(text);
  if (chunk === null) {
    reader.broke('rows that have rotted cannot be told apart');
    return { ...text, rows: 0 };
  }
  const living = late.living(pickedRows(chunk, { from: 0, end: chunk.rows }, lane)).map(({ row }) => row);
  const rows = { ...chunk, rows: living.length, start: living.map((row) => chunk.start[row]!), end: living.map((row) => chunk.end[row]!) };
  return { text: joinedText(rows), rows: living.length, mark: text.mark };
}

function textOf({ text }: PageText): HeldText {
  return text;
}

function hasRows({ rows }: PageText): boolean {
  return rows > 0;
}
