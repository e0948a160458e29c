import { LIMITS } from '../../src/config/limits.ts';
import type { CancelLease } from '../../src/pool/cancel.ts';
import type { BatchReply, ScanBatch, ScanReply, ScanRequest } from '../../src/pool/protocol.ts';
import type { BatchRunner } from '../../src/pool/threads.ts';

/** Runs batches where the test says, one at a time for each pretended thread, and remembers them. */
export class ScriptedRunner implements BatchRunner {
  readonly threads: number;
  readonly threadsAlive: number;
  readonly underWayMax = 1;
  readonly batches: ScanBatch[] = [];
  closed = false;
  readonly #act: (batch: ScanBatch, index: number, hungMs: number) => Promise<BatchReply>;

  constructor(threads: number, act: (batch: ScanBatch, index: number, hungMs: number) => Promise<BatchReply>) {
    this.threads = threads;
    this.threadsAlive = threads;
    this.#act = act;
  }

  run(_thread: number, batch: ScanBatch, hungMs: number): Promise<BatchReply> {
    this.batches.push(batch);
    return this.#act(batch, this.batches.length - 1, hungMs);
  }

  close(): Promise<void> {
    this.closed = true;
    return Promise.resolve();
  }
}

export const NO_ROWS: ScanReply = {
  ok: true, rows: 0, table: new Float64Array(0), bytes: null, stop: 'end', after: -1, text: null, tally: 'done', heldBy: null, beside: null, matched: 0, facets: null, tookMs: 0,
};

export function answerAll(batch: ScanBatch, thread = 1): BatchReply {
  return { thread, epoch: batch.epoch, replies: batch.scans.map(() => NO_ROWS) };
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => { setTimeout(resolve, ms); });
}

/** What a call wants of a scan: the deadline is the call's own. */
export type ScanWanted = Omit<ScanRequest, 'slot' | 'ticket'>;

export function under({ slot, ticket }: CancelLease, wanted: ScanWanted): ScanRequest {
  return { ...wanted, slot, ticket, deadlineMs: wanted.deadlineMs - LIMITS.scanMarginMs };
}
