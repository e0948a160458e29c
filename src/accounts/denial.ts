import type { PlanName } from '../model/account.ts';
import { DAY_MS } from './day.ts';
import type { Ledger } from './ledger.ts';
import type { PlanCaps } from './plans.ts';

export type CapName = 'burst' | 'daily' | 'umbrella';

/** A call that a cap turned away: which one, and the shortest wait that can help. */
export type Denial = { readonly cap: CapName; readonly detail: string; readonly retryAfterSeconds: number };

/** What a decision looks at; all of it at one instant. */
export type Moment = { readonly plan: PlanName; readonly caps: PlanCaps; readonly ledger: Ledger; readonly monotonicMs: number; readonly unixMs: number };

/** Where several caps are in the way, the longest wait is named: an earlier retry would be in vain. */
export function refusal(moment: Moment, units: number): Denial | null {
  const denials = [dailyRefusal(moment, units), burstRefusal(moment), umbrellaRefusal(moment)].filter((denial) => denial !== null);
  if (denials.length === 0) return null;
  return denials.reduce((longest, denial) => (denial.retryAfterSeconds > longest.retryAfterSeconds ? denial : longest));
}

/** What calls under way hold may come back in a moment; what is used comes back at midnight. */
export function dailyRefusal({ plan, caps, ledger, unixMs }: Moment, units: number): Denial | null {
  const remaining = caps.unitsMax - ledger.taken;
  if (units === 0 || units <= remaining) return null;
  const midnight = units > remaining + ledger.held;
  const wait = midnight ? waitSeconds(untilMidnightMs(ledger, unixMs)) : 1;
  const state = `${caps.unitsMax} units a day on the ${plan} plan, ${Math.max(0, remaining)} left, ${units} needed`;
  const when = midnight ? `it resets at 00:00 UTC, in ${wait} s` : `calls under way hold ${ledger.held}; retry in ${wait} s`;
  return { cap: 'daily', detail: `The daily unit budget is reached (${state}): ${when}.`, retryAfterSeconds: wait };
}

function burstRefusal({ plan, caps, ledger, monotonicMs }: Moment): Denial | null {
  if (ledger.burst === null || ledger.burst.remaining(monotonicMs) > 0) return null;
  const wait = waitSeconds(ledger.burst.resetMs(monotonicMs));
  const detail = `The minute-window burst cap is reached (${caps.requestsMax} requests in any 60 s on the ${plan} plan): retry in ${wait} s.`;
  return { cap: 'burst', detail, retryAfterSeconds: wait };
}

function umbrellaRefusal({ plan, caps, ledger }: Moment): Denial | null {
  if (ledger.inFlight < caps.concurrentMax) return null;
  const detail = `The umbrella concurrency cap is reached (${caps.concurrentMax} requests at once over all keys of the account on the ${plan} plan): retry in 1 s.`;
  return { cap: 'umbrella', detail, retryAfterSeconds: 1 };
}

export function untilMidnightMs(ledger: Ledger, unixMs: number): number {
  return (ledger.day + 1) * DAY_MS - unixMs;
}

function waitSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1_000));
}
