import { EventEmitter } from 'node:events';
import { Piscina } from 'piscina';
import { LIMITS } from '../config/limits.ts';
import type { BatchReply, ScanBatch } from './protocol.ts';

/** What runs batches of scans: threads, or in tests the caller's own. */
export interface BatchRunner {
  readonly threads: number;
  /** Threads that are up; one that died is replaced, and is missing here until then. */
  readonly threadsAlive: number;
  /** Rejects when its thread died, or was stopped because it had not answered after `hungMs`. */
  run(batch: ScanBatch, hungMs: number): Promise<BatchReply>;
  close(): Promise<void>;
}

// The compiled entry lies where the source does, under another ending.
const ENTRY = new URL(`../worker/entry${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/** Threads that block in `Atomics.wait` while idle: right for scans over memory and files, wrong for whatever holds a socket. */
export function startThreads(threads: number, entry: URL = ENTRY): BatchRunner {
  let pool = startPool(threads, entry);
  let startedMs = performance.now();

  // A pool whose threads fail while they load stops replacing them, and its tasks would wait for ever.
  const living = (): Piscina<ScanBatch, BatchReply> => {
    if (pool.threads.length === 0 && performance.now() - startedMs > LIMITS.poolRebuildMs) {
      void pool.destroy();
      pool = startPool(threads, entry);
      startedMs = performance.now();
    }
    return pool;
  };
  return {
    threads,
    get threadsAlive() { return pool.threads.length; },
    run: (batch, hungMs) => runBounded(living(), batch, hungMs),
    close: () => pool.destroy(),
  };
}

function startPool(threads: number, entry: URL): Piscina<ScanBatch, BatchReply> {
  const pool = new Piscina<ScanBatch, BatchReply>({
    filename: entry.href,
    name: 'runBatch',
    minThreads: threads,
    maxThreads: threads,
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
async function runBounded(pool: Piscina<ScanBatch, BatchReply>, batch: ScanBatch, hungMs: number): Promise<BatchReply> {
  const signal = new EventEmitter();
  const timer = setTimeout(() => signal.emit('abort'), hungMs);
  try {
    return await pool.run(batch, { signal });
  } finally {
    clearTimeout(timer);
  }
}
