import type { BurstLog } from './burst_log.ts';

/** What one account has under way and has used up. */
export type Ledger = {
  inFlight: number;
  /** The UTC day that `taken` and `held` belong to. */
  day: number;
  /** Units used or reserved on that day. */
  taken: number;
  /** The part of `taken` that calls under way may still give back. */
  held: number;
  /** Null where no cap asks for it. */
  burst: BurstLog | null;
};

/** A new day, a new budget. The clock may fall back over midnight; a day once left does not return. */
export function turnTo(ledger: Ledger, day: number): void {
  if (day <= ledger.day) return;
  ledger.day = day;
  ledger.taken = 0;
  ledger.held = 0;
}
