import { LIMITS } from '../../config/limits.ts';
import type { FailureReason, Outcome } from './answer.ts';
import { Histogram } from './histogram.ts';

/** Why a run ended before its time. */
export type Stop = 'key_refused' | 'units_spent' | 'no_answer' | 'interrupted';

/** One answer as it was measured: `bytes` of its body, and what its headers said of units. */
export type Measured = { readonly outcome: Outcome; readonly latencyMs: number; readonly bytes: number; readonly units: number; readonly unitsRemaining: number | null };

/** All that is known of the answers so far, in a memory that does not grow with them. Latencies are of answers with rows, whole or partial. */
export class Tally {
  readonly latencies = new Histogram();
  readonly partialReasons = new Map<string, number>();
  readonly refusedCodes = new Map<string, number>();
  readonly failedReasons = new Map<FailureReason, number>();
  whole = 0;
  partial = 0;
  refused = 0;
  failed = 0;
  rows = 0;
  bytes = 0;
  units = 0;
  unitsRemaining: number | null = null;

  get requests(): number {
    return this.whole + this.partial + this.refused + this.failed;
  }

  add({ outcome, latencyMs, bytes, units, unitsRemaining }: Measured): void {
    this.bytes += bytes;
    this.units += units;
    this.unitsRemaining = unitsRemaining ?? this.unitsRemaining;
    switch (outcome.kind) {
      case 'whole':
        this.whole += 1;
        this.#found(outcome.rows, latencyMs);
        return;
      case 'partial':
        this.partial += 1;
        this.#found(outcome.rows, latencyMs);
        for (const reason of outcome.reasons) count(this.partialReasons, reason, 'other');
        return;
      case 'refused':
        this.refused += 1;
        count(this.refusedCodes, outcome.code, 'other');
        return;
      case 'failed':
        this.failed += 1;
        count(this.failedReasons, outcome.reason, outcome.reason);
        return;
      default: outcome satisfies never;
    }
  }

  #found(rows: number, latencyMs: number): void {
    this.rows += rows;
    this.latencies.record(latencyMs);
  }
}

function count<Name extends string>(counts: Map<Name, number>, name: Name, lumped: Name): void {
  const kept = counts.has(name) || counts.size < LIMITS.benchReasonsMax ? name : lumped;
  counts.set(kept, (counts.get(kept) ?? 0) + 1);
}

/** Whether to go on is in vain after this answer. `failingMs`: for how long there have been failures alone. */
export function stopAfter(outcome: Outcome, failingMs: number): Stop | null {
  switch (outcome.kind) {
    case 'whole':
    case 'partial': return null;
    case 'refused':
      if (outcome.status === 401 || outcome.status === 403) return 'key_refused';
      // Units that calls under way hold may come back within a second; those that are used do not before midnight.
      return outcome.code === 'rate_limited:daily' && (outcome.waitS ?? 0) > LIMITS.commandWaitSMax ? 'units_spent' : null;
    case 'failed': return failingMs >= LIMITS.benchFailingMs ? 'no_answer' : null;
    default: return outcome satisfies never;
  }
}
