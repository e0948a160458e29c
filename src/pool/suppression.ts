import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { THIS_CODE } from '../config/code.ts';
import { LIMITS } from '../config/limits.ts';
import { AppError, type ErrorCode } from '../model/errors.ts';
import type { Health } from '../model/health.ts';
import type { SharedSuppressions } from '../model/suppression/suppressions.ts';
import type { SuppressionKind, SuppressionTerm } from '../model/suppression/term.ts';
import type { IndexPlace } from '../segment/index_memory.ts';
import type { SegmentMount } from '../segment/mount.ts';
import type { LoadedSegment, LoadSegments, Mountable } from '../sources/lake/loading.ts';
import type { Suppression as StoredSuppression, SuppressionPage } from '../store/suppression_store.ts';
import type { FromKeeper, KeeperSettings, KeptAnswer, Question, ToKeeper } from '../worker/suppression/protocol.ts';

const ENTRY = new URL(`../worker/suppression_entry${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/** Told when the store cannot be read or a thread was lost, and when the store can be read again. */
export type SuppressionNews = { readonly onTrouble: (error: unknown) => void; readonly onWell: () => void };

type Waiting<T> = { readonly resolve: (value: T) => void; readonly reject: (error: unknown) => void };
/** `followed`: the thread that is there now has examined it, and marks what is suppressed later. */
type Examined = {
  readonly number: number;
  readonly segment: Pick<SegmentMount, 'index' | 'rows'>;
  dead: SharedArrayBuffer | null;
  followed: boolean;
  waiting: Waiting<void> | null;
};

/**
 * What must not be seen: this side of the thread that keeps it (see `worker/suppression`). What the thread last said stands while it
 * cannot read the store, or is being replaced; a segment that it has not examined is not served.
 */
export class Suppression {
  readonly #settings: KeeperSettings;
  readonly #onChange: () => void;
  readonly #onTrouble: (error: unknown) => void;
  readonly #onWell: () => void;
  readonly #examined = new Map<IndexPlace, Examined>();
  readonly #asked = new Map<number, Waiting<KeptAnswer>>();
  #mounted: ReadonlySet<IndexPlace> = new Set();
  #worker: Worker;
  #shared: SharedSuppressions | null = null;
  #number = 0;
  #trouble: string | null = null;
  #closing = false;
  #opened: Waiting<void> | null = null;

  private constructor(settings: KeeperSettings, onChange: () => void, { onTrouble, onWell }: SuppressionNews) {
    this.#settings = settings;
    this.#onChange = onChange;
    this.#onTrouble = onTrouble;
    this.#onWell = onWell;
    this.#worker = this.#start();
  }

  /** Resolves once all that is suppressed is known. `onChange` is called after each change of it, before whoever made it is answered. */
  static async open(settings: KeeperSettings, onChange: () => void, news: SuppressionNews): Promise<Suppression> {
    const suppression = new Suppression(settings, onChange, news);
    await new Promise<void>((resolve, reject) => { suppression.#opened = { resolve, reject }; });
    return suppression;
  }

  /** For threads that see rows of their own: see `model/suppression`. Another one after each change that had to make room. */
  get shared(): SharedSuppressions {
    return this.#shared!;
  }

  /** Loads segments as `load` does, and has each examined before it can be served. Where one of them is refused none is served: none is kept. */
  guard(load: LoadSegments): LoadSegments {
    return async (files, spoilt) => {
      const loaded = await load(files, spoilt);
      if (!loaded.every(({ ok }) => ok)) return loaded;
      const examined = await Promise.all(loaded.map((segment) => (segment.ok ? this.#examine(segment) : segment)));
      if (!examined.every(({ ok }) => ok)) for (const segment of examined) if (segment.ok) this.#forget(segment.index);
      return examined;
    };
  }

  /** The dead rows of a segment that came through `guard`. */
  deadOf(index: IndexPlace): SharedArrayBuffer | null {
    const examined = this.#examined.get(index);
    if (examined === undefined) throw new Error('a segment is mounted that was not examined');
    return examined.dead;
  }

  /** Which segments are mounted now: those of the last time that are not any more are forgotten. */
  mounted(segments: readonly SegmentMount[]): void {
    const before = this.#mounted;
    this.#mounted = new Set(segments.map(({ index }) => index));
    for (const index of before) if (!this.#mounted.has(index)) this.#forget(index);
  }

  /** Resolves once it is on the disk and no row that matches can leave any more, with how many terms changed. All terms or none. */
  add(terms: readonly SuppressionTerm[], nowMs: number): Promise<number> {
    return this.#ask({ verb: 'add', terms, nowMs }) as Promise<number>;
  }

  remove(terms: readonly SuppressionTerm[]): Promise<number> {
    return this.#ask({ verb: 'remove', terms }) as Promise<number>;
  }

  list(of: SuppressionKind | null, page: SuppressionPage): Promise<readonly StoredSuppression[]> {
    return this.#ask({ verb: 'list', of, ...page }) as Promise<readonly StoredSuppression[]>;
  }

  health(): Health {
    const trouble = this.#trouble ?? (this.#isBehind ? LOST : null);
    return trouble === null ? { status: 'ok', detail: 'followed' } : { status: 'degraded', detail: trouble };
  }

  async close(): Promise<void> {
    this.#closing = true;
    // It has ended already.
    if (this.#trouble === LOST) return;
    const ended = new Promise((resolve) => { this.#worker.once('exit', resolve); });
    this.#tell({ kind: 'close' });
    await ended;
  }

  #start(): Worker {
    const worker = new Worker(ENTRY, { workerData: this.#settings, argv: [...THIS_CODE], resourceLimits: { maxYoungGenerationSizeMb: LIMITS.suppressionHeapYoungMb } });
    worker.on('message', (message: FromKeeper) => this.#receive(message));
    const lost = (error: unknown): void => { if (worker === this.#worker) this.#lost(error); };
    worker.on('error', lost);
    worker.on('exit', () => lost(new Error('the thread that keeps the suppressions ended')));
    return worker;
  }

  async #examine(segment: Mountable): Promise<LoadedSegment> {
    const examined: Examined = { number: ++this.#number, segment, dead: null, followed: false, waiting: null };
    this.#examined.set(segment.index, examined);
    try {
      await new Promise<void>((resolve, reject) => {
        examined.waiting = { resolve, reject };
        this.#hand(examined);
      });
      return segment;
    } catch {
      this.#examined.delete(segment.index);
      return { ok: false, reason: 'unreadable' };
    }
  }

  #forget(index: IndexPlace): void {
    const examined = this.#examined.get(index);
    if (examined === undefined) return;
    this.#examined.delete(index);
    this.#tell({ kind: 'forget', number: examined.number });
  }

  #hand({ number, segment: { index, rows } }: Examined): void {
    this.#tell({ kind: 'examine', number, index, rows });
  }

  #ask(question: Question): Promise<KeptAnswer> {
    // What a thread that was lost is asked nobody answers, and one that took over would answer before a change is in effect.
    const isEarly = this.#trouble === LOST || (question.verb !== 'list' && this.#isBehind);
    if (this.#closing || isEarly || this.#asked.size >= LIMITS.suppressionQuestionsMax) return Promise.reject(unavailable());
    const number = ++this.#number;
    return new Promise((resolve, reject) => {
      this.#asked.set(number, { resolve, reject });
      this.#tell({ kind: 'ask', number, question });
    });
  }

  /** Whether rows of what is served are not marked by a thread that took over, nor yet examined by it. */
  get #isBehind(): boolean {
    return [...this.#examined.values()].some(({ followed, waiting }) => !followed && waiting === null);
  }

  #tell(message: ToKeeper): void {
    this.#worker.postMessage(message);
  }

  #receive(message: FromKeeper): void {
    switch (message.kind) {
      case 'changed': return this.#change(message);
      case 'examined': {
        const examined = this.#examinedOf(message.number);
        if (examined === undefined) return;
        examined.dead = message.dead;
        examined.followed = true;
        if (examined.waiting === null) this.#onChange();
        examined.waiting?.resolve();
        examined.waiting = null;
        return;
      }
      case 'answer': return this.#asking(message.number)?.resolve(message.answer);
      case 'failed':
        if (message.of === 'ask') this.#asking(message.number)?.reject(errorOf(message.error));
        else this.#unexamined(message.number, errorOf(message.error));
        return;
      case 'trouble':
        this.#trouble = 'the store cannot be read: later changes of other processes are not seen';
        return this.#onTrouble(message.error);
      case 'well':
        this.#trouble = null;
        return this.#onWell();
      default: return message satisfies never;
    }
  }

  #change({ shared, dead }: FromKeeper & { kind: 'changed' }): void {
    this.#shared = shared;
    for (const { number, dead: rows } of dead) {
      const examined = this.#examinedOf(number);
      if (examined !== undefined) examined.dead = rows;
    }
    if (this.#opened === null) return this.#onChange();
    this.#opened.resolve();
    this.#opened = null;
    this.#trouble = null;
  }

  /** One that is served, and was handed to a thread that took over, is handed over until it is followed: whatever is suppressed later would leave from it. */
  #unexamined(number: number, error: unknown): void {
    const examined = this.#examinedOf(number);
    if (examined === undefined) return;
    if (examined.waiting !== null) return examined.waiting.reject(error);
    this.#onTrouble(error);
    setTimeout(() => { if (!this.#closing && this.#examinedOf(number) === examined) this.#hand(examined); }, LIMITS.poolRebuildMs).unref();
  }

  #examinedOf(number: number): Examined | undefined {
    return [...this.#examined.values()].find((examined) => examined.number === number);
  }

  #asking(number: number): Waiting<KeptAnswer> | undefined {
    const waiting = this.#asked.get(number);
    this.#asked.delete(number);
    return waiting;
  }

  /** Another thread takes over: it reads everything anew, and is given every segment. */
  #lost(error: unknown): void {
    if (this.#closing || this.#trouble === LOST) return;
    this.#opened?.reject(error);
    if (this.#opened !== null) return;
    this.#trouble = LOST;
    this.#onTrouble(error);
    for (const { reject } of this.#asked.values()) reject(unavailable());
    this.#asked.clear();
    void this.#replace();
  }

  async #replace(): Promise<void> {
    await sleep(LIMITS.poolRebuildMs);
    if (this.#closing) return;
    this.#trouble = null;
    this.#worker = this.#start();
    for (const examined of this.#examined.values()) {
      examined.followed = false;
      this.#hand(examined);
    }
  }
}

const LOST = 'its thread was lost and is being replaced';

function unavailable(): AppError {
  return new AppError('store_unavailable', 'The suppressions cannot be changed at the moment. Try again.', { retryAfter: 1 });
}

function errorOf(error: unknown): unknown {
  if (error instanceof Error) return error;
  const { code, detail, cause } = error as { code: ErrorCode; detail: string; cause: unknown };
  return new AppError(code, detail, { retryAfter: 1, cause });
}
