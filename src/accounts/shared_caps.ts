import { randomBytes } from 'node:crypto';
import { LIMITS } from '../config/limits.ts';
import type { Clock } from '../lib/clock.ts';
import type { KnownUse, SharedAnswer, SharedCount, SharedCounts, SharedHold } from '../store/shared_counts.ts';
import type { Caller, Capped } from './caller.ts';
import type { Ask, Caps, Standing } from './caps.ts';
import { dayOf } from '../lib/day.ts';
import { type Denial, type Moment, moreRefusal, refusal } from './denial.ts';
import { follow, type Ledger } from './ledger.ts';
import { gauge, type OwnCaps } from './own_caps.ts';
import { assertUnits, Permit, type SharedGrant } from './permit.ts';
import { PLANS, type PlanCaps } from './plans.ts';
import type { UsageCounter } from './usage.ts';

const GATEWAY_BYTES = 9;
/** What others have counted and not yet written is in Redis, and hides as much of what is said: until the second time they have written it. */
const TIMES_SAID = 2;

/** `late`: whoever comes now does not wait for it any more. */
type Asked = { readonly inTime: Promise<KnownUse | null>; late: boolean };

/**
 * The caps as all gateways together count them. Every call is noted in this gateway's own caps as well, which turn away what they
 * alone know to be too much, and decide where the shared ones are away. What the store knows to be used is said before the first
 * call of an account, after each loss and each change of plan: so budgets outlive the shared counts, and what was used meanwhile
 * is counted. A plan without caps asks nobody.
 */
export class SharedCaps implements Caps {
  readonly #own: OwnCaps;
  readonly #counts: SharedCounts;
  readonly #clock: Clock;
  readonly #usage: UsageCounter;
  readonly #gateway = randomBytes(GATEWAY_BYTES).toString('base64url');
  #calls = 0;
  readonly #underWay = new Map<string, Permit>();
  /** What is being asked of the store; one reading for all who wait for it. */
  readonly #asked = new Map<string, Asked>();
  /** Accounts whose use is still to be said, and how often: something was decided or ended here while the shared caps were away, or the store was. */
  readonly #owed = new Map<string, number>();
  #paying = false;
  #alone = 0;

  constructor(own: OwnCaps, counts: SharedCounts, clock: Clock, usage: UsageCounter) {
    this.#own = own;
    this.#counts = counts;
    this.#clock = clock;
    this.#usage = usage;
  }

