import { LIMITS } from '../config/limits.ts';
import { monotonicMs } from '../lib/clock.ts';
import { Roster, type Enrolled } from '../lib/roster.ts';

/** Something that waits for the caller: his body, or his reading. */
export interface Waiting extends Enrolled {
  readonly patienceMs: number;
  /** Set by the first sweep that finds it waiting, on the clock of the sweeps; `null` until then, and again after each step that the caller made. */
  patienceEndsMs: number | null;
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
  readonly #waiting = new Roster<Waiting>();
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
    this.#waiting.add(waiting);
  }

  remove(waiting: Waiting): void {
    this.#waiting.remove(waiting);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Half a sweep less than the patience: it ends with the sweep nearest to it, and not with the next because this one came a moment early. */
  #sweep(): void {
    const nowMs = monotonicMs();
    this.#countedMs += Math.min(nowMs - this.#sweptMs, 2 * this.#sweepMs);
    this.#sweptMs = nowMs;
    for (const waiting of this.#waiting) {
      waiting.look();
      if (waiting.rosterPlace === -1) continue;
      if (waiting.patienceEndsMs === null) waiting.patienceEndsMs = this.#countedMs + waiting.patienceMs - this.#sweepMs / 2;
      else if (this.#countedMs >= waiting.patienceEndsMs) waiting.cut();
    }
  }
}
