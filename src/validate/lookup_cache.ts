import { LRUCache } from 'lru-cache';
import { LIMITS } from '../config/limits.ts';
import { atMost } from './at_most.ts';
import type { Deadline } from './deadline.ts';
import type { Interest } from './dns/udp.ts';
import type { CacheState } from './result.ts';

/**
 * What a look-up brought; `ttlMs` 0: must not be kept. A failure on the other side is kept as such, for a while that doubles; one on
 * ours is not: once we are well again, nothing should remember it.
 */
export type Found<V> = {
  readonly value: V;
  readonly ttlMs: number;
  readonly failure: 'theirs' | 'ours' | null;
  /** Of a failure that found something all the same: whether it is worth more than what was known before. */
  readonly outdoes?: (before: V) => boolean;
};
export type Taken<V> = { readonly value: V; readonly state: CacheState; readonly expiresMs: number };

type Entry<V> = {
  readonly value: V;
  readonly freshUntilMs: number;
  /** A good value may stand in for a failed refresh until then. */
  readonly staleUntilMs: number;
  /** Of failures: when to ask again, and how long the wait was. */
  readonly retryAtMs: number;
  readonly waitMs: number;
};

type Load<V> = (key: string, interest: Interest) => Promise<Found<V>>;
type Flight<V> = { readonly promise: Promise<Taken<V>>; readonly want: Want };

/** Who wants what a flight brings: those who wait, and look-ups that it is part of. A refresh that nobody waits for is wanted too. */
class Want implements Interest {
  waiting = 0;
  left = false;
  readonly wholes: Interest[] = [];

  get abandoned(): boolean {
    return this.waiting === 0 && (this.left || this.wholes.length > 0) && this.wholes.every(({ abandoned }) => abandoned);
  }
}

const NOTHING = Promise.resolve(null);

export type CacheCounts = { readonly hits: number; readonly misses: number; readonly stale: number; readonly entries: number };
export const NO_LOOKUPS: CacheCounts = { hits: 0, misses: 0, stale: 0, entries: 0 };

/**
 * Look-ups kept as long as they may be, shared while they are under way.
 *
 *   fresh ──▶ hit      just past ──▶ stale, refreshed behind      long past ──▶ refreshed first, stale only if that fails
 *
 * Times are milliseconds of the monotonic clock: what was kept while the wall clock was ahead is not fresh until that time has come.
 */
export class LookupCache<V extends object> {
  readonly #entries: LRUCache<string, Entry<V>>;
  readonly #flights = new Map<string, Flight<V>>();
  readonly #load: Load<V>;
  readonly #staleMs: number;
  readonly #now: () => number;
  #hits = 0;
  #misses = 0;
  #stale = 0;

  constructor(entriesMax: number, staleMs: number, load: Load<V>, now: () => number) {
    this.#entries = new LRUCache(atMost(entriesMax));
    this.#staleMs = staleMs;
    this.#load = load;
    this.#now = now;
  }

  /** What is there and may be used at once; null where it has to be waited for. `load` where the key alone does not say how it is refreshed. */
  peek(key: string, load = this.#load): Taken<V> | null {
    const entry = this.#entries.get(key);
    if (entry === undefined) return null;
    const nowMs = this.#now();
    if (nowMs < entry.freshUntilMs) {
      this.#hits += 1;
      return { value: entry.value, state: 'hit', expiresMs: entry.freshUntilMs };
    }
    const soft = nowMs < Math.min(entry.freshUntilMs + LIMITS.dnsStaleMsSoft, entry.staleUntilMs);
    if (!soft && nowMs >= entry.retryAtMs) return null;
    if (nowMs >= entry.staleUntilMs) return null;
    // Nobody waits for it: of its failure hears who has to wait for the next.
    if (nowMs >= entry.retryAtMs && !this.#flights.has(key)) this.#fly(key, load).promise.catch(() => {});
    this.#stale += 1;
    return { value: entry.value, state: 'stale', expiresMs: Math.max(nowMs, entry.retryAtMs) };
  }

  /** Waits for the look-up, which others may share; null when the deadline struck first. The last to leave lets it go. `load` where the key alone does not say how. */
  wait(key: string, deadline: Deadline, load = this.#load): Promise<Taken<V> | null> {
    if (deadline.over) return NOTHING;
    const flight = this.#flights.get(key) ?? this.#fly(key, load);
    flight.want.waiting += 1;
    return deadline.race(flight.promise, () => {
      flight.want.waiting -= 1;
      this.#leave(key, flight);
      return null;
    });
  }

  /** As `wait`, for a look-up that is itself part of one with a deadline: it is wanted for as long as that is. */
  share(key: string, whole: Interest): Promise<Taken<V>> {
    const flight = this.#flights.get(key) ?? this.#fly(key);
    flight.want.wholes.push(whole);
    return flight.promise;
  }

  counts(): CacheCounts {
    return { hits: this.#hits, misses: this.#misses, stale: this.#stale, entries: this.#entries.size };
  }

  #leave(key: string, flight: Flight<V>): void {
    flight.want.left = true;
    if (!flight.want.abandoned) return;
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
  }

  #fly(key: string, load = this.#load): Flight<V> {
    this.#misses += 1;
    const want = new Want();
    const over = (): void => {
      if (this.#flights.get(key) === flight) this.#flights.delete(key);
    };
    const promise = load(key, want).then((found) => {
      over();
      return this.#land(key, found, want);
    }, (error: unknown) => {
      over();
      throw error;
    });
    const flight: Flight<V> = { promise, want };
    this.#flights.set(key, flight);
    return flight;
  }

  #land(key: string, found: Found<V>, interest: Interest): Taken<V> {
    const nowMs = this.#now();
    if (found.failure === null) {
      const freshUntilMs = nowMs + found.ttlMs;
      if (found.ttlMs > 0) this.#entries.set(key, { value: found.value, freshUntilMs, staleUntilMs: freshUntilMs + this.#staleMs, retryAtMs: 0, waitMs: 0 });
      else this.#entries.delete(key);
      return { value: found.value, state: 'miss', expiresMs: freshUntilMs };
    }
    const before = this.#entries.peek(key);
    if (interest.abandoned) return { value: found.value, state: 'miss', expiresMs: nowMs };
    if (found.failure === 'ours' && (before === undefined || before.staleUntilMs <= nowMs)) {
      return { value: found.value, state: 'miss', expiresMs: nowMs + LIMITS.dnsFailureMsMin };
    }
    const waitMs = Math.min(LIMITS.dnsFailureMsMax, Math.max(LIMITS.dnsFailureMsMin, (before?.waitMs ?? 0) * 2));
    const retryAtMs = nowMs + waitMs;
    if (before !== undefined && before.staleUntilMs > nowMs && found.outdoes?.(before.value) !== true) {
      this.#entries.set(key, { ...before, retryAtMs, waitMs });
      return { value: before.value, state: 'stale', expiresMs: retryAtMs };
    }
    this.#entries.set(key, { value: found.value, freshUntilMs: retryAtMs, staleUntilMs: 0, retryAtMs, waitMs });
    return { value: found.value, state: 'miss', expiresMs: retryAtMs };
  }
}
