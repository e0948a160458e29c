import type { Enrolled } from '../lib/roster.ts';
import type { Endpoint, PlanName } from '../model/account.ts';
import { isCount } from '../model/json.ts';
import type { Caller } from './caller.ts';
import { type Denial, type Moment, moreRefusal } from './denial.ts';
import type { SharedCount, SharedHold } from '../store/shared_counts.ts';
import { hold, type Ledger, turnTo } from './ledger.ts';
import { PLANS, type PlanCaps } from './plans.ts';

/** What a permit asks of the office that gave it. */
export type Office = {
  today(): number;
  moment(plan: PlanName, caps: PlanCaps, ledger: Ledger): Moment;
  countUnits(caller: Caller, endpoint: Endpoint, day: number, units: number): void;
  /** The call is over. */
  leave(permit: Permit): void;
};

/** The other side of a permit that other gateways know of, under its own id. */
export type SharedGrant = {
  readonly id: string;
  /** Null: the shared caps are away, and this gateway is to decide. */
  reserve(caller: Caller, hold: SharedHold, units: number): Promise<{ readonly denial: Denial } | { readonly denial: null; readonly count: SharedCount } | null>;
  /** Takes over what is true of all gateways. */
  follow(count: SharedCount): void;
  settle(hold: SharedHold, used: number): void;
};

type Grant = { readonly caller: Caller; readonly ledger: Ledger; readonly endpoint: Endpoint; readonly units: number; readonly shared: SharedGrant | null };

/**
 * One call that was let in: a place under the umbrella and reserved units, until `settle`. Who holds it settles it, whatever happens.
 *
 * Reserved units are of the day they were reserved on, so a stream that runs over midnight pays each day for its part. Asking for
 * more says that all before was used, so a crash forgives a stream no more than its last 100 rows.
 */
export class Permit implements Enrolled {
  /** Of its office. */
  rosterPlace = -1;
  /** Who called, on the plan that his account has by now. */
  caller: Caller;
  readonly #office: Office;
  readonly #grant: Grant;
  #settled = false;
  #revoked = false;
  #listeners: (() => void)[] | null = null;
  #charged = 0;
  #day: number;
  /** Reserved on `#day`; `#firm` of it is counted as used already. */
  #reserved: number;
  #firm = 0;
  #usedOnEarlierDays = 0;

  /** Takes the units and the place; whether they are to be had was decided in the same step. */
  constructor(office: Office, grant: Grant) {
    this.#office = office;
    this.#grant = grant;
    this.caller = grant.caller;
    this.#day = grant.ledger.day;
    this.#reserved = grant.units;
    grant.ledger.inFlight += 1;
    grant.ledger.taken += grant.units;
    hold(grant.ledger, grant.units);
  }

  /** Whether other gateways know of it. */
  get shared(): boolean {
    return this.#grant.shared !== null;
  }

  /** What the call cost; 0 until it is settled. */
  get charged(): number {
    return this.#charged;
  }

  /** Whether the key or its account has ended since the call was let in; told within a second. */
  get revoked(): boolean {
    return this.#revoked;
  }

  /** Called when `revoked` comes true, at once where it is: a call that runs for long ends itself then. Never after `settle`. Several may listen. */
  onRevoked(listener: () => void): void {
    if (this.#settled) return;
    if (this.#revoked) listener();
    else (this.#listeners ??= []).push(listener);
  }

  /** The office tells. */
  revoke(): void {
    if (this.#settled || this.#revoked) return;
    this.#revoked = true;
    for (const listener of this.#listeners ?? []) listener();
  }

  /** Null: reserved. A denial reserves nothing and leaves the permit as it was. Only shared caps have to be waited for. */
  reserveMore(units: number): Denial | null | Promise<Denial | null> {
    if (this.#settled) throw new Error('A settled permit reserves nothing.');
    assertUnits(units);
    const { shared } = this.#grant;
    return shared === null ? this.#reserveHere(units) : this.#reserveShared(shared, units);
  }

  /** The call as other gateways are to know it. */
  holdAs(id: string): SharedHold {
    return { id, day: this.#day, reserved: this.#reserved, firm: this.#firm };
  }

  #reserveHere(units: number): Denial | null {
    const { ledger } = this.#grant;
    const { plan } = this.caller;
    const caps = PLANS[plan];
    turnTo(ledger, this.#office.today());
    const own = ledger.day === this.#day ? this.#reserved - this.#firm : 0;
    const denial = caps === null ? null : moreRefusal(this.#office.moment(plan, caps, ledger), own, units);
    if (denial === null) this.#takeMore(units);
    return denial;
  }

  /** A call that was settled meanwhile has given back what it now gets: the other side takes both in their order. */
  async #reserveShared(shared: SharedGrant, units: number): Promise<Denial | null> {
    const verdict = await shared.reserve(this.caller, this.holdAs(shared.id), units);
    if (this.#settled) return null;
    if (verdict === null) return this.#reserveHere(units);
    if (verdict.denial !== null) return verdict.denial;
    turnTo(this.#grant.ledger, verdict.count.day);
    this.#takeMore(units);
    shared.follow(verdict.count);
    return null;
  }

  #takeMore(units: number): void {
    const { ledger } = this.#grant;
    this.#makeFirm();
    ledger.taken += units;
    hold(ledger, units);
    this.#reserved += units;
  }

  /** Gives back the place and what was not used. Only the first time counts. A count that cannot be is a bug, told after all is given back. */
  settle(unitsUsed: number): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#office.leave(this);
    const { ledger, shared } = this.#grant;
    const possible = isCount(unitsUsed) && unitsUsed <= this.#usedOnEarlierDays + this.#reserved;
    const usedToday = possible ? Math.max(0, unitsUsed - this.#usedOnEarlierDays) : this.#reserved;
    ledger.inFlight -= 1;
    if (ledger.day === this.#day) {
      ledger.taken -= this.#reserved - usedToday;
      hold(ledger, this.#firm - this.#reserved);
    }
    shared?.settle(this.holdAs(shared.id), usedToday);
    this.#count(usedToday - this.#firm);
    this.#charged = this.#usedOnEarlierDays + usedToday;
    if (!possible) throw new Error(`A call that reserved ${this.#reserved} units cannot have used ${unitsUsed}.`);
  }

  #makeFirm(): void {
    const { ledger } = this.#grant;
    const more = this.#reserved - this.#firm;
    this.#count(more);
    this.#firm = this.#reserved;
    if (ledger.day === this.#day) hold(ledger, -more);
    else {
      this.#usedOnEarlierDays += this.#reserved;
      this.#reserved = 0;
      this.#firm = 0;
      this.#day = ledger.day;
    }
  }

  #count(units: number): void {
    if (units !== 0) this.#office.countUnits(this.caller, this.#grant.endpoint, this.#day, units);
  }
}

export function assertUnits(units: number): void {
  if (!isCount(units)) throw new Error(`${units} is no number of units.`);
}
