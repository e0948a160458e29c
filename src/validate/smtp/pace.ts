import { LIMITS } from '../../config/limits.ts';
import { monotonicMs } from '../../lib/clock.ts';
import { Line } from './line.ts';

/** Whoever wants a turn at a provider. */
export type Turn = {
  /** Callers are served in turn. */
  readonly caller: object;
  /** On the monotonic clock: one that cannot begin by then is refused at once. */
  readonly latestMs: number;
  /** False once nobody waits for the session any more, or has the time for it. Others may have come to wait for it since it was asked for. */
  isWanted(): boolean;
};

/** A token bucket a provider: a few turns at once, then one at a time. Nobody is blocked for asking politely. */
export class Pace {
  readonly #buckets = new Map<string, Bucket>();

  /** True when the session may begin; false where its turn cannot come in time, or nobody wants it any more when it comes. */
  turn(provider: string, turn: Turn): Promise<boolean> {
    const bucket = this.#buckets.get(provider) ?? new Bucket();
    this.#buckets.delete(provider);
    this.#buckets.set(provider, bucket);
    if (this.#buckets.size > LIMITS.smtpHostsMax) this.#buckets.delete(this.#buckets.keys().next().value!);
    return bucket.turn(turn);
  }
}

type Waiting = Turn & { take(granted: boolean): void };

class Bucket {
  readonly #line = new Line<Waiting>();
  #tokens: number = LIMITS.smtpSessionsBurst;
  #atMs = monotonicMs();
  #waking = false;

  turn(turn: Turn): Promise<boolean> {
    this.#grant();
    const waitMs = (this.#line.of(turn.caller).length + 1 - this.#tokens) * LIMITS.smtpSessionEveryMs;
    if (monotonicMs() + waitMs > turn.latestMs) return Promise.resolve(false);
    return new Promise((take) => {
      if (!this.#line.add({ ...turn, take })) return take(false);
      this.#grant();
    });
  }

  readonly #grant = (): void => {
    const nowMs = monotonicMs();
    this.#tokens = Math.min(LIMITS.smtpSessionsBurst, this.#tokens + (nowMs - this.#atMs) / LIMITS.smtpSessionEveryMs);
    this.#atMs = nowMs;
    for (let { first } = this.#line; first !== undefined; { first } = this.#line) {
      const granted = first.isWanted();
      if (granted && this.#tokens < 1) return this.#wait();
      if (granted) this.#tokens -= 1;
      this.#line.next();
      first.take(granted);
    }
  };

  #wait(): void {
    if (this.#waking) return;
    this.#waking = true;
    setTimeout(() => {
      this.#waking = false;
      this.#grant();
    }, Math.ceil((1 - this.#tokens) * LIMITS.smtpSessionEveryMs));
  }
}
