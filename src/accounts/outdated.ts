import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS } from '../config/limits.ts';
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
