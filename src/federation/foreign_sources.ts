import { randomBytes } from 'node:crypto';
import { LIMITS } from '../config/limits.ts';
import { monotonicMs } from '../lib/clock.ts';
import { within } from '../lib/within.ts';
import type { CatalogSource } from '../plan/catalog.ts';
import { foreignSource, type Condition } from '../plan/foreign_sources.ts';
import type { ForeignRequest, TaskReply } from '../pool/foreign_protocol.ts';
import { PortScan, type ForeignEnding, type ForeignScan } from '../pool/foreign_scan.ts';
import type { ForeignRunner } from '../pool/foreign_threads.ts';
import type { Description, Figures, ForeignSettings } from '../sources/source.ts';
import { Breaker } from '../sources/breaker.ts';
import { withoutValues } from '../sources/without_values.ts';
import type { ForeignScans } from './foreign_scans.ts';
import { Gate, type Visit } from './gate.ts';

/** What befell a source, for the log and the metrics. `detail` is in the words of its provider, but for values. */
export type ForeignEvent =
  | { readonly kind: 'scanned'; readonly source: string }
  | { readonly kind: 'failed'; readonly source: string; readonly code: string; readonly detail: string };

/** What was last wrong with a source, for the operator alone: `detail` is in the words of its provider, but for values. */
type ForeignFailure = { readonly unixMs: number; readonly code: string; readonly detail: string };

type Watched = {
  readonly settings: ForeignSettings;
  readonly breaker: Breaker;
  readonly gate: Gate;
  /** The last that was heard of it; kept while it is down. */
  description: Description | null;
  figures: Figures | null;
  lastFailure: ForeignFailure | null;
  timer: NodeJS.Timeout | null;
  /** When it was last looked at because of what a search of it came to; `Infinity` while it is. */
  lookedMs: number;
  /** Scans in a row that it was asked and did not serve, though it is there. */
  failedInARow: number;
  /** The last scan that could tell found a part of it that cannot be read. */
  inPart: boolean;
  /** What it last failed by was that no answer came in time: it is there, it may be, and has too much to do. */
  silent: boolean;
  /** When it was last found to be gone. What it gave before says nothing against that. */
  goneMs: number;
};

/** The sources that are no lakes: how each is, and the way to scan it. A source that is down is probed until it is back. */
export class ForeignSources implements ForeignScans {
  readonly gateway = randomBytes(9).toString('base64url');
  readonly #runner: ForeignRunner;
  readonly #watched: ReadonlyMap<string, Watched>;
  readonly #changed: () => void;
  readonly #observe: (event: ForeignEvent) => void;
  readonly #running = new Set<PortScan>();
  #closed = false;

  constructor(runner: ForeignRunner, sources: readonly ForeignSettings[], changed: () => void, observe: (event: ForeignEvent) => void) {
    this.#runner = runner;
    this.#changed = changed;
    this.#observe = observe;
    this.#watched = new Map(sources.map((settings) => [settings.config.name, watched(settings)]));
  }

