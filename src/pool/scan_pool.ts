import { LIMITS } from '../config/limits.ts';
import { monotonicMs } from '../lib/clock.ts';
import { CancelFlags, type CancelLease } from './cancel.ts';
import type { BatchReply, Mount, ScanReply, ScanRequest } from './protocol.ts';
import type { Row } from '../model/field.ts';
import { Suppressions, type SharedSuppressions } from '../model/suppression/suppressions.ts';
import type { SegmentMount } from '../segment/mount.ts';
import type { BatchRunner } from './threads.ts';

/** Why a scan brought nothing, beside what the worker itself says. */
export type ScanFailure = { readonly ok: false; readonly code: 'overloaded' | 'timed_out' | 'worker_lost'; readonly detail: string };
export type ScanResult = ScanReply | ScanFailure;
export type ScanInput = Omit<ScanRequest, 'slot' | 'ticket'>;

type Waiting = { readonly request: ScanRequest; readonly resolve: (result: ScanResult) => void; settled: boolean };

/**
 * Hands scans to the threads in micro-batches: all that arrived in one turn of the event loop, or while every thread was busy,
 * goes as one task, because a task costs several times what a short scan does.
 *
 * Every scan is answered by its deadline and `LIMITS.deadlineTickMs`, whatever the threads do; none rejects.
 */
export class ScanPool {
  readonly #runner: BatchRunner;
  readonly #flags = new CancelFlags();
  readonly #observe: (source: ScanObservation) => void;
  #mount: Mount;
  #suppressions: SharedSuppressions | null = null;
  #reader: Suppressions | null = null;
  /** Threads that have answered under the present epoch: until all have, every batch brings the mount along. */
  #mounted = new Set<number>();
  #queue: Waiting[] = [];
  #running = new Set<Waiting>();
  #busy = 0;
  #flushing = false;
  #ticker: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(runner: BatchRunner, observe: (observation: ScanObservation) => void = () => {}) {
    this.#runner = runner;
    this.#observe = observe;
    this.#mount = { epoch: 0, segments: [], cancelFlags: this.#flags.shared };
  }

  get threads(): { readonly wanted: number; readonly alive: number } {
    return { wanted: this.#runner.threads, alive: this.#runner.threadsAlive };
  }

  get queued(): number { return this.#queue.length; }

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
    this.#mounted = new Set();
  }

  lease(): CancelLease | null { return this.#flags.lease(); }
  cancel(lease: CancelLease): void { this.#flags.cancel(lease); }
  cancelAll(): void { this.#flags.cancelAll(); }
  release(lease: CancelLease): void { this.#flags.release(lease); }

  scan(input: ScanInput, lease: CancelLease): Promise<ScanResult> {
    if (this.#closed || this.#queue.length >= LIMITS.scansQueuedMax) {
      return Promise.resolve({ ok: false, code: 'overloaded', detail: 'too many scans are waiting' });
    }
    return new Promise((resolve) => {
      this.#queue.push({ request: { ...input, slot: lease.slot, ticket: lease.ticket }, resolve, settled: false });
      this.#armTicker();
      if (!this.#flushing) {
        this.#flushing = true;
        setImmediate(() => { this.#flushing = false; this.#flush(); });
      }
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#expire(Infinity);
    if (this.#ticker !== null) clearInterval(this.#ticker);
    this.#ticker = null;
    await this.#runner.close();
  }

  #flush(): void {
    while (this.#queue.length > 0 && this.#busy < this.#runner.threads) {
      const idle = this.#runner.threads - this.#busy;
      const size = Math.min(LIMITS.scansInBatchMax, Math.ceil(this.#queue.length / idle));
      const batch = this.#queue.splice(0, size).filter((waiting) => !waiting.settled);
      if (batch.length > 0) void this.#run(batch);
    }
  }

  async #run(batch: readonly Waiting[]): Promise<void> {
    this.#busy += 1;
    let latestMs = 0;
    for (const waiting of batch) {
      this.#running.add(waiting);
      latestMs = Math.max(latestMs, waiting.request.deadlineMs);
    }
    const mount = this.#mount;
    const hungMs = Math.min(LIMITS.sliceMsMax, Math.max(0, latestMs - monotonicMs())) + LIMITS.cancelGraceMs;
    try {
      const allMounted = this.#mounted.size >= this.#runner.threads;
      const reply = await this.#runner.run(
        { epoch: mount.epoch, mount: allMounted ? null : mount, scans: batch.map(({ request }) => request) }, hungMs);
      if (reply.epoch !== mount.epoch) this.#again(batch);
      else this.#settleAll(batch, reply);
      if (reply.epoch === this.#mount.epoch) this.#mounted.add(reply.thread);
    } catch {
      // The thread is gone and a new one knows no segments yet.
      this.#mounted.clear();
      for (const waiting of batch) this.#settle(waiting, { ok: false, code: 'worker_lost', detail: 'the scan thread was lost' });
    } finally {
      this.#busy -= 1;
      if (!this.#flushing) this.#flush();
    }
  }

  /** A thread that took the place of an idle one that died knows no segments: it is told with the next batch. */
  #again(batch: readonly Waiting[]): void {
    this.#mounted.clear();
    for (const waiting of batch) this.#running.delete(waiting);
    this.#queue.unshift(...batch.filter((waiting) => !waiting.settled));
  }

  #settleAll(batch: readonly Waiting[], reply: BatchReply): void {
    for (let i = 0; i < batch.length; i += 1) {
      this.#observe({ segment: batch[i]!.request.segment, thread: reply.thread });
      this.#settle(batch[i]!, reply.replies[i]!);
    }
  }

  #settle(waiting: Waiting, result: ScanResult): void {
    this.#running.delete(waiting);
    if (waiting.settled) return;
    waiting.settled = true;
    waiting.resolve(result);
  }

  /** One coarse clock for all scans: a timer for each would cost as much as handing the scan over. */
  #armTicker(): void {
    this.#ticker ??= setInterval(() => {
      this.#expire(monotonicMs());
      if (this.#queue.length === 0 && this.#running.size === 0 && this.#ticker !== null) {
        clearInterval(this.#ticker);
        this.#ticker = null;
      }
    }, LIMITS.deadlineTickMs);
  }

  #expire(nowMs: number): void {
    for (const waiting of this.#running) if (waiting.request.deadlineMs <= nowMs) this.#settle(waiting, TIMED_OUT);
    if (!this.#queue.some(({ request }) => request.deadlineMs <= nowMs)) return;
    const late = this.#queue.filter(({ request }) => request.deadlineMs <= nowMs);
    this.#queue = this.#queue.filter(({ request }) => request.deadlineMs > nowMs);
    for (const waiting of late) this.#settle(waiting, TIMED_OUT);
  }
}

/** What the metrics count: which thread scanned which segment. Thread 0 is the main one. */
export type ScanObservation = { readonly segment: string; readonly thread: number };

const TIMED_OUT: ScanFailure = { ok: false, code: 'timed_out', detail: 'the scan did not end in time' };
