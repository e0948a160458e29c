import { monotonicMs } from '../../lib/clock.ts';

/** What may end a scan early; looked at once a window. */
export class Interrupt {
  readonly #flags: Int32Array;
  readonly #slot: number;
  readonly #ticket: number;
  readonly #deadlineMs: number;

  constructor({ slot, ticket, deadlineMs }: { readonly slot: number; readonly ticket: number; readonly deadlineMs: number }, flags: Int32Array) {
    this.#flags = flags;
    this.#slot = slot;
    this.#ticket = ticket;
    this.#deadlineMs = deadlineMs;
  }

  struck(): 'cancelled' | 'deadline' | null {
    if (Atomics.load(this.#flags, this.#slot) !== this.#ticket) return 'cancelled';
    return monotonicMs() >= this.#deadlineMs ? 'deadline' : null;
  }
}
