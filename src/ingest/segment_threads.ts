import { Worker } from 'node:worker_threads';
import { THIS_CODE } from '../config/code.ts';
import { LIMITS } from '../config/limits.ts';
import type { SegmentSummary } from '../segment/segment.ts';
import type { SegmentOrder } from './build_segment.ts';
import type { Failure, SegmentMessage, SegmentThreadData } from './segment_entry.ts';

const ENTRY = new URL(`./segment_entry${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

type Building = {
  readonly threads: number;
  readonly signal: AbortSignal;
  readonly advance: (rows: number) => void;
};

/**
 * Builds segments, some at a time, each in a thread of its own. The first failure, or the signal, stops all;
 * what is told is that one. No thread is ended from outside, and none is left when this returns.
 */
export async function buildInThreads(orders: readonly SegmentOrder[], { threads, signal, advance }: Building): Promise<SegmentSummary[]> {
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const halt = (): void => { Atomics.store(stop, 0, 1); };
  const summaries: SegmentSummary[] = [];
  const failures: unknown[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < orders.length && failures.length === 0 && !signal.aborted) {
      const at = next++;
      const data: SegmentThreadData = { order: orders[at]!, stop };
      try {
        summaries[at] = await buildInThread(data, advance);
      } catch (error) {
        failures.push(error);
        halt();
      }
    }
  };
  signal.addEventListener('abort', halt);
  try {
    await Promise.all(Array.from({ length: Math.min(threads, orders.length) }, work));
  } finally {
    signal.removeEventListener('abort', halt);
  }
  signal.throwIfAborted();
  if (failures.length > 0) throw failures[0];
  return summaries;
}

/** Settles when the thread is gone, so that its files may be. */
function buildInThread(workerData: SegmentThreadData, advance: (rows: number) => void): Promise<SegmentSummary> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(ENTRY, { workerData, argv: [...THIS_CODE], resourceLimits: { maxYoungGenerationSizeMb: LIMITS.segmentThreadYoungMb } });
    let summary: SegmentSummary | null = null;
    let failure: unknown = new Error('the thread that builds a segment ended before it was done');
    worker.on('message', (message: SegmentMessage) => {
      switch (message.kind) {
        case 'rows': advance(message.rows); break;
        case 'sealed': summary = message.summary; break;
        case 'failed': failure = thrown(message.failure); break;
        default: message satisfies never;
      }
    });
    worker.on('error', (error) => { failure = error; });
    worker.on('exit', () => {
      if (summary === null) reject(failure);
      else resolve(summary);
    });
  });
}

function thrown({ message, code, stack }: Failure): Error {
  const error = new Error(message);
  if (stack !== null) error.stack = stack;
  return code === null ? error : Object.assign(error, { code });
}