  /** Probes all of them, and waits for the answers as long as a start may be held up. */
  async open(): Promise<void> {
    const probes = Promise.all([...this.#watched.values()].map((one) => this.#probe(one)));
    await within(probes, LIMITS.foreignStartMs);
  }

  /** Probes one now. */
  async look(name: string): Promise<void> {
    const one = this.#watched.get(name);
    if (one !== undefined) await this.#probe(one);
  }

  catalogSources(): CatalogSource[] {
    return [...this.#watched.values()].map((one) => foreignSource(one.settings, one.description, one.figures, conditionOf(one)));
  }

  /** Kept when the source is well again; null where nothing was ever wrong, and for what is no foreign source. */
  lastFailure(name: string): ForeignFailure | null {
    return this.#watched.get(name)?.lastFailure ?? null;
  }

  /** An end of the line that no thread was given is closed here: that the other has closed stands behind what it said last, and is not heard where nobody listens. */
  scan(source: string, request: ForeignRequest): ForeignScan {
    const one = this.#watched.get(source)!;
    const deadlineMs = deadlineOf(one.settings, request);
    const { near, far } = this.#runner.openChannel();
    const visit: Visit = request.whole ? 'stream' : 'page';
    /** When it was its turn; null while it waits in line. */
    let askedMs: number | null = null;
    const scan: PortScan = new PortScan(near, { deadlineMs, silenceMs: timeoutOf(one.settings) ?? LIMITS.foreignSilenceMs }, (end) => {
      this.#running.delete(scan);
      if (askedMs === null) {
        leaveLine?.();
        far.close();
      } else one.gate.leave(visit);
      this.#learn(one, end, askedMs === null ? 0 : monotonicMs() - askedMs);
    });
    this.#running.add(scan);
    const leaveLine = one.gate.enter(visit, () => {
      askedMs = monotonicMs();
      this.#observe({ kind: 'scanned', source });
      const task = { kind: 'scan', source: one.settings, request: { ...request, deadlineMs }, port: far } as const;
      this.#runner.run(task).catch((error: unknown) => {
        far.close();
        scan.fail({ why: 'failed', failure: 'worker_lost', detail: lostBy(error) });
      });
    });
    if (leaveLine === null) scan.fail({ why: 'failed', failure: 'overloaded', detail: 'too many scans wait for it' });
    return scan;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const { timer } of this.#watched.values()) if (timer !== null) clearTimeout(timer);
    this.cancelAll();
    await this.#runner.close();
  }

  cancelAll(): void {
    for (const scan of this.#running) scan.close();
  }

  /**
   * A scan that nobody waited for to the end says nothing of the source but where it gave rows, as a page does that is not the last, also where what
   * it was late with was the count alone; one that was given little time says something only together with many, and one that waited in line all
   * its time says nothing at all.
   */
  #learn(one: Watched, { why, failure, detail, gave, gaveMs, incomplete, awaited, uncounted }: ForeignEnding, tookMs: number): void {
    if (this.#closed) return;
    const late = why === 'deadline' && (awaited || !gave);
    // Files have no server that hangs: they are late where more is asked of their engine than it can do, and leaving them out would help nobody.
    const isFiles = one.settings.config.kind === 'parquet';
    const gone = failure === 'unreachable' || failure === 'broken' || failure === 'malformed' || (late && !isFiles && tookMs >= LIMITS.breakerTimeoutMsMin);
    const served = why === 'end' || (why !== 'failed' && gaveMs >= one.goneMs && gave && !late);
    if (served) this.#answered(one);
    if (served || failure === 'unreachable') this.#tally(one, 0);
    else if (failure !== null && failure !== 'changed' && !gave && tookMs > 0) this.#tally(one, one.failedInARow + 1);
    if (failure !== null) this.#failed(one, failure, detail);
    else if (uncounted?.failure != null) this.#failed(one, uncounted.failure, uncounted.detail);
    if (gone) one.silent = failure === null;
    if (gone && this.#isLost(one)) this.#opened(one);
    const failed = failure ?? uncounted?.failure ?? null;
    if (failed !== null && WOULD_NOT.has(failed)) this.#lookAnew(one);
    // It is shown as degraded while its answers are partial, a full page too, and no longer. What another service lacks it says of itself.
    const inPart = failed === 'incomplete' || (incomplete && isFiles) || (one.inPart && !gave);
    if (inPart !== one.inPart && this.#lookAnew(one)) one.inPart = inPart;
    const isSilent = late && !gone && !gave && tookMs > 0;
    // What asks about files waits its turn behind the searches.
    if (isSilent && one.breaker.ranShort(monotonicMs())) void this.#askWhetherThere(one, isFiles ? LIMITS.describeMs : LIMITS.breakerSilenceMs);
  }

  #answered(one: Watched): void {
    const wasOpen = one.breaker.open;
    one.breaker.answered();
    if (wasOpen) this.#changed();
  }

  /** Whether its breaker opens now that it was found to be gone. */
  #isLost(one: Watched): boolean {
    one.goneMs = monotonicMs();
    return one.breaker.failed();
  }

  #failed(one: Watched, code: string, said: string): void {
    const detail = withoutValues(said);
    one.lastFailure = { unixMs: Date.now(), code, detail };
    this.#observe({ kind: 'failed', source: one.settings.config.name, code, detail });
  }

  /** What describes itself well may fail all that is searched, as a table does of which every row costs an error, and a server that lacks memory. */
  #tally(one: Watched, failedInARow: number): void {
    const wasFailing = isFailing(one);
    one.failedInARow = failedInARow;
    if (isFailing(one) !== wasFailing) this.#changed();
  }

