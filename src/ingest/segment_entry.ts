import { parentPort, workerData } from 'node:worker_threads';
import type { SegmentSummary } from '../segment/segment.ts';
import { buildSegment, type SegmentOrder } from './build_segment.ts';
import { Duck } from './duckdb.ts';

/** `stop` is set to 1 when nothing more is wanted. */
export type SegmentThreadData = { readonly order: SegmentOrder; readonly workDir: string; readonly memoryShare: number; readonly stop: Int32Array };

/** What the thread says: rows as they go through, then one of the others. */
export type SegmentMessage =
  | { readonly kind: 'rows'; readonly rows: number }
  | { readonly kind: 'sealed'; readonly summary: SegmentSummary }
  | { readonly kind: 'failed'; readonly failure: Failure };

export type Failure = { readonly message: string; readonly code: string | null; readonly stack: string | null };

/** The body of a thread that builds one segment and ends. It ends by itself even when it is to stop: the engine must not be torn out of a call. */
const { order, workDir, memoryShare, stop } = workerData as SegmentThreadData;
/** The engine writes all rows in one call, which is then interrupted. */
const STOP_LOOK_MS = 50;
const isStopped = (): boolean => Atomics.load(stop, 0) !== 0;
const tell = (message: SegmentMessage): void => parentPort!.postMessage(message);

try {
  tell({ kind: 'sealed', summary: await build() });
} catch (error) {
  tell({ kind: 'failed', failure: failureOf(error) });
}

async function build(): Promise<SegmentSummary> {
  const stopping = new AbortController();
  const watch = setInterval(() => { if (isStopped()) stopping.abort(); }, STOP_LOOK_MS);
  try {
    return await buildWith(await Duck.open(workDir, { folders: [], files: [] }, stopping.signal, { threads: 1, memoryShare }));
  } finally {
    clearInterval(watch);
  }
}

async function buildWith(duck: Duck): Promise<SegmentSummary> {
  try {
    return await buildSegment(duck, order, (rows) => {
      if (isStopped()) throw new Error('stopped');
      if (rows > 0) tell({ kind: 'rows', rows });
    });
  } finally {
    duck.close();
  }
}

function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { message: String(error), code: null, stack: null };
  return { message: error.message, code: (error as NodeJS.ErrnoException).code ?? null, stack: error.stack ?? null };
}
