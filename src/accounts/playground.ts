import { createHmac } from 'node:crypto';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { LIMITS } from '../config/limits.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../model/errors.ts';
import type { PlaygroundCalls, PlaygroundStore } from '../store/playground_store.ts';
import type { Gauge } from './caps.ts';
import { DAY_MS, dayOf } from './day.ts';

const NAME_BYTES = 16;

/** Counts calls without a key by where they come from, for one UTC day. */
export interface PlaygroundCounter {
  /** How many calls of the name there are on the day, this one included. */
  count(name: string, day: number): number | Promise<number>;
}

/**
 * Twenty calls a day for each network, over all of the playground, survive a restart: a crash forgets those of the last moments.
 * Nothing but a keyed hash of an address is kept, and that for its day. Of more networks than are tracked the one that came first
 * is forgotten: whoever can come from a hundred thousand of them needs no such trick.
 */
export class Playground implements PlaygroundCounter {
  readonly #store: PlaygroundStore;
  readonly #clock: Pick<Clock, 'unixMs'>;
  readonly #secret: Uint8Array;
  readonly #counter: PlaygroundCounter;
  #day: number;
  #calls = new Map<string, number>();
  #pending = new Map<string, PlaygroundCalls>();

  private constructor(store: PlaygroundStore, clock: Pick<Clock, 'unixMs'>, secret: Uint8Array, counter: PlaygroundCounter | null) {
    this.#store = store;
    this.#clock = clock;
    this.#secret = secret;
    this.#counter = counter ?? this;
    this.#day = dayOf(clock.unixMs());
  }

  /** `counter`: one that several gateways share; null to count here. */
  static async open(store: PlaygroundStore, clock: Pick<Clock, 'unixMs'>, secret: Uint8Array, counter: PlaygroundCounter | null = null): Promise<Playground> {
    const playground = new Playground(store, clock, secret, counter);
    for (const { name, calls } of await store.playgroundCalls(playground.#day)) playground.#calls.set(name, calls);
    return playground;
  }

  /** Notes a call and tells what is left of the day; throws `rate_limited` from the 21st on. */
  async admit(network: string): Promise<Gauge> {
    const nowMs = this.#clock.unixMs();
    const name = createHmac('sha256', this.#secret).update(network).digest('base64url').slice(0, NAME_BYTES);
    const calls = await this.#counter.count(name, this.#turnTo(dayOf(nowMs)));
    const limit = LIMITS.playgroundCallsADay;
    const wait = Math.max(1, Math.ceil(((this.#day + 1) * DAY_MS - nowMs) / 1_000));
    if (calls <= limit) return { limit, used: calls, remaining: limit - calls, resetSeconds: wait };
    const detail = `The playground's cap of ${limit} requests a day for each client address is reached: it resets at 00:00 UTC, in ${wait} s. With a key there is no such cap.`;
    throw new AppError('rate_limited', detail, { retryAfter: wait });
  }

  /** One step: no number of parallel calls passes the cap. Those beyond it are not counted. */
  count(name: string, day: number): number {
    const calls = (this.#calls.get(name) ?? 0) + 1;
    if (calls > LIMITS.playgroundCallsADay) return calls;
    if (!this.#calls.has(name) && this.#calls.size >= LIMITS.playgroundNetworksMax) this.#calls.delete(this.#calls.keys().next().value!);
    this.#calls.set(name, calls);
    this.#pending.set(name, { day, name, calls });
    return calls;
  }

  /** Writes what was counted since the last time; what the store does not take stays for the next. */
  async flush(): Promise<void> {
    const rows = [...this.#pending.values()];
    this.#pending = new Map();
    for (let start = 0; start < rows.length; start += LIMITS.usageCellsInWriteMax) {
      if (start > 0) await turnOfTheLoop();
      try {
        await this.#store.keepPlaygroundCalls(rows.slice(start, start + LIMITS.usageCellsInWriteMax));
      } catch (error) {
        for (const row of rows.slice(start)) if (row.day === this.#day && !this.#pending.has(row.name)) this.#pending.set(row.name, row);
        throw error;
      }
    }
  }

  /** The clock may fall back over midnight; a day once left does not return. */
  #turnTo(day: number): number {
    if (day > this.#day) {
      this.#day = day;
      this.#calls = new Map();
    }
    return this.#day;
  }
}
