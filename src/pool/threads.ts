import { LIMITS } from '../config/limits.ts';
import { LoneThread } from './lone_thread.ts';
import { makeMailboxMemory, type MailboxMemory, type TermTask } from './mailbox_protocol.ts';
import type { BatchReply, ScanBatch } from './protocol.ts';
import { Term } from './term.ts';

/** What runs batches of scans: threads, or in tests the caller's own. */
export interface BatchRunner {
  readonly threads: number;
  /** Threads that are up; one that died is replaced, and is missing here until then. */
  readonly threadsAlive: number;
  /** Batches that one thread is given at a time: what is sent while it is busy spares it the wait for the next. */
  readonly underWayMax: number;
  /** Runs on the thread of that number, 0 .. threads - 1, in order. Rejects when it died, or was stopped because it had not answered after `hungMs`. */
  run(thread: number, batch: ScanBatch, hungMs: number): Promise<BatchReply>;
  close(): Promise<void>;
}

/** `onLost` is told why a thread was lost, or could not begin; another is begun in its place. */
type ThreadSettings = { readonly entry: URL; readonly startMs: number; readonly onLost: (error: unknown) => void };

// The compiled entry lies where the source does, under another ending.
const ENTRY = new URL(`../worker/entry${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/**
 * Threads, each in a pool of its own because what a thread keeps of a scan is asked for again there. They sleep in `Atomics.wait` while idle: right
 * for scans over memory and files, wrong for whatever holds a socket.
 */
export function startThreads(threads: number, settings: Partial<ThreadSettings> = {}): BatchRunner {
  const watch = new Watch();
  const all = Array.from({ length: threads }, () => new OneThread({ entry: ENTRY, startMs: LIMITS.scanThreadStartMs, onLost: () => {}, ...settings }, watch));
  return {
    threads,
    underWayMax: LIMITS.batchesUnderWayMax,
    get threadsAlive() { return all.filter(({ alive }) => alive).length; },
    run: (thread, batch, hungMs) => all[thread]!.run(batch, hungMs),
    close: async () => { await Promise.all(all.map((one) => one.close())); },
  };
}

class OneThread {
  readonly #settings: ThreadSettings;
  readonly #watch: Watch;
  readonly #thread: LoneThread<TermTask, void>;
  #term: Term | null = null;
  /** Of one term after the other: a mount, which every suppression brings, would else take all of it anew. */
  #memory = makeMailboxMemory();
  /** Since the memory was made. */
  #hasLost = false;
  #closed = false;

  constructor(settings: ThreadSettings, watch: Watch) {
    this.#settings = settings;
    this.#watch = watch;
    this.#thread = new LoneThread({ filename: settings.entry.href, name: 'serveTerm', concurrentTasksPerWorker: 1 }, (error) => this.#lost(error));
    this.#thread.pool();
  }

  get alive(): boolean { return this.#thread.alive; }

  run(batch: ScanBatch, hungMs: number): Promise<BatchReply> {
    if (batch.mount !== null) {
      this.#memory = this.#memoryAfter(this.#term);
      this.#term?.leave();
      this.#term = new Term(this.#thread.pool(), batch.mount, {
        memory: this.#memory, startMs: this.#settings.startMs, onPing: () => { this.#watch.look(); }, onLost: (error) => this.#lost(error),
      });
    }
    const term = this.#term;
    // The thread died idle: whoever takes its place has been told of no mount.
    if (term === null || !term.open) return Promise.resolve({ thread: -1, epoch: -1, replies: [] });
    const reply = term.send(batch, hungMs);
    this.#watch.over(term);
    return reply;
  }

  close(): Promise<void> {
    this.#closed = true;
    return this.#thread.close();
  }

  #lost(error: unknown): void {
    this.#hasLost = true;
    if (!this.#closed) this.#settings.onLost(error);
  }

  /** Trays that a lost thread had taken are never told of, also where the next term was waiting for it already; slots are in use while batches are under way. */
  #memoryAfter(term: Term | null): MailboxMemory {
    if (!this.#hasLost && (term === null || term.underWay === 0)) return this.#memory;
    const trays = this.#hasLost ? undefined : this.#memory.trays;
    this.#hasLost = false;
    return makeMailboxMemory(trays);
  }
}

/**
 * Looks for replies once a turn of the event loop while turns bring something, batches sent or replies come. After a turn that brought
 * nothing the loop may sleep: the threads are asked for a ping.
 */
class Watch {
  readonly #terms = new Set<Term>();
  #isDue = false;
  #sentSince = false;
  #awaitsPing = false;

  over(term: Term): void {
    this.#terms.add(term);
    this.#sentSince = true;
    this.#lookSoon();
  }

  look(): void {
    if (this.#awaitsPing) this.#wantPings(false);
    let moved = this.#sentSince;
    this.#sentSince = false;
    for (const term of this.#terms) {
      if (term.take()) moved = true;
      if (term.underWay === 0) this.#terms.delete(term);
    }
    if (this.#terms.size === 0) return;
    if (moved) this.#lookSoon();
    else this.#sleep();
  }

  /** What came before the threads saw that a ping is wanted would never be told. */
  #sleep(): void {
    this.#wantPings(true);
    for (const term of this.#terms) if (term.take()) this.#lookSoon();
  }

  #wantPings(wanted: boolean): void {
    this.#awaitsPing = wanted;
    for (const term of this.#terms) term.wantPing(wanted);
  }

  #lookSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      this.look();
    });
  }
}
