import type { SharedCount } from '../store/shared_counts.ts';
import type { BurstLog } from './burst_log.ts';
import { DAY_MS, turnedDay } from '../lib/day.ts';

/** What one account has under way and has used up. */
export type Ledger = {
  inFlight: number;
  /** The UTC day that `taken` and `held` belong to. */
  day: number;
  /** Units used or reserved on that day. */
  taken: number;
  /** The part of `taken` that calls under way may still give back, and the part of that which is this gateway's. */
  held: number;
  heldHere: number;
  /** Null where no cap asks for it. */
  burst: BurstLog | null;
  /** What all gateways together had taken when they were last asked; null where this one counts alone. `taken` and `held` then follow it. */
  seen: Seen | null;
  /** On which plan and since which loss the others were told what the store knows to be used. */
  said: string | null;
};

type Seen = { inFlight: number; burstUsed: number; burstResetMs: number; atMs: number };

export function newLedger(day: number, taken: number): Ledger {
  return { inFlight: 0, day, taken, held: 0, heldHere: 0, burst: null, seen: null, said: null };
}

/** A new day, a new budget. */
export function turnTo(ledger: Ledger, day: number): void {
  const turned = turnedDay(ledger.day, day);
  if (turned === ledger.day) return;
  ledger.day = turned;
  ledger.taken = 0;
  ledger.held = 0;
  ledger.heldHere = 0;
}

/** Units that a call of this gateway reserves, or, below 0, holds no more: they are used for certain, or given back. */
export function hold(ledger: Ledger, units: number): void {
  ledger.held += units;
  ledger.heldHere += units;
}

/** Takes over what all gateways have used. What the others hold is not known. */
export function followUsed(ledger: Ledger, units: number): void {
  ledger.held = ledger.heldHere;
  ledger.taken = units + ledger.held;
}

/** Takes over what is true of all gateways. */
export function follow(ledger: Ledger, count: SharedCount, nowMs: number): void {
  turnTo(ledger, count.day);
  if (ledger.day === count.day) {
    ledger.taken = count.used + count.held;
    ledger.held = count.held;
  }
  const { inFlight, burstUsed, burstResetMs } = count;
  ledger.seen = { inFlight, burstUsed, burstResetMs, atMs: nowMs };
}

export function untilMidnightMs({ day }: Ledger, unixMs: number): number {
  return (day + 1) * DAY_MS - unixMs;
}
