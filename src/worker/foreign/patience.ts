import { monotonicMs } from '../../lib/clock.ts';

/** Made once: the error that is made where none is given takes its stack each time. */
const STOPPED = new Error('stopped by this side');

/** How long a piece of work may go on: until its deadline, or until nobody waits for it any more. */
export class Patience {
  struck: 'deadline' | 'cancelled' | null = null;
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(deadlineMs: number) {
    this.#timer = setTimeout(() => this.#strike('deadline'), Math.max(0, deadlineMs - monotonicMs()));
  }

  get signal(): AbortSignal { return this.#controller.signal; }

  cancel(): void { this.#strike('cancelled'); }

  end(): void { clearTimeout(this.#timer); }

  #strike(why: 'deadline' | 'cancelled'): void {
    if (this.struck !== null) return;
    this.struck = why;
    clearTimeout(this.#timer);
    this.#controller.abort(STOPPED);
  }
}
