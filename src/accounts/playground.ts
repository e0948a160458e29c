import { createHmac } from 'node:crypto';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { LIMITS } from '../config/limits.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../model/errors.ts';
import type { PlaygroundCalls, PlaygroundStore } from '../store/playground_store.ts';
import type { SharedCounts, SharedVisits } from '../store/shared_counts.ts';
import type { Gauge } from './caps.ts';
import { waitSeconds } from './denial.ts';
import { DAY_MS, dayOf, turnedDay } from '../lib/day.ts';
import { stepTurn } from '../lib/turns.ts';

const NAME_BYTES = 16;

/**
 * Twenty calls a day for each network, over all of the playground, survive a restart: a crash forgets those of the last moments.
 * Nothing but a keyed hash of an address is kept, and that for its day. Of more networks than are tracked the one that came first
 * is forgotten: whoever can come from a hundred thousand of them needs no such trick.
 *
 * Where several gateways share the count and it cannot be had, nobody is let in: callers without a key are as many as care to come.
 */
export class Playground {
  readonly #store: PlaygroundStore;
  readonly #clock: Pick<Clock, 'unixMs'>;
  readonly #secret: Uint8Array;
  readonly #shared: SharedCounts | null;
  #epoch = 0;
  #catchingUp: Promise<void> = Promise.resolve();
  #day: number;
  #calls = new Map<string, number>();
  #pending = new Map<string, PlaygroundCalls>();

  private constructor(store: PlaygroundStore, clock: Pick<Clock, 'unixMs'>, secret: Uint8Array, shared: SharedCounts | null) {
    this.#store = store;
    this.#clock = clock;
    this.#secret = secret;
    this.#shared = shared;
    this.#day = dayOf(clock.unixMs());
  }

  /** `shared`: the counts of all gateways; null to count here. */
  static async open(store: PlaygroundStore, clock: Pick<Clock, 'unixMs'>, secret: Uint8Array, shared: SharedCounts | null = null): Promise<Playground> {
    const playground = new Playground(store, clock, secret, shared);
    await playground.#learn(playground.#day);
    return playground;
  }

  /** Notes a call and tells what is left of the day, to `told` also where that is nothing; throws `rate_limited` from the 21st on. */
  async admit(network: string, told: (calls: Gauge) => void = () => {}): Promise<Gauge> {
    const nowMs = this.#clock.unixMs();
    const day = this.#turnTo(dayOf(nowMs));
    await this.#catchingUp;
    const name = createHmac('sha256', this.#secret).update(network).digest('base64url').slice(0, NAME_BYTES);
    const known = this.#calls.get(name) ?? 0;
    const limit = LIMITS.playgroundCallsADay;
    const visits = this.#shared === null || known >= limit
      ? { calls: known + 1, day, untilMidnightMs: (day + 1) * DAY_MS - nowMs }
      : await this.#visit(this.#shared, name, day);
    if (visits === null) throw new AppError('overloaded', 'The playground is closed for a moment. Try again; with a key all goes on.', { retryAfter: 1 });
    const { calls, untilMidnightMs } = visits;
    const wait = waitSeconds(untilMidnightMs);
    const gauge: Gauge = { limit, used: Math.min(calls, limit), remaining: Math.max(0, limit - calls), resetSeconds: wait };
    told(gauge);
    if (calls <= limit) {
      this.#note(name, visits);
      return gauge;
    }
    const detail = `The playground's cap of ${limit} requests a day for each client address is reached: it resets at 00:00 UTC, in ${wait} s. With a key there is no such cap.`;
    throw new AppError('rate_limited', detail, { retryAfter: wait, cap: 'playground' });
  }

  /** Not asked where no answer is to be expected: what Redis then does late would take a call of the twenty from who was not let in. */
  async #visit(shared: SharedCounts, name: string, day: number): Promise<SharedVisits | null> {
    if (!shared.reachable) return null;
    if (shared.epoch !== this.#epoch) {
      this.#epoch = shared.epoch;
      this.#catchingUp = this.#catchUp();
    }
    await this.#catchingUp;
    return shared.visit(name, { day, calls: this.#calls.get(name) ?? 0 });
  }

  /** Counts that were lost are said again with what all gateways have written; where the store cannot tell, with what this one knows. */
  async #catchUp(): Promise<void> {
    try {
      await this.flush();
      await this.#learn(this.#day);
    } catch { /* The next flush tells of the store's failure. */ }
  }

  /** Page by page, each in a turn that has room for it: a day may hold a hundred thousand networks, which a store in a file would give in one. */
  async #learn(day: number): Promise<void> {
    for (let afterName: string | null = null; ;) {
      const turn = stepTurn(LIMITS.mainTurnMs);
      if (turn !== null) await turn;
      const page = await this.#store.playgroundCalls(day, { afterName, rowsMax: LIMITS.storePageRows });
      for (const { name, calls } of page) if (day === this.#day && calls > (this.#calls.get(name) ?? 0)) this.#know(name, calls);
      if (page.length < LIMITS.storePageRows || day !== this.#day) return;
      afterName = page.at(-1)!.name;
    }
  }

  /** Without shared counts one step with the look at them: no number of parallel calls passes the cap. Calls beyond it are not noted, nor those of a day that is not this gateway's. */
  #note(name: string, { calls, day }: SharedVisits): void {
    if (day !== this.#day || calls <= (this.#calls.get(name) ?? 0)) return;
    this.#know(name, calls);
    this.#pending.set(name, { day, name, calls });
  }

  /** What is forgotten is not written either: where the store takes nothing, no more waits for it than is tracked. */
  #know(name: string, calls: number): void {
    if (!this.#calls.has(name) && this.#calls.size >= LIMITS.playgroundNetworksMax) {
      const first = this.#calls.keys().next().value!;
      this.#calls.delete(first);
      this.#pending.delete(first);
    }
    this.#calls.set(name, calls);
  }

  /** Writes what was counted since the last time; what the store does not take stays for the next. */
  async flush(): Promise<void> {
    const rows = [...this.#pending.values()];
    this.#pending = new Map();
    for (let start = 0; start < rows.length; start += LIMITS.usageCellsInWriteMax) {
      if (start > 0) await turnOfTheLoop();
      try {
        await this.#store.keepPlaygroundCalls(rows.slice(start, start + LIMITS.usageCellsInWriteMax), LIMITS.playgroundNetworksMax);
      } catch (error) {
        for (const row of rows.slice(start)) if (row.day === this.#day && this.#calls.has(row.name) && !this.#pending.has(row.name)) this.#pending.set(row.name, row);
        throw error;
      }
    }
  }

  #turnTo(day: number): number {
    const turned = turnedDay(this.#day, day);
    if (turned === this.#day) return turned;
    const isNext = turned === this.#day + 1;
    this.#calls = new Map();
    this.#day = turned;
    // By a clock that was put right: the day may have begun before.
    if (!isNext) this.#catchingUp = this.#catchUp();
    return turned;
  }
}
