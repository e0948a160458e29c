import { LIMITS } from '../../config/limits.ts';

/** A token bucket a provider: a few sessions at once, then one at a time. Nobody is blocked for asking politely. */
export class Pace {
  readonly #buckets = new Map<string, { tokens: number; atMs: number }>();

  /** Milliseconds to wait before the next session; its token is taken. */
  take(provider: string, nowMs: number): number {
    const bucket = this.#buckets.get(provider) ?? { tokens: LIMITS.smtpSessionsBurst, atMs: nowMs };
    this.#buckets.delete(provider);
    this.#buckets.set(provider, bucket);
    if (this.#buckets.size > LIMITS.smtpHostsMax) this.#buckets.delete(this.#buckets.keys().next().value!);
    const gained = Math.max(0, nowMs - bucket.atMs) / LIMITS.smtpSessionEveryMs;
    bucket.tokens = Math.min(LIMITS.smtpSessionsBurst, bucket.tokens + gained) - 1;
    bucket.atMs = nowMs;
    return bucket.tokens >= 0 ? 0 : Math.ceil(-bucket.tokens * LIMITS.smtpSessionEveryMs);
  }
}
