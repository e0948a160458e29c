import { EventEmitter } from 'node:events';
import { Piscina } from 'piscina';
import { LIMITS } from '../config/limits.ts';
import { packBatch, unpackReply, type PackedBatch, type PackedReply } from './packed_protocol.ts';
import type { BatchReply, ScanBatch } from './protocol.ts';

/** What runs batches of scans: threads, or in tests the caller's own. */
export interface BatchRunner {
  readonly threads: number;
  /** Threads that are up; one that died is replaced, and is missing here until then. */
  readonly threadsAlive: number;
  /** Runs on the thread of that number, 0 .. threads - 1, one batch at a time each. Rejects when it died, or was stopped because it had not answered after `hungMs`. */
  run(thread: number, batch: ScanBatch, hungMs: number): Promise<BatchReply>;
  close(): Promise<void>;
}

// The compiled entry lies where the source does, under another ending.
const ENTRY = new URL(`../worker/entry${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/**
 * Threads, each in a pool of its own because what a thread keeps of a scan is asked for again there. They block in `Atomics.wait` while idle: right
 * for scans over memory and files, wrong for whatever holds a socket.
 */
export function startThreads(threads: number, entry: URL = ENTRY): BatchRunner {
  const all = Array.from({ length: threads }, () => new OneThread(entry));
  return {
    threads,
    get threadsAlive() { return all.reduce((sum, { alive }) => sum + alive, 0); },
    run: (thread, batch, hungMs) => runBounded(all[thread]!.living(), batch, hungMs),
    close: async () => { await Promise.all(all.map((one) => one.close())); },
  };
}

class OneThread {
  readonly #entry: URL;
  #pool: Piscina<PackedBatch, PackedReply>;
  #startedMs = performance.now();

  constructor(entry: URL) {
    this.#entry = entry;
    this.#pool = startPool(entry);
  }

  get alive(): number { return this.#pool.threads.length; }

  /** A pool whose thread fails while it loads stops replacing it, and its tasks would wait for ever. */
  living(): Piscina<PackedBatch, PackedReply> {
    if (this.alive === 0 && performance.now() - this.#startedMs > LIMITS.poolRebuildMs) {
      void this.#pool.destroy();
      this.#pool = startPool(this.#entry);
      this.#startedMs = performance.now();
    }
    return this.#pool;
  }

  close(): Promise<void> { return this.#pool.destroy(); }
}

function startPool(entry: URL): Piscina<PackedBatch, PackedReply> {
  const pool = new Piscina<PackedBatch, PackedReply>({
    filename: entry.href,
    name: 'runBatch',
    minThreads: 1,
    maxThreads: 1,
    concurrentTasksPerWorker: 1,
    recordTiming: false,
  });
  // An error event that nobody hears would end the process; the promise of the task itself tells what failed.
  pool.on('error', () => {});
  return pool;
}

/**
 * Aborting a task ends its thread, so only a thread that stopped answering is aborted. The pool takes an emitter for a signal,
 * which costs a fraction of an AbortController a task.
 */
async function runBounded(pool: Piscina<PackedBatch, PackedReply>, batch: ScanBatch, hungMs: number): Promise<BatchReply> {
  const signal = new EventEmitter();
  const timer = setTimeout(() => signal.emit('abort'), hungMs);
  try {
    return unpackReply(await pool.run(packBatch(batch), { signal }));
  } finally {
    clearTimeout(timer);
  }
}
