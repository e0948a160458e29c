import { AppError } from '../model/errors.ts';

/** Lets at most so many run at once and so many wait; whoever comes then is sent away at once. */
export class Turnstile {
  readonly #runningMax: number;
  readonly #waitingMax: number;
  readonly #refusal: string;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(runningMax: number, waitingMax: number, refusal: string) {
    this.#runningMax = runningMax;
    this.#waitingMax = waitingMax;
    this.#refusal = refusal;
  }

  /** Whether whoever came now would be sent away. */
  get full(): boolean {
    return this.#running >= this.#runningMax && this.#waiting.length >= this.#waitingMax;
  }

  async pass<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#runningMax) await this.#place();
    else this.#running += 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  #place(): Promise<void> {
    if (this.#waiting.length >= this.#waitingMax) throw new AppError('overloaded', this.#refusal, { retryAfter: 3 });
    return new Promise((resolve) => { this.#waiting.push(resolve); });
  }
}
