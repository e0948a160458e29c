import { monotonicMs } from '../lib/clock.ts';

/**
 * The one moment at which a whole call gives up, whatever it waits for; it comes early when the caller leaves.
 * One timer a call, however many wait. Close it when the call ends.
 */
export class Deadline {
  readonly endsMs: number;
  over = false;
  readonly #listeners = new Set<() => void>();
  readonly #timer: NodeJS.Timeout;
  readonly #signal: AbortSignal | null;

  /** `endsMs` on the monotonic clock. */
  constructor(endsMs: number, signal: AbortSignal | null = null) {
    this.endsMs = endsMs;
    this.#signal = signal;
    this.#timer = setTimeout(this.#strike, Math.max(0, endsMs - monotonicMs()));
    signal?.addEventListener('abort', this.#strike);
    if (signal?.aborted === true) this.#strike();
  }

  /** Calls `listener` when the deadline strikes; gives what takes it back. */
  onOver(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What `promise` gives, or `late` once the deadline struck. */
  race<T, L>(promise: Promise<T>, late: L): Promise<T | L> {
    if (this.over) return Promise.resolve(late);
    return new Promise((resolve, reject) => {
      const off = this.onOver(() => resolve(late));
      promise.then(resolve, reject).finally(off);
    });
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#strike);
    this.#listeners.clear();
  }

  readonly #strike = (): void => {
    this.over = true;
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  };
}
