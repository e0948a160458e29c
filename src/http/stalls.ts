import { LIMITS } from '../config/limits.ts';
import { monotonicMs } from '../lib/clock.ts';

/** Something that waits for the caller: his body, or his reading. */
export interface Waiting {
  readonly patienceMs: number;
  /** Set by the first sweep that finds it waiting, on the monotonic clock; `null` until then, and again after each step that the caller made. */
  patienceEndsMs: number | null;
  /** Kept by `Stalls`: where it stands among all that wait, -1 while it does not. */
  stallPlace: number;
  cut(): void;
}

/**
 * One coarse timer for all connections: a timer for each would cost more than most requests, and so would a look at the clock for
 * each wait, which hardly ever lasts until a sweep: patience is counted from there. uWebSockets has its own beside it, which
 * cannot be set and strikes after 10-12 s without progress.
 */
export class Stalls {
  /**
   * The first `#count` wait, in no order; each knows its place. It never shrinks: what a set or a list leaves behind when it does is old
   * memory that still points to young exchanges, and all that hangs on them is kept and copied until a full collection.
   */
  readonly #waiting: (Waiting | null)[] = [];
  #count = 0;
  readonly #sweepMs: number;
  readonly #timer: NodeJS.Timeout;

  constructor(shortestMs: number) {
    this.#sweepMs = Math.min(LIMITS.stallSweepMs, shortestMs / 4);
    this.#timer = setInterval(() => { this.#sweep(); }, this.#sweepMs).unref();
  }

  add(waiting: Waiting): void {
    if (waiting.stallPlace !== -1) return;
    waiting.stallPlace = this.#count;
    this.#waiting[this.#count] = waiting;
    this.#count += 1;
  }

  remove(waiting: Waiting): void {
    const place = waiting.stallPlace;
    if (place === -1) return;
    this.#count -= 1;
    const last = this.#waiting[this.#count]!;
    this.#waiting[this.#count] = null;
    if (last !== waiting) {
      this.#waiting[place] = last;
      last.stallPlace = place;
    }
    waiting.stallPlace = -1;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Half a sweep less than the patience: it ends with the sweep nearest to it, and not with the next because this one came a moment early. */
  #sweep(): void {
    const nowMs = monotonicMs();
    // Backwards: whoever is cut leaves the list, and one that was looked at takes the place.
    for (let at = this.#count - 1; at >= 0; at -= 1) {
      const waiting = this.#waiting[at] ?? null;
      if (waiting === null) continue;
      if (waiting.patienceEndsMs === null) waiting.patienceEndsMs = nowMs + waiting.patienceMs - this.#sweepMs / 2;
      else if (nowMs >= waiting.patienceEndsMs) waiting.cut();
    }
  }
}
