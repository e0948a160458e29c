import { LIMITS } from '../config/limits.ts';
import { UNREACHABLE, type Report } from '../federation/outcome.ts';
import { federatePage } from '../federation/page.ts';
import { releaseTexts } from '../federation/page_text.ts';
import { federateStream, type StreamEnd } from '../federation/stream.ts';
import type { Page } from '../federation/whole_page.ts';
import { monotonicMs } from '../lib/clock.ts';
import { MacKey } from '../lib/mac.ts';
import { AppError } from '../model/errors.ts';
import type { Query } from '../model/query.ts';
import type { Vocabulary } from '../model/vocabulary.ts';
import type { Catalog } from '../plan/catalog.ts';
import { planFind, type Plan, type Position } from '../plan/plan.ts';
import type { ForeignScans } from '../federation/foreign_scans.ts';
import type { SearchCall } from '../federation/lane_reader.ts';
import type { PageForm } from '../pool/protocol.ts';
import type { ScanPool } from '../pool/scan_pool.ts';
import { AwaitedSnapshots } from './awaited.ts';
import { LateOutlet, type StreamOutlet } from './late_outlet.ts';
import { openCursor, sealCursor } from './cursor.ts';

/** How a search hears that its caller left. */
export type Leaving = { onGone(listener: () => void): void };

export type FoundPage = { readonly page: Page; readonly nextCursor: string | null; readonly planMs: number; readonly scanMs: number; readonly mergeMs: number };
export type FoundStream = { readonly end: StreamEnd; readonly nextCursor: string | null; readonly planMs: number; readonly streamMs: number };

/** The search itself: query → plan → federate. One instance serves all calls; the catalog it is given is always the present one. */
export class Find {
  readonly #pool: ScanPool;
  readonly #foreign: ForeignScans;
  readonly #catalog: () => Catalog;
  readonly #cursorSecret: MacKey;
  readonly #awaited = new AwaitedSnapshots();
  readonly #mayCome = (snapshot: string): boolean => this.#awaited.mayCome(snapshot, monotonicMs());

  constructor(pool: ScanPool, foreign: ForeignScans, catalog: () => Catalog, cursorSecret: Uint8Array) {
    this.#pool = pool;
    this.#foreign = foreign;
    this.#catalog = catalog;
    this.#cursorSecret = new MacKey(cursorSecret);
  }

  /** One page by the deadline. Throws what the caller did wrong, and when no source could be reached at all. */
  async page(query: Query, receivedMs: number, caller: Leaving, form?: PageForm): Promise<FoundPage> {
    const { plan, vocabulary } = this.#plan(query);
    const plannedMs = monotonicMs();
    const call = this.#enter(plan, caller, { deadlineMs: receivedMs + query.timeoutMs, vocabulary });
    let page: Page;
    try {
      page = await federatePage(plan, query, call, form);
    } finally {
      this.#leave(plan, call);
    }
    if (page.returned === 0) refuseIfNobodyAnswered(plan, page);
    const nextCursor = this.#sealBehind(page, query);
    return { page, nextCursor, planMs: plannedMs - receivedMs, scanMs: page.scannedMs - plannedMs, mergeMs: monotonicMs() - page.scannedMs };
  }

  /** Of so many rows, because there was no room or, where it is `late`, no time for more: the next page begins behind them. */
  cutPage(found: FoundPage, query: Query, rows: number, late: boolean): FoundPage {
    return this.#instead(found, query, found.page.upTo!(rows, late));
  }

  /** Without the rows that have rotted where they are stored, of which an answer met one. */
  async wholePage(found: FoundPage, query: Query): Promise<FoundPage> {
    return this.#instead(found, query, await found.page.whole!());
  }