  /** Calls that this gateway decided alone because the shared caps were away. */
  get decidedAlone(): number { return this.#alone; }

  admit(caller: Caller, ask: Ask): Permit | Denial | Promise<Permit | Denial> {
    assertUnits(ask.unitsMost);
    const caps = PLANS[caller.plan];
    if (caps === null) return this.#own.admit(caller, ask);
    if (!this.#counts.reachable) return this.#decideAlone(caller, caps, ask, this.#freshId());
    const ledger = this.#own.ledgerFor(caller);
    const moment = this.#own.moment(caller.plan, caps, ledger);
    if (moment.burstWaitMs > 0 || moment.inFlight >= caps.concurrentMax) return refusal(moment, ask.unitsMost)!;
    return this.#ask(caller, caps, ask, ledger);
  }

  standing(account: Capped): Standing {
    const own = this.#own.standing(account);
    const { seen } = this.#own.ledgerOf(account);
    const caps = PLANS[account.plan];
    if (seen === null || caps === null || !this.#counts.reachable) return own;
    const resetMs = seen.atMs + seen.burstResetMs - this.#clock.monotonicMs();
    const burst = resetMs > 0 && seen.burstUsed > (own.burst.used ?? 0) ? gauge(caps.requestsMax, seen.burstUsed, resetMs) : own.burst;
    return { ...own, burst, umbrella: gauge(caps.concurrentMax, Math.max(seen.inFlight, own.umbrella.used), 0) };
  }

  async look(account: Capped): Promise<Standing> {
    const count = PLANS[account.plan] !== null && this.#counts.reachable ? await this.#counts.look(account.accountId) : null;
    if (count === null) await this.#own.look(account);
    else this.#heed(this.#own.ledgerOf(account), count);
    return this.standing(account);
  }

  recover(day: number, unitsByAccount: ReadonlyMap<string, number>): void {
    this.#own.recover(day, unitsByAccount);
  }

  /** Of a call that came on a plan without caps nobody else knows; what it takes on another is told them from the store. */
  follow(present: (caller: Caller) => Promise<Caller | null>): Promise<void> {
    return this.#own.follow(present, ({ shared, caller }) => { if (!shared && PLANS[caller.plan] !== null) this.#owe(caller.accountId); });
  }

  sweep(): void {
    this.#own.sweep();
  }

  /** Says which calls are under way, since those of a gateway that falls silent are soon over, and what was used while nobody could be told. */
  renew(): void {
    const holds = new Map<string, SharedHold[]>();
    for (const [id, permit] of this.#underWay) {
      const { accountId } = permit.caller;
      const list = holds.get(accountId) ?? [];
      list.push(permit.holdAs(id));
      holds.set(accountId, list);
    }
    for (const [accountId, list] of holds) this.#counts.renew(accountId, list);
    if (this.#owed.size > 0 && this.#counts.reachable && !this.#paying) void this.#pay();
  }

  /** Of one account after the other, until the store fails to tell. */
  async #pay(): Promise<void> {
    this.#paying = true;
    const day = dayOf(this.#clock.unixMs());
    const owed = [...this.#owed];
    for (const [accountId, times] of owed) {
      this.#owed.delete(accountId);
      const known = await this.#asking(accountId, day).inTime;
      if (known !== null) this.#counts.know(accountId, known, () => this.#owe(accountId));
      if (known === null || !this.#counts.reachable) {
        this.#owe(accountId);
        break;
      }
      if (times > 1 && !this.#owed.has(accountId)) this.#owed.set(accountId, times - 1);
    }
    this.#paying = false;
  }

  /** What is let in is told to the others as soon as they can be told. */
  #decideAlone(caller: Caller, caps: PlanCaps, ask: Ask, id: string): Permit | Denial {
    this.#owe(caller.accountId);
    this.#alone += 1;
    const ledger = this.#own.ledgerFor(caller);
    return refusal(this.#own.moment(caller.plan, caps, ledger), ask.unitsMost) ?? this.#letIn(caller, ask, ledger, id);
  }

  #owe(accountId: string): void {
    this.#owed.set(accountId, TIMES_SAID);
  }

  #freshId(): string {
    return `${this.#gateway}.${(this.#calls += 1).toString(36)}`;
  }

  async #ask(caller: Caller, caps: PlanCaps, ask: Ask, ledger: Ledger): Promise<Permit | Denial> {
    const { accountId } = caller;
    const id = this.#freshId();
    const answer = await this.#withKnownUse(caller, ledger, (known) => this.#counts.admit(
      { accountId, id, units: ask.unitsMost, known, ...caps },
      // It was decided here meanwhile. A call that was let in goes by this id all the same; else nothing of it is to stay.
      ({ verdict, count }) => { if (verdict === 'granted' && !this.#underWay.has(id)) this.#counts.settle(accountId, { id, day: count.day, reserved: 0, firm: 0 }, 0, () => {}); },
    ));
    if (answer === null) return this.#decideAlone(caller, caps, ask, id);
    this.#heed(ledger, answer.count);
    if (answer.verdict !== 'granted') return refusal(momentOf(caller, caps, answer.count), ask.unitsMost)!;
    const permit = this.#letIn(caller, ask, ledger, id);
    this.#heed(ledger, answer.count);
    return permit;
  }

  #letIn(caller: Caller, ask: Ask, ledger: Ledger, id: string): Permit {
    const shared: SharedGrant = {
      id,
      reserve: (now, hold, units) => this.#reserve(now, ledger, hold, units),
      follow: (count) => this.#heed(ledger, count),
      settle: (hold, used) => {
        this.#underWay.delete(id);
        if (ledger.seen !== null) ledger.seen.inFlight -= 1;
        this.#counts.settle(caller.accountId, hold, used, () => this.#owe(caller.accountId));
      },
    };
    const permit = this.#own.letIn(caller, ask, ledger, shared);
    this.#underWay.set(id, permit);
    return permit;
  }

  async #reserve(caller: Caller, ledger: Ledger, hold: SharedHold, units: number): ReturnType<SharedGrant['reserve']> {
    const { accountId, plan } = caller;
    const caps = PLANS[plan];
    const answer = caps !== null && this.#counts.reachable
      ? await this.#withKnownUse(caller, ledger, (known) => this.#counts.reserve({ accountId, hold, units, unitsMax: caps.unitsMax, known }))
      : null;
    if (answer === null || caps === null) {
      this.#owe(accountId);
      return null;
    }
    if (answer.verdict === 'granted') return { denial: null, count: answer.count };
    this.#heed(ledger, answer.count);
    const own = answer.count.day === hold.day ? hold.reserved - hold.firm : 0;
    return { denial: moreRefusal(momentOf(caller, caps, answer.count), own, units)! };
  }

  /** Asks, and says along what the store knows to be used where that may be news. */
  async #withKnownUse(caller: Caller, ledger: Ledger, ask: (known: KnownUse | null) => Promise<SharedAnswer | null>): Promise<SharedAnswer | null> {
    const saying = `${caller.plan} ${this.#counts.epoch}`;
    const known = ledger.said === saying ? null : await this.#usedOn(caller, ledger.day, ledger);
    let answer = await ask(known);
    if (answer?.verdict === 'unknown_day') answer = await ask(await this.#usedOn(caller, answer.count.day, ledger));
    if (answer === null || answer.verdict === 'unknown_day') return null;
    if (known !== null && ledger.said !== null) this.#owe(caller.accountId);
    ledger.said = saying;
    return answer;
  }

  /** Where the store does not tell in time: what is known here, and the rest later. */
  async #usedOn(caller: Caller, day: number, ledger: Ledger): Promise<KnownUse> {
    const asked = this.#asking(caller.accountId, day);
    const known = asked.late ? null : await asked.inTime;
    if (known !== null) return known;
    this.#owe(caller.accountId);
    return { day, units: ledger.day === day ? ledger.taken - ledger.held : 0 };
  }

