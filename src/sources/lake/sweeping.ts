import { LIMITS } from '../../config/limits.ts';
import type { Clock } from '../../lib/clock.ts';
import { sweepUnlessWriting, type Served } from './sweep.ts';

/** The snapshot that is served of a lake, and since when on the monotonic clock. */
export type Serving = { readonly snapshot: number; readonly sinceMs: number };

/**
 * When a gateway sweeps: when it lets go of a snapshot, and every few minutes, for what others left: a writer that was killed, a process
 * that read what was replaced long ago.
 */
export class Sweeping {
  readonly #clock: Clock;
  /** On the monotonic clock; never until the first time. */
  #dueMs = Infinity;
  #sweptMs = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get due(): boolean { return this.#dueMs <= this.#clock.monotonicMs(); }

  /** There is something to sweep. */
  hasten(): void {
    this.#dueMs = Math.min(this.#dueMs, this.#sweptMs + LIMITS.lakeSweepAgainMs);
  }

  /** Lakes by folder. Where a writer is at work, or the disk fails, it is tried again before long. */
  async run(lakes: ReadonlyMap<string, Serving | null>): Promise<void> {
    let all = true;
    for (const [dir, serving] of lakes) all = (await this.#swept(dir, serving)) && all;
    this.#sweptMs = this.#clock.monotonicMs();
    this.#dueMs = this.#sweptMs + (all ? LIMITS.lakeSweepMs : LIMITS.lakeRetryMsMax);
  }

  async #swept(dir: string, serving: Serving | null): Promise<boolean> {
    const served: Served | null = serving === null ? null : { snapshot: serving.snapshot, forMs: this.#clock.monotonicMs() - serving.sinceMs };
    return (await sweepUnlessWriting(dir, this.#clock.unixMs(), served).catch(() => null)) !== null;
  }
}
