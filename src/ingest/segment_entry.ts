import { parentPort, workerData } from 'node:worker_threads';
import { refuseOtherCode } from '../config/code.ts';
import { endThread } from '../lib/end_thread.ts';
import type { SegmentSummary } from '../segment/segment.ts';
import { buildSegment, type SegmentOrder } from './build_segment.ts';

/** `stop` is set to 1 when nothing more is wanted. */
export type SegmentThreadData = { readonly order: SegmentOrder; readonly stop: Int32Array };

/** What the thread says: rows as they go through, then one of the others. */
export type SegmentMessage =
  | { readonly kind: 'rows'; readonly rows: number }
  | { readonly kind: 'sealed'; readonly summary: SegmentSummary }
  | { readonly kind: 'failed'; readonly failure: Failure };

export type Failure = { readonly message: string; readonly code: string | null; readonly stack: string | null };

/** The body of a thread that builds one segment and ends. It ends by itself even when it is to stop, its files closed. */
refuseOtherCode();
const { order, stop } = workerData as SegmentThreadData;
const tell = (message: SegmentMessage): void => parentPort!.postMessage(message);

try {
  tell({ kind: 'sealed', summary: await build() });
} catch (error) {
  tell({ kind: 'failed', failure: failureOf(error) });
}
endThread();

function build(): Promise<SegmentSummary> {
  return buildSegment(order, (rows) => {
    if (Atomics.load(stop, 0) !== 0) throw new Error('stopped');
    if (rows > 0) tell({ kind: 'rows', rows });
  });
}

function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { message: String(error), code: null, stack: null };
  return { message: error.message, code: (error as NodeJS.ErrnoException).code ?? null, stack: error.stack ?? null };
}
