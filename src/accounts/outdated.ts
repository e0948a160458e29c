import { LIMITS } from '../config/limits.ts';
import { dayOf } from '../lib/day.ts';
import type { Outdated } from '../store/outdated_store.ts';
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
