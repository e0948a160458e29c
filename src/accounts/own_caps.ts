import { LIMITS } from '../config/limits.ts';
import type { Clock } from '../lib/clock.ts';
import type { PlanName } from '../model/account.ts';
import { AppError } from '../model/errors.ts';
import { BurstLog } from './burst_log.ts';
import type { Caller, Capped } from './caller.ts';
import type { Ask, Caps, Gauge, Standing, Uncounted } from './caps.ts';
import { dayOf, turnedDay } from '../lib/day.ts';
import { eachAtOnce } from '../lib/each_at_once.ts';
import { Roster } from '../lib/roster.ts';
import { type Denial, type Moment, refusal } from './denial.ts';
import { followUsed, type Ledger, newLedger, turnTo, untilMidnightMs } from './ledger.ts';
import { assertUnits, type Office, Permit, type SharedGrant } from './permit.ts';
import { PLANS, type PlanCaps } from './plans.ts';
import type { UsageCounter } from './usage.ts';

/** The caps as this process alone counts them. Nothing here waits. */
export class OwnCaps implements Caps {
  readonly #clock: Clock;
  readonly #usage: UsageCounter;
  readonly #ledgers = new Map<string, Ledger>();
  readonly #office: Office;
  /** What is under way: whose body is still coming too, for his key may end meanwhile. */
  readonly #underWay = new Roster<Permit>();
  #today = 0;

  constructor(clock: Clock, usage: UsageCounter) {
    this.#clock = clock;
    this.#usage = usage;
    this.#office = {
      today: () => this.#turnDay(),
      moment: (plan, caps, ledger) => this.moment(plan, caps, ledger),
      countUnits: (caller, endpoint, day, units) => usage.count(caller, endpoint, day, 0, units),
      leave: (permit) => this.#underWay.remove(permit),
    };
  }

  recover(day: number, unitsByAccount: ReadonlyMap<string, number>): void {
    for (const [accountId, units] of unitsByAccount) this.#ledgers.set(accountId, newLedger(day, units));
  }

  /** Takes up what accounts used on `day`, here and elsewhere. */
  noteUsed(day: number, unitsByAccount: ReadonlyMap<string, number>): void {
    for (const [accountId, units] of unitsByAccount) {
      const ledger = this.#ledgers.get(accountId);
      if (ledger?.day === day) followUsed(ledger, units);
    }
  }

  admit(caller: Caller, ask: Ask): Permit | Denial {
    assertUnits(ask.unitsMost);
    const ledger = this.ledgerFor(caller);
    const caps = PLANS[caller.plan];
    if (caps !== null) {
      const denial = refusal(this.moment(caller.plan, caps, ledger), ask.unitsMost);
      if (denial !== null) return denial;
    }
    return this.letIn(caller, ask, ledger, null);
  }

  /** The ledger of an account that wants to be let in. */
  ledgerFor(caller: Caller): Ledger {
    if (this.#usage.full) throw new AppError('store_unavailable', 'Usage cannot be written at the moment. Try again.', { retryAfter: 1 });
    return this.ledgerOf(caller);
  }

  /** Takes what was decided to be there. */
  letIn(caller: Caller, { endpoint, unitsMost }: Ask, ledger: Ledger, shared: SharedGrant | null): Permit {
    const caps = PLANS[caller.plan];
    if (caps !== null) ledger.burst?.note(this.#clock.monotonicMs());
    const permit = new Permit(this.#office, { caller, ledger, endpoint, units: unitsMost, shared });
    this.#underWay.add(permit);
    this.#usage.count(caller, endpoint, ledger.day, 1, 0);
    return permit;
  }

  moment(plan: PlanName, caps: PlanCaps, ledger: Ledger): Moment {
    const { taken, held, inFlight, burst } = ledger;
    const nowMs = this.#clock.monotonicMs();
    const burstWaitMs = burst === null || burst.remaining(nowMs) > 0 ? 0 : burst.resetMs(nowMs);
    return { plan, caps, taken, held, untilMidnightMs: untilMidnightMs(ledger, this.#clock.unixMs()), inFlight, burstWaitMs };
  }

  standing(account: Capped): Standing {
    const { plan } = account;
    const caps = PLANS[plan];
    const ledger = this.ledgerOf(account);
    const nowMs = this.#clock.monotonicMs();
    const { burst } = ledger;
    return {
      plan,
      burst: caps === null || burst === null ? UNCOUNTED : gauge(caps.requestsMax, burst.requestsMax - burst.remaining(nowMs), burst.resetMs(nowMs)),
      daily: gauge(caps?.unitsMax, ledger.taken, untilMidnightMs(ledger, this.#clock.unixMs())),
      umbrella: gauge(caps?.concurrentMax, ledger.inFlight, 0),
    };
  }

  /** A process that shares its store knows what the others used only as of the last call of the account here. */
  async look(account: Capped): Promise<Standing> {
    const { day } = this.ledgerOf(account);
    await this.#usage.tell(account.accountId, day, (ofDay, units) => this.noteUsed(ofDay, units));
    return this.standing(account);
  }

  /** Of each caller it is asked once, however many calls he has under way, and of several at a time: asking may be a way to a server and back. */
  async follow(present: (caller: Caller) => Promise<Caller | null>, told: (permit: Permit) => void = () => {}): Promise<void> {
    const calls = new Map<Caller, Permit[]>();
    for (const permit of this.#underWay) {
      const those = calls.get(permit.caller);
      if (those === undefined) calls.set(permit.caller, [permit]);
      else those.push(permit);
    }
    await eachAtOnce([...calls], LIMITS.callersAskedAtOnceMax, async ([caller, permits]) => {
      const now = await present(caller);
      for (const permit of permits) {
        if (now === null) permit.revoke();
        else permit.caller = now;
        told(permit);
      }
    });
  }

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
  ledgerOf({ accountId, plan }: Capped): Ledger {
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
    const ledger = newLedger(this.#turnDay(), 0);
    this.#ledgers.set(accountId, ledger);
    return ledger;
  }

  #turnDay(): number {
    this.#today = turnedDay(this.#today, dayOf(this.#clock.unixMs()));
    return this.#today;
  }
}

/** The requests of a plan that has no cap on them. */
const UNCOUNTED: Uncounted = { limit: null, used: null, remaining: null, resetSeconds: 0 };

export function gauge(limit: number | undefined, used: number, resetMs: number): Gauge {
  const resetSeconds = Math.ceil(resetMs / 1_000);
  if (limit === undefined) return { limit: null, used, remaining: null, resetSeconds };
  return { limit, used, remaining: Math.max(0, limit - used), resetSeconds };
}
