import type { PlanName } from '../model/account.ts';
import type { PlanCaps } from './plans.ts';

type CapName = 'burst' | 'daily' | 'umbrella';

/** A call that a cap turned away: which one, and the shortest wait that can help. */
export type Denial = { readonly cap: CapName; readonly detail: string; readonly retryAfterSeconds: number };

/** What a decision looks at; all of it at one instant. */
export type Moment = {
  readonly plan: PlanName;
  readonly caps: PlanCaps;
  /** Units of the day that are used or reserved, and the part that calls under way may still give back. */
  readonly taken: number;
  readonly held: number;
  readonly untilMidnightMs: number;
  readonly inFlight: number;
  /** Until the burst has a place; 0 where it has. */
  readonly burstWaitMs: number;
};

/** Where several caps are in the way, the longest wait is named: an earlier retry would be in vain. */
export function refusal(moment: Moment, units: number): Denial | null {
  return longer(longer(dailyRefusal(moment, units), burstRefusal(moment)), umbrellaRefusal(moment));
}

function longer(one: Denial | null, other: Denial | null): Denial | null {
  if (one === null || other === null) return one ?? other;
  return other.retryAfterSeconds > one.retryAfterSeconds ? other : one;
}

/** What calls under way hold may come back in a moment; what is used comes back at midnight. */
function dailyRefusal({ plan, caps, taken, held, untilMidnightMs }: Moment, units: number): Denial | null {
  const remaining = caps.unitsMax - taken;
  if (units === 0 || units <= remaining) return null;
  const midnight = units > remaining + held;
  const wait = midnight ? waitSeconds(untilMidnightMs) : 1;
  const state = `${caps.unitsMax} units a day on the ${plan} plan, ${Math.max(0, remaining)} left, ${units} needed`;
  const when = midnight ? `it resets at 00:00 UTC, in ${wait} s` : `calls under way hold ${held}; retry in ${wait} s`;
  return { cap: 'daily', detail: `The daily unit budget is reached (${state}): ${when}.`, retryAfterSeconds: wait };
}

/** Of a call that holds `own` units and wants more: refused, it gives them back, so it is told of all it needs, as if nothing were held for it. */
export function moreRefusal(moment: Moment, own: number, units: number): Denial | null {
  if (units === 0) return null;
  return dailyRefusal({ ...moment, taken: moment.taken - own, held: moment.held - own }, own + units);
}

function burstRefusal({ plan, caps, burstWaitMs }: Moment): Denial | null {
  if (burstWaitMs <= 0) return null;
  const wait = waitSeconds(burstWaitMs);
  const detail = `The minute-window burst cap is reached (${caps.requestsMax} requests in any 60 s on the ${plan} plan): retry in ${wait} s.`;
  return { cap: 'burst', detail, retryAfterSeconds: wait };
}

function umbrellaRefusal({ plan, caps, inFlight }: Moment): Denial | null {
  if (inFlight < caps.concurrentMax) return null;
  const detail = `The umbrella concurrency cap is reached (${caps.concurrentMax} requests at once over all keys of the account on the ${plan} plan): retry in 1 s.`;
  return { cap: 'umbrella', detail, retryAfterSeconds: 1 };
}

/** For Retry-After: never 0. */
export function waitSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1_000));
}
