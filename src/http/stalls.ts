import { LIMITS } from '../config/limits.ts';
import { monotonicMs } from '../lib/clock.ts';

/** Something that waits for the caller: his body, or his reading. */
export interface Waiting {
  readonly patienceMs: number;
  /** Set by the first sweep that finds it waiting, on the clock of the sweeps; `null` until then, and again after each step that the caller made. */
  patienceEndsMs: number | null;
  /** Kept by `Stalls`: where it stands among all that wait, -1 while it does not. */
  stallPlace: number;
  /** Asked by each sweep before it counts: whether the caller made a step that nobody told of. It may end the wait. */
  look(): void;
  cut(): void;
}

/**
 * One coarse timer for all connections: a timer for each would cost more than most requests, and so would a look at the clock for
 * each wait, which hardly ever lasts until a sweep: patience is counted from there. What counts is time in which sweeps came as they
 * should: a service that did not run did not look. uWebSockets has a timer of its own beside it, which cannot be set and strikes 8-12 s after
 * a write that the kernel did not take as a whole, unless another one is tried: each look is one.
 */
export class Stalls {
  /**
   * The first `#count` wait, in no order; each knows its place. It never shrinks: what a set or a list leaves behind when it does is old
   * memory that still points to young exchanges, and all that hangs on them is kept and copied until a full collection.
   */
  readonly #waiting: (Waiting | null)[] = [];
  #count = 0;
  #sweptMs = monotonicMs();
  /** The clock of the sweeps, which stands still while none comes. */
  #countedMs = 0;
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
    this.#countedMs += Math.min(nowMs - this.#sweptMs, 2 * this.#sweepMs);
    this.#sweptMs = nowMs;
    // Backwards: whoever is cut leaves the list, and one that was looked at takes the place.
    for (let at = this.#count - 1; at >= 0; at -= 1) {
      const waiting = this.#waiting[at] ?? null;
      if (waiting === null) continue;
      waiting.look();
      if (waiting.stallPlace === -1) continue;
      if (waiting.patienceEndsMs === null) waiting.patienceEndsMs = this.#countedMs + waiting.patienceMs - this.#sweepMs / 2;
      else if (this.#countedMs >= waiting.patienceEndsMs) waiting.cut();
    }
  }
}
