import { Places } from '../lib/places.ts';
import { AppError } from '../model/errors.ts';

/** Lets at most so many run at once and so many wait; whoever comes then is sent away at once. */
export class Turnstile {
  readonly #places: Places;
  readonly #waitingMax: number;
  readonly #refusal: string;

  constructor(runningMax: number, waitingMax: number, refusal: string) {
    this.#places = new Places(runningMax);
    this.#waitingMax = waitingMax;
    this.#refusal = refusal;
  }

  /** Whether whoever came now would be sent away. */
  get full(): boolean {
    return this.#places.free === 0 && this.#places.waiting >= this.#waitingMax;
  }

  /** Throws where whoever came now would be sent away. */
  admit(): void {
    if (this.full) throw new AppError('overloaded', this.#refusal, { retryAfter: 3 });
  }

  async pass<T>(work: () => Promise<T>): Promise<T> {
    this.admit();
    return this.#places.within(work);
  }
}
