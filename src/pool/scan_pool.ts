import { LIMITS } from '../config/limits.ts';
import { monotonicMs } from '../lib/clock.ts';
import { CancelFlags, type CancelLease } from './cancel.ts';
import type { BatchReply, FailedReply, Mount, ScanRequest } from './protocol.ts';
import type { Row } from '../model/field.ts';
import { Suppressions, type SharedSuppressions } from '../model/suppression/suppressions.ts';
import type { SegmentMount } from '../segment/mount.ts';
import { ScanQueue, type Later, type ScanFailure, type ScanListener, type ScanResult, type Waiting } from './scan_queue.ts';
import type { BatchRunner } from './threads.ts';

type PoolBounds = { readonly sliceMs: number; readonly batchHungMs: number };

/** `told` is the last epoch whose mount was sent, `id` that of the thread which answered last; -1 where it knows no segments. */
type Thread = { readonly index: number; underWay: number; told: number; id: number };

/**
 * Hands scans to the threads in micro-batches of what arrived in one turn of the event loop: a batch costs what some scans do, and larger ones
 * would have the threads and the service's own wait for each other.
 *
 * No batch holds a thread for longer than a slice. First slices and later ones take turns, so that a short search waits for one slice of
 * the long ones at most; of the later ones the scan that has had the least goes first.
 *
 * Every scan is answered by its deadline, twice `LIMITS.scanMarginMs` and `LIMITS.deadlineTickMs`, whatever the threads do; none rejects.
 */
