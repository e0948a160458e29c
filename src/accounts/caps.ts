import { LIMITS } from '../config/limits.ts';
import type { Clock } from '../lib/clock.ts';
import type { Endpoint, PlanName } from '../model/account.ts';
import { AppError } from '../model/errors.ts';
import { BurstLog } from './burst_log.ts';
import type { Caller } from './caller.ts';
import { dayOf } from './day.ts';
import { type Denial, type Moment, refusal, untilMidnightMs } from './denial.ts';
import { type Ledger, turnTo } from './ledger.ts';
import { assertUnits, type Office, Permit } from './permit.ts';
import { PLANS, type PlanCaps } from './plans.ts';
import type { UsageCounter } from './usage.ts';

export type Ask = { readonly endpoint: Endpoint; /** Reserved at once; more may follow. */ readonly unitsMost: number };

/** One cap as it stands; `limit` and `remaining` are null where the plan has none. */
export type Gauge = { readonly limit: number | null; readonly used: number; readonly remaining: number | null; readonly resetSeconds: number };
export type Standing = { readonly plan: PlanName; readonly burst: Gauge; readonly daily: Gauge; readonly umbrella: Gauge };

/**
 * The three caps of every account. A decision and the taking of what it grants are one synchronous step, so that no number of
 * parallel calls is granted more than the caps.
 */
export class Caps {
  readonly #clock: Clock;
  readonly #usage: UsageCounter;
  readonly #ledgers = new Map<string, Ledger>();
  readonly #office: Office;
  readonly #watched = new Map<Permit, () => void>();
  #today = 0;

  constructor(clock: Clock, usage: UsageCounter) {
    this.#clock = clock;
    this.#usage = usage;
    this.#office = {
      today: () => this.#turnDay(),
      moment: (caller, caps, ledger) => this.#moment(caller.plan, caps, ledger),
      countUnits: (caller, endpoint, day, units) => usage.count(caller, endpoint, day, 0, units),
      watch: (permit, onRevoked) => this.#watched.set(permit, onRevoked),
      unwatch: (permit) => this.#watched.delete(permit),
    };
  }

  /** Takes up the units that the accounts used on `day`, before the first call. */
  recover(day: number, unitsByAccount: ReadonlyMap<string, number>): void {
    for (const [accountId, units] of unitsByAccount) this.#ledgers.set(accountId, { inFlight: 0, day, taken: units, held: 0, burst: null });
  }

  admit(caller: Caller, { endpoint, unitsMost }: Ask): Permit | Denial {
    assertUnits(unitsMost);
    if (this.#usage.full) throw new AppError('store_unavailable', 'Usage cannot be written at the moment. Try again.', { retryAfter: 1 });
    const ledger = this.#ledgerOf(caller);
    const caps = PLANS[caller.plan];
    if (caps !== null) {
      const moment = this.#moment(caller.plan, caps, ledger);
      const denial = refusal(moment, unitsMost);
      if (denial !== null) return denial;
      ledger.burst?.note(moment.monotonicMs);
    }
    const permit = new Permit(this.#office, { caller, caps, ledger, endpoint, units: unitsMost });
    this.#usage.count(caller, endpoint, ledger.day, 1, 0);
    return permit;
  }

  standing(caller: Caller): Standing {
    const { plan } = caller;
    const caps = PLANS[plan];
    const ledger = this.#ledgerOf(caller);
    const nowMs = this.#clock.monotonicMs();
    const burst = caps === null ? null : ledger.burst;
    return {
      plan,
      burst: gauge(caps?.requestsMax, burst === null ? 0 : burst.requestsMax - burst.remaining(nowMs), burst?.resetMs(nowMs) ?? 0),
      daily: gauge(caps?.unitsMax, ledger.taken, untilMidnightMs(ledger, this.#clock.unixMs())),
      umbrella: gauge(caps?.concurrentMax, ledger.inFlight, 0),
    };
  }

  /** Tells the calls under way that asked for it and whose caller does not stand any more; each once. */
  async endRevoked(stands: (caller: Caller) => Promise<boolean>): Promise<void> {
    for (const [permit, onRevoked] of this.#watched) {
      if (!(await stands(permit.caller)) && this.#watched.delete(permit)) onRevoked();
    }
  }

  /** Forgets what no longer decides anything. Costs a pass over the accounts. */
  sweep(): void {
    const nowMs = this.#clock.monotonicMs();
    const day = this.#turnDay();
    for (const [accountId, ledger] of this.#ledgers) {
      turnTo(ledger, day);
      if (ledger.burst !== null && ledger.burst.remaining(nowMs) === ledger.burst.requestsMax) ledger.burst = null;
      if (ledger.inFlight === 0 && ledger.taken === 0 && ledger.burst === null) this.#ledgers.delete(accountId);
    }
  }

  /** The account's ledger, of today and with the log that its plan asks for. */
  #ledgerOf({ accountId, plan }: Caller): Ledger {
    const ledger = this.#ledgers.get(accountId) ?? this.#opened(accountId);
    turnTo(ledger, this.#turnDay());
    const requestsMax = PLANS[plan]?.requestsMax ?? null;
    if (requestsMax !== null && ledger.burst?.requestsMax !== requestsMax) {
      ledger.burst = ledger.burst?.resized(requestsMax) ?? new BurstLog(requestsMax, LIMITS.burstWindowMs);
    }
    return ledger;
  }

  #opened(accountId: string): Ledger {
    if (this.#ledgers.size >= LIMITS.accountsTrackedMax) throw new AppError('overloaded', 'Too many accounts are active at once. Try again.', { retryAfter: 60 });
    const ledger: Ledger = { inFlight: 0, day: this.#turnDay(), taken: 0, held: 0, burst: null };
    this.#ledgers.set(accountId, ledger);
    return ledger;
  }

  #turnDay(): number {
    this.#today = Math.max(this.#today, dayOf(this.#clock.unixMs()));
    return this.#today;
  }

  #moment(plan: PlanName, caps: PlanCaps, ledger: Ledger): Moment {
    return { plan, caps, ledger, monotonicMs: this.#clock.monotonicMs(), unixMs: this.#clock.unixMs() };
  }
}

function gauge(limit: number | undefined, used: number, resetMs: number): Gauge {
  const resetSeconds = Math.ceil(resetMs / 1_000);
  if (limit === undefined) return { limit: null, used, remaining: null, resetSeconds };
  return { limit, used, remaining: Math.max(0, limit - used), resetSeconds };
}
