import { LRUCache } from 'lru-cache';
import { LIMITS } from '../../config/limits.ts';
import { atMost } from '../at_most.ts';
import type { CacheCounts } from '../lookup_cache.ts';

type Known = { readonly takesAny: boolean; readonly freshUntilMs: number; readonly staleUntilMs: number };

/**
 * Which domains take any name at which host. It is known for as long as the records that led there, within bounds: no host is asked for a
 * random name again and again because somebody's TTL is short. Past that the next session asks again, at the price of one line, and what was
 * known stands in for an hour where that brings no answer.
 */
export class CatchAlls {
  readonly #known = new LRUCache<string, Known>(atMost(LIMITS.mailDomainsCachedMax));
  readonly #now: () => number;
  #hits = 0;
  #misses = 0;
  #stale = 0;

  /** `now`: monotonic clock, milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether a session may do without asking. */
  isFresh(domain: string, host: string): boolean {
    const isFresh = this.#now() < (this.#known.get(keyOf(domain, host))?.freshUntilMs ?? 0);
    if (isFresh) this.#hits += 1;
    else this.#misses += 1;
    return isFresh;
  }

  /** What holds after a session; null for what nobody knows. */
  of(domain: string, host: string): boolean | null {
    const known = this.#known.get(keyOf(domain, host));
    const nowMs = this.#now();
    if (known === undefined || nowMs >= known.staleUntilMs) return null;
    if (nowMs >= known.freshUntilMs) this.#stale += 1;
    return known.takesAny;
  }

  /** `routeTtlMs`: how long the records hold that led to the host. */
  found(domain: string, host: string, takesAny: boolean, routeTtlMs: number): void {
    const freshUntilMs = this.#now() + Math.min(LIMITS.catchAllTtlMsMax, Math.max(LIMITS.catchAllTtlMsMin, routeTtlMs));
    this.#known.set(keyOf(domain, host), { takesAny, freshUntilMs, staleUntilMs: freshUntilMs + LIMITS.dnsStaleMsMax });
  }

  counts(): CacheCounts {
    return { hits: this.#hits, misses: this.#misses, stale: this.#stale, entries: this.#known.size };
  }
}

function keyOf(domain: string, host: string): string {
  return `${domain} ${host}`;
}