  /** `begin` is called once it is sure that there will be a stream, and gives its outlet. */
  async stream(query: Query, receivedMs: number, caller: Leaving, begin: () => StreamOutlet): Promise<FoundStream> {
    const { plan, vocabulary } = this.#plan(query);
    const plannedMs = monotonicMs();
    if (plan.sources.length > 0 && plan.sources.every(({ skip }) => skip !== null)) throw unreachable();
    // Before the stream is begun: where there is no room for it, that is answered by a status of its own.
    const call = this.#enter(plan, caller, { deadlineMs: receivedMs + query.timeoutMs, vocabulary });
    try {
      const mayMiss = plan.lanes.length > 0 && plan.lanes.every(({ kind }) => kind === 'foreign');
      const outlet = new LateOutlet(begin, (position) => sealCursor(this.#cursorSecret, query, position), mayMiss);
      const end = await federateStream(plan, query, call, outlet).finally(() => outlet.drop());
      if (!outlet.begun && reachedNobody(end)) throw unreachable();
      await outlet.begin();
      return { end, nextCursor: this.#seal(query, end.next), planMs: plannedMs - receivedMs, streamMs: monotonicMs() - plannedMs };
    } finally {
      this.#leave(plan, call);
    }
  }

  #plan(query: Query): { plan: Plan; vocabulary: Vocabulary } {
    refuseLoop(query, this.#foreign.gateway);
    const position = query.cursor === null ? null : openCursor(this.#cursorSecret, query.cursor, query);
    const catalog = this.#catalog();
    return { plan: planFind(query, catalog, position, this.#mayCome), vocabulary: catalog.vocabularies[query.type] };
  }

  #instead(found: FoundPage, query: Query, page: Page): FoundPage {
    return { ...found, page, nextCursor: this.#seal(query, page.next) };
  }

  /** A page whose cursor cannot be sealed reaches nobody who would release it. */
  #sealBehind(page: Page, query: Query): string | null {
    try {
      return this.#seal(query, page.next);
    } catch (error) {
      releasePage(page);
      throw error;
    }
  }

  #seal(query: Query, next: Position | null): string | null {
    return next === null ? null : sealCursor(this.#cursorSecret, query, next);
  }

  /** In the turn of the event loop in which the plan was made: no snapshot that it reads can have gone meanwhile. Whoever enters leaves. */
  #enter({ reads }: Plan, caller: Leaving, { deadlineMs, vocabulary }: Pick<SearchCall, 'deadlineMs' | 'vocabulary'>): SearchCall {
    const lease = this.#pool.lease();
    if (lease === null) throw overloaded();
    caller.onGone(() => this.#pool.cancel(lease));
    for (const readers of reads) readers.begin();
    return { pool: this.#pool, foreign: this.#foreign, lease, vocabulary, deadlineMs, onGone: (listener) => caller.onGone(listener) };
  }

  #leave({ reads }: Plan, { lease }: SearchCall): void {
    for (const readers of reads) readers.end();
    this.#pool.release(lease);
  }
}

/** To be called once the answer is on its way, or nobody wants it. */
export function releasePage({ texts }: Pick<Page, 'texts'>): void {
  if (texts !== null) releaseTexts(texts);
}

function refuseIfNobodyAnswered(plan: Plan, page: Page): void {
  if (plan.sources.length === 0) return;
  if (reachedNobody(page)) throw unreachable();
  if (page.outcomes.every(({ status, reason }) => status === 'failed' && reason === 'overloaded')) throw sourcesOverloaded(page);
}

function reachedNobody({ outcomes }: Report): boolean {
  return outcomes.every(({ status, reason }) => status === 'skipped' || reason === UNREACHABLE);
}

/** A gateway whose sources lead back to itself would ask without end. */
function refuseLoop({ hops = [] }: Query, gateway: string): void {
  if (hops.includes(gateway)) throw new AppError('loop_detected', 'This search has been here before: among the sources of this gateway is one that asks it in turn.');
  if (hops.length > LIMITS.hopsMax) throw new AppError('loop_detected', `This search has passed more than ${LIMITS.hopsMax} gateways.`);
}

function unreachable(): AppError {
  return new AppError('sources_unreachable', 'None of the sources that were asked could be reached: try again later.');
}

function overloaded(who = 'The service has more searches waiting than it can answer in time'): AppError {
  return new AppError('overloaded', `${who}: try again later.`, { retryAfter: LIMITS.overloadedRetrySeconds });
}

/** Of another server it is for its operator to help, by his name. */
function sourcesOverloaded({ outcomes }: Report): AppError {
  return overloaded(`Each source that was asked has more searches than it can answer in time (${outcomes.map(({ source }) => source).join(', ')})`);
}
