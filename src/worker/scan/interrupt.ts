import { monotonicMs } from '../../lib/clock.ts';

/** What may end a scan or its slice early; looked at once a window. */
export class Interrupt {
  readonly #flags: Int32Array;
  readonly #slot: number;
  readonly #ticket: number;
  readonly #deadlineMs: number;
  #sliceEndMs: number;

  constructor({ slot, ticket, deadlineMs }: { readonly slot: number; readonly ticket: number; readonly deadlineMs: number }, flags: Int32Array, sliceEndMs = Infinity) {
    this.#flags = flags;
    this.#slot = slot;
    this.#ticket = ticket;
    this.#deadlineMs = deadlineMs;
    this.#sliceEndMs = sliceEndMs;
  }

  renew(sliceEndMs: number): void {
    this.#sliceEndMs = sliceEndMs;
  }

  /** Whether the others have waited long enough. */
  spent(): boolean {
    return monotonicMs() >= this.#sliceEndMs;
  }

  struck(nowMs = monotonicMs()): 'cancelled' | 'deadline' | null {
    if (Atomics.load(this.#flags, this.#slot) !== this.#ticket) return 'cancelled';
    return nowMs >= this.#deadlineMs ? 'deadline' : null;
  }
}
