import { LIMITS } from '../config/limits.ts';
import { monotonicMs } from '../lib/clock.ts';

/** Something that waits for the caller: his body, or his reading. */
export interface Waiting {
  /** The moment after which it has waited too long, on the monotonic clock. */
  readonly patienceEndsMs: number;
  /** Kept by `Stalls`: where it stands among all that wait, -1 while it does not. */
  stallPlace: number;
  cut(): void;
}

/**
 * One coarse timer for all connections: a timer for each would cost more than most requests. uWebSockets has its own beside it, which
 * cannot be set and strikes after 10-12 s without progress.
 */
export class Stalls {
  /** In no order. Each knows its place: a set would hash every exchange once, and shrink and grow with each handful of them. */
  readonly #waiting: Waiting[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(shortestMs: number) {
    this.#timer = setInterval(() => { this.#sweep(); }, Math.min(LIMITS.stallSweepMs, shortestMs / 4)).unref();
  }

  add(waiting: Waiting): void {
    if (waiting.stallPlace !== -1) return;
    waiting.stallPlace = this.#waiting.length;
    this.#waiting.push(waiting);
  }

  remove(waiting: Waiting): void {
    const place = waiting.stallPlace;
    if (place === -1) return;
    waiting.stallPlace = -1;
    const last = this.#waiting.pop()!;
    if (last === waiting) return;
    this.#waiting[place] = last;
    last.stallPlace = place;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #sweep(): void {
    const nowMs = monotonicMs();
    // Backwards: whoever is cut leaves the list, and one that was looked at takes the place.
    for (let at = this.#waiting.length - 1; at >= 0; at -= 1) {
      const waiting = this.#waiting[at];
      if (waiting !== undefined && nowMs >= waiting.patienceEndsMs) waiting.cut();
    }
  }
}