  #opened(one: Watched): void {
    if (one.silent) this.#failed(one, 'timed_out', 'it did not answer its last searches in time');
    this.#changed();
    this.#probeIn(one, one.breaker.probeInMs(Math.random()));
  }

  /** What a source would not run it may have run before its table, or what may be read of it, was changed: who looks again sees that at once. */
  #lookAnew(one: Watched): boolean {
    if (one.breaker.open || monotonicMs() - one.lookedMs < LIMITS.refusedEveryMs) return false;
    one.lookedMs = Infinity;
    void this.#describe(one).finally(() => { one.lookedMs = monotonicMs(); });
    return true;
  }

  /** It costs the source little, and no caller anything: one that is merely slow for what is searched answers. */
  async #askWhetherThere(one: Watched, withinMs: number): Promise<void> {
    const reply = await this.#ask(one, 'describe', withinMs);
    if (this.#closed) return;
    if (reply?.ok === true) one.breaker.heard();
    else if (one.breaker.unheard()) {
      one.silent = true;
      one.goneMs = monotonicMs();
      this.#opened(one);
    }
  }

  async #count(one: Watched): Promise<void> {
    const reply = await this.#ask(one, 'figures', LIMITS.figuresMs);
    if (this.#closed || reply?.ok !== true) return;
    one.figures = reply.figures;
    // Every row was read for them.
    one.failedInARow = 0;
    this.#changed();
  }

  #ask(one: Watched, kind: 'describe' | 'figures', withinMs: number): Promise<TaskReply | Lost | null> {
    return this.#runner.run({ kind, source: one.settings, deadlineMs: monotonicMs() + withinMs })
      .catch((error: unknown) => ({ ok: false, code: 'worker_lost', detail: lostBy(error) }));
  }

  #probeIn(one: Watched, ms: number): void {
    if (one.timer !== null) clearTimeout(one.timer);
    one.timer = setTimeout(() => { void this.#probe(one); }, ms);
    one.timer.unref();
  }

  /** Its figures follow when they are known. */
  async #probe(one: Watched): Promise<void> {
    if (!await this.#describe(one)) return;
    this.#probeIn(one, LIMITS.describeEveryMs);
    void this.#count(one);
  }

  /**
   * Asks the source what it can: what it answers is news, and that it does closes its breaker. True where it did; where it did not it is probed. One that
   * says that it has no room is there, as it is for its searches.
   */
  async #describe(one: Watched): Promise<boolean> {
    const reply = await this.#ask(one, 'describe', LIMITS.describeMs);
    if (this.#closed) return false;
    if (reply?.ok === true) {
      one.breaker.answered();
      one.description = reply.description;
      this.#changed();
      return true;
    }
    this.#failed(one, reply?.code ?? 'worker_lost', reply?.detail ?? '');
    one.silent = reply?.code === 'timed_out';
    if (reply?.code !== 'overloaded' && !one.breaker.open && this.#isLost(one)) this.#changed();
    this.#probeIn(one, one.breaker.probeInMs(Math.random()));
    return false;
  }
}

/** Failures of what stands over there by now, and none of the line to it. */
const WOULD_NOT: ReadonlySet<string> = new Set(['refused', 'scan_crashed']);

type Lost = { readonly ok: false; readonly code: 'worker_lost'; readonly detail: string };

function lostBy(error: unknown): string {
  return error instanceof Error ? `the thread was lost: ${error.message}` : 'the thread was lost';
}

/** What a source may take for a page; a stream may go on as long as it brings rows. Whoever waits for it to the end has time left to answer without it. */
function deadlineOf(settings: ForeignSettings, { whole, deadlineMs }: ForeignRequest): number {
  const nowMs = monotonicMs();
  const lastMs = deadlineMs - Math.min(LIMITS.foreignKeptMsMax, LIMITS.foreignKeptShare * Math.max(0, deadlineMs - nowMs));
  return whole ? lastMs : Math.min(lastMs, nowMs + (timeoutOf(settings) ?? Infinity));
}

function timeoutOf({ config }: ForeignSettings): number | undefined {
  return config.timeout_ms;
}

function watched(settings: ForeignSettings): Watched {
  const places = settings.config.concurrency ?? LIMITS.sourceConcurrencyDefault;
  const gate = new Gate(places, places * LIMITS.waitingPerPlace);
  return {
    settings, breaker: new Breaker(true), gate, description: null, figures: null, lastFailure: null, timer: null,
    lookedMs: -Infinity, failedInARow: 0, inPart: false, silent: false, goneMs: -Infinity,
  };
}

function conditionOf(one: Watched): Condition {
  if (one.breaker.open) return one.silent ? 'silent' : 'down';
  return isFailing(one) ? 'failing' : 'well';
}

function isFailing({ failedInARow }: Watched): boolean {
  return failedInARow >= LIMITS.breakerFailures;
}
