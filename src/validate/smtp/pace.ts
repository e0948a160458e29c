import { LIMITS } from '../../config/limits.ts';

/** A token bucket a provider: a few sessions at once, then one at a time. Nobody is blocked for asking politely. */
export class Pace {
  readonly #buckets = new Map<string, { tokens: number; atMs: number }>();

  /** Milliseconds to wait before the next session, its token taken; null, and nothing taken, where its turn would come after `latestMs`. */
  take(provider: string, nowMs: number, latestMs: number): number | null {
    const { tokens, atMs } = this.#buckets.get(provider) ?? { tokens: LIMITS.smtpSessionsBurst, atMs: nowMs };
    const left = Math.min(LIMITS.smtpSessionsBurst, tokens + Math.max(0, nowMs - atMs) / LIMITS.smtpSessionEveryMs) - 1;
    const waitMs = left >= 0 ? 0 : Math.ceil(-left * LIMITS.smtpSessionEveryMs);
    if (nowMs + waitMs > latestMs) return null;
    this.#buckets.delete(provider);
    this.#buckets.set(provider, { tokens: left, atMs: nowMs });
    if (this.#buckets.size > LIMITS.smtpHostsMax) this.#buckets.delete(this.#buckets.keys().next().value!);
    return waitMs;
  }
}