  #asking(accountId: string, day: number): Asked {
    const name = `${day} ${accountId}`;
    const before = this.#asked.get(name);
    if (before !== undefined) return before;
    const inTime = new Promise<KnownUse | null>((resolve) => {
      const timer = setTimeout(() => { asked.late = true; resolve(null); }, LIMITS.sharedStoreMs);
      const told = (known: KnownUse | null): void => {
        clearTimeout(timer);
        this.#asked.delete(name);
        resolve(known);
      };
      void this.#read(accountId, day).then(told);
    });
    const asked: Asked = { inTime, late: false };
    this.#asked.set(name, asked);
    return asked;
  }

  async #read(accountId: string, day: number): Promise<KnownUse | null> {
    try {
      const rows = await this.#usage.of(accountId, day, day);
      return { day, units: rows.reduce((sum, row) => sum + row.units, 0) };
    } catch {
      return null;
    }
  }

  #heed(ledger: Ledger, count: SharedCount): void {
    follow(ledger, count, this.#clock.monotonicMs());
  }
}

function momentOf({ plan }: Caller, caps: PlanCaps, { used, held, untilMidnightMs, inFlight, burstWaitMs }: SharedCount): Moment {
  return { plan, caps, taken: used + held, held, untilMidnightMs, inFlight, burstWaitMs };
}