export class ScanPool {
  readonly #runner: BatchRunner;
  readonly #flags = new CancelFlags();
  readonly #observe: (observation: ScanObservation) => void;
  readonly #bounds: PoolBounds;
  readonly #threads: readonly Thread[];
  readonly #queue = new ScanQueue();
  #mount: Mount;
  #suppressions: SharedSuppressions | null = null;
  #reader: Suppressions | null = null;
  /**
   * Batches of which somebody still waits for a scan. A list, not a set: the table of a set that was replaced by a larger or smaller one
   * points to its successor, so that one such table in the old space keeps all later ones alive, and whatever stands in them.
   */
  #running: (readonly Waiting[])[] = [];
  #flushing = false;
  readonly #flushDue = (): void => {
    this.#flushing = false;
    this.#flush();
  };
  #ticker: NodeJS.Timeout | null = null;
  #telling: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(runner: BatchRunner, observe: (observation: ScanObservation) => void = () => {}, bounds: PoolBounds = LIMITS) {
    this.#runner = runner;
    this.#observe = observe;
    this.#bounds = bounds;
    this.#threads = Array.from({ length: runner.threads }, (_, index) => ({ index, underWay: 0, told: -1, id: -1 }));
    this.#mount = { epoch: 0, segments: [], cancelFlags: this.#flags.shared };
  }

  get threads(): { readonly wanted: number; readonly alive: number } {
    return { wanted: this.#runner.threads, alive: this.#runner.threadsAlive };
  }

  /** Counts the mounts: a scan that was asked for under another one may give rows that were suppressed since. */
  get epoch(): number { return this.#mount.epoch; }

  /** What must not leave a source that is no mounted segment. */
  get suppressions(): SharedSuppressions | null { return this.#suppressions; }

  isSuppressed(row: Row): boolean { return this.#reader?.isSuppressed(row) ?? false; }

  /** Replaces what can be scanned, and what must not be given. Scans that name a segment no longer mounted are answered `segment_unknown`. */
  mount(segments: readonly SegmentMount[], suppressions: SharedSuppressions | null = null): void {
    this.#mount = { epoch: this.#mount.epoch + 1, segments, cancelFlags: this.#flags.shared };
    this.#suppressions = suppressions;
    this.#reader = suppressions === null ? null : new Suppressions(suppressions);
    this.#tellLater();
  }

  lease(): CancelLease | null { return this.#flags.lease(); }
  cancel(lease: CancelLease): void { this.#flags.cancel(lease); }
  cancelAll(): void { this.#flags.cancelAll(); }
  isCancelled(lease: CancelLease): boolean { return this.#flags.isCancelled(lease); }
  release(lease: CancelLease): void { this.#flags.release(lease); }

  /** `later`: what went before of a scan that did not fit its first slice. It belongs to a call that was let in, and is never refused. */
  scan(request: ScanRequest, later: Later | null = null): Promise<ScanResult> {
    return new Promise((resolve) => { this.ask(request, later, { scanned: resolve }); });
  }

  /** The same without a promise: what is asked for many thousand times a second is told by a call. */
  ask(request: ScanRequest, later: Later | null, listener: ScanListener): void {
    if (this.#closed || (later === null && this.#queue.length >= LIMITS.scansQueuedMax)) return listener.scanned(OVERLOADED);
    this.#queue.push({ request, later: this.#held(later), givenUpMs: request.deadlineMs + 2 * LIMITS.scanMarginMs, listener, settled: false });
    this.#armTicker();
    // A full batch does not wait for the end of the turn, which may bring hundreds of requests: its thread would stand idle meanwhile.
    if (this.#queue.length >= LIMITS.scansInBatchMax) this.#flush();
    if (this.#flushing) return;
    this.#flushing = true;
    setImmediate(this.#flushDue);
  }

  /** Rows that a scan had found and that could not be read by the main thread. */
  tellBroken(segment: string, detail: string): void {
    this.#observe({ segment, thread: 0, failure: { ok: false, code: 'scan_crashed', detail } });
  }

  /** What a thread kept that is gone may be begun anew by any. */
  #held(later: Later | null): Later | null {
    return later === null || this.#threads.some(({ id }) => id === later.heldBy) ? later : { ...later, heldBy: null };
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#expire(Infinity);
    if (this.#ticker !== null) clearInterval(this.#ticker);
    this.#ticker = null;
    if (this.#telling !== null) clearTimeout(this.#telling);
    await this.#runner.close();
  }

  /** A thread is told of a mount with its next batch. One that gets none would keep open what is mounted no more, and the disk would not get the room of deleted files back. */
  #tellLater(): void {
    this.#telling ??= setTimeout(() => {
      this.#telling = null;
      if (this.#closed) return;
      const untold = this.#threads.filter(({ told }) => told !== -1 && told !== this.#mount.epoch);
      for (const thread of untold) if (thread.underWay === 0) void this.#run(thread, NO_SCANS);
      if (untold.some(({ told }) => told !== this.#mount.epoch)) this.#tellLater();
    }, LIMITS.idleThreadsToldMs).unref();
  }

  #flush(): void {
    const max = this.#runner.underWayMax;
    let idle = this.#threads.reduce((count, { underWay }) => (underWay < max ? count + 1 : count), 0);
    for (const thread of this.#threads) {
      if (thread.underWay >= max) continue;
      const batch = this.#queue.take(thread, idle);
      idle -= 1;
      if (batch.length > 0) void this.#run(thread, batch);
    }
  }

  async #run(thread: Thread, batch: readonly Waiting[]): Promise<void> {
    thread.underWay += 1;
    this.#running.push(batch);
    const mount = this.#mount;
    const isTold = thread.told === mount.epoch;
    thread.told = mount.epoch;
    try {
      const reply = await this.#runner.run(thread.index, {
        epoch: mount.epoch, mount: isTold ? null : mount, scans: batch.map(({ request }) => request), sliceMs: this.#bounds.sliceMs,
      }, this.#bounds.batchHungMs);
      // A thread that took the place of an idle one that died knows no segments: it is told with the next batch.
      if (reply.epoch < mount.epoch) thread.told = -1;
      this.#settleAll(thread, batch, reply.epoch === mount.epoch ? reply : { ...reply, replies: [] });
      if (reply.epoch !== mount.epoch) reply.replies.forEach(drop);
    } catch {
      thread.told = -1;
      this.#meet(thread, -1);
      for (const waiting of batch) this.#settle(waiting, LOST);
    } finally {
      this.#over(batch);
      thread.underWay -= 1;
      if (!this.#flushing) this.#flush();
    }
  }

  /** What the thread before it kept is gone. */
  #meet(thread: Thread, id: number): void {
    if (thread.id !== id && thread.id !== -1) this.#queue.forget(thread.id);
    thread.id = id;
  }

  /** What the thread did not come to waits on, before all others, and before whoever is told asks for more; where it is another thread by now, for none of what it kept. */
  #settleAll(asked: Thread, batch: readonly Waiting[], { thread, replies }: BatchReply): void {
    this.#over(batch);
    if (replies.length < batch.length) this.#queue.putBack(batch.slice(replies.length).filter(({ settled }) => !settled));
    this.#meet(asked, thread);
    for (let i = 0; i < replies.length; i += 1) {
      const reply = replies[i]!;
      this.#observe({ segment: batch[i]!.request.segment, thread, failure: reply.ok ? null : reply });
      this.#settle(batch[i]!, reply);
    }
  }

  #over(batch: readonly Waiting[]): void {
    const at = this.#running.indexOf(batch);
    if (at !== -1) this.#running.splice(at, 1);
  }

  #settle(waiting: Waiting, result: ScanResult): void {
    if (waiting.settled) return drop(result);
    waiting.settled = true;
    waiting.listener.scanned(result);
  }

  /** One coarse clock for all scans: a timer for each would cost as much as handing the scan over. */
  #armTicker(): void {
    this.#ticker ??= setInterval(() => {
      this.#expire(monotonicMs());
      if (this.#queue.length === 0 && this.#running.length === 0 && this.#ticker !== null) {
        clearInterval(this.#ticker);
        this.#ticker = null;
      }
    }, LIMITS.deadlineTickMs);
  }

  #expire(nowMs: number): void {
    for (const batch of this.#running.slice()) {
      for (const waiting of batch) if (!waiting.settled && waiting.givenUpMs <= nowMs) this.#settle(waiting, TIMED_OUT);
      if (batch.every(({ settled }) => settled)) this.#over(batch);
    }
    for (const waiting of this.#queue.dropLate(nowMs)) this.#settle(waiting, TIMED_OUT);
  }
}

/** Nobody waits for the result any more. */
function drop(result: ScanResult): void {
  if (result.ok) result.text?.release();
}

/** What the metrics count, and the log tells: which thread scanned which segment, and why it could not. Thread 0 is the main one. */
export type ScanObservation = { readonly segment: string; readonly thread: number; readonly failure: FailedReply | null };

const NO_SCANS: readonly Waiting[] = [];
const OVERLOADED: ScanFailure = { ok: false, code: 'overloaded' };
const LOST: ScanFailure = { ok: false, code: 'worker_lost' };
const TIMED_OUT: ScanFailure = { ok: false, code: 'timed_out' };
