import { monotonicMs } from '../lib/clock.ts';

/**
 * The one moment at which a whole call gives up, whatever it waits for; it comes early when the caller leaves.
 * One timer a call, however many wait. Close it when the call ends.
 */
export class Deadline {
  readonly endsMs: number;
  over = false;
  /** Called off by the service, which ends. */
  calledOff = false;
  #closed = false;
  readonly #listeners = new Set<() => void>();
  readonly #timer: NodeJS.Timeout;
  readonly #signal: AbortSignal | null;

  /** `endsMs` on the monotonic clock. */
  constructor(endsMs: number, signal: AbortSignal | null = null) {
    this.endsMs = endsMs;
    this.#signal = signal;
    // Behind all that fell due before it: after a stall Node takes timers of one length together, the later ones before earlier ones of another.
    this.#timer = setTimeout(() => setImmediate(this.#strike), Math.max(0, endsMs - monotonicMs()));
    signal?.addEventListener('abort', this.#strike);
    if (signal?.aborted === true) this.#strike();
  }

  /** Whether nobody wants the results any more. */
  get left(): boolean {
    return this.#closed || this.calledOff || this.#signal?.aborted === true;
  }

  /** What `promise` gives, or what `late` gives once the deadline struck. */
  race<T, L>(promise: Promise<T>, late: () => L): Promise<T | L> {
    if (this.over) return Promise.resolve(late());
    return new Promise((resolve, reject) => {
      const strike = (): void => resolve(late());
      this.#listeners.add(strike);
      const settled = promise.finally(() => this.#listeners.delete(strike));
      settled.then(resolve, reject);
    });
  }

  callOff(): void {
    this.calledOff = true;
    this.#strike();
  }

  /** Lets go what a call that failed still waits for. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#strike);
    this.#strike();
  }

  readonly #strike = (): void => {
    this.over = true;
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  };
}
