import { LIMITS } from '../config/limits.ts';
import { monotonicMs } from '../lib/clock.ts';

/** Something that waits for the caller: his body, or his reading. */
export interface Waiting {
  /** The moment after which it has waited too long, on the monotonic clock. */
  readonly patienceEndsMs: number;
  cut(): void;
}

/**
 * One coarse timer for all connections: a timer for each would cost more than most requests. uWebSockets has its own beside it, which
 * cannot be set and strikes after 10-12 s without progress.
 */
export class Stalls {
  readonly #waiting = new Set<Waiting>();
  readonly #timer: NodeJS.Timeout;

  constructor(shortestMs: number) {
    this.#timer = setInterval(() => { this.#sweep(); }, Math.min(LIMITS.stallSweepMs, shortestMs / 4)).unref();
  }

  add(waiting: Waiting): void {
    this.#waiting.add(waiting);
  }

  remove(waiting: Waiting): void {
    this.#waiting.delete(waiting);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #sweep(): void {
    const nowMs = monotonicMs();
    for (const waiting of this.#waiting) {
      if (nowMs >= waiting.patienceEndsMs) waiting.cut();
    }
  }
}
