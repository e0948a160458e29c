import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS } from '../config/limits.ts';
import type { Clock } from '../lib/clock.ts';
import { dayOf } from '../lib/day.ts';
import type { Outdated, OutdatedStore } from '../store/outdated_store.ts';
import { OWN_EMAILS } from './first_keys.ts';

/** What the store need not keep any longer. The service's own accounts tell by a key that ended that their first was made once. */
export function outdatedAt(nowMs: number): Outdated {
  return {
    waitingCreatedMs: nowMs - LIMITS.waitingAccountKeptMs,
    waitingMax: LIMITS.waitingAccountsMax,
    keysEndedMs: nowMs - LIMITS.endedKeyKeptMs,
    keysKeptOf: OWN_EMAILS,
    usageDay: dayOf(nowMs) - LIMITS.usageDaysKept,
    rowsMax: LIMITS.outdatedRowsMax,
  };
}

/** Step by step, as long as there is more and `goesOn`. */
export async function forgetOutdated(store: OutdatedStore, nowMs: number, goesOn: () => boolean): Promise<void> {
  const outdated = outdatedAt(nowMs);
  for (let steps = 0; steps < LIMITS.outdatedStepsMax && goesOn(); steps += 1) {
    if (await store.forgetOutdated(outdated) < outdated.rowsMax) return;
    await sleep(LIMITS.outdatedPauseMs);
  }
}

/** Tells whether the wall clock may be believed: what is forgotten by one that was far ahead is lost when it is put right. */
export class EvenClock {
  readonly #clock: Clock;
  #aheadMs: number;
  #evenSinceMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#evenSinceMs = clock.monotonicMs();
    this.#aheadMs = clock.unixMs() - this.#evenSinceMs;
  }

  /** To be asked at each sweep: what happened since the last time is looked at. */
  isEven(): boolean {
    const nowMs = this.#clock.monotonicMs();
    const aheadMs = this.#clock.unixMs() - nowMs;
    if (Math.abs(aheadMs - this.#aheadMs) > LIMITS.clockStepMs) this.#evenSinceMs = nowMs;
    this.#aheadMs = aheadMs;
    return nowMs - this.#evenSinceMs >= LIMITS.clockEvenMs;
  }
}
