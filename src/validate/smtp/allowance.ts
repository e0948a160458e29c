import { LIMITS } from '../../config/limits.ts';

/**
 * What a session may still ask before its host slows us or sends us away; whom it has no room for goes in another. Of what is left a random
 * name for each domain that took one, or put it off, is kept back, with its transaction.
 */
export class Allowance {
  #names: number = LIMITS.smtpRefusalsMax;
  #resets: number = LIMITS.smtpResetsMax;
  /** Domains that are to be asked of a random name. */
  readonly #owed = new Set<string>();

  /** How many recipients may be named. */
  get names(): number {
    return Math.max(0, this.#names);
  }

  /** Whether another transaction of recipients may follow one. */
  get another(): boolean {
    return this.#resets > this.#owed.size;
  }

  refused(): void {
    this.#names -= 1;
  }

  reset(): void {
    this.#resets -= 1;
  }

  /** The random name may be refused. */
  owe(domain: string): void {
    if (!this.#owed.has(domain)) this.#names -= 1;
    this.#owed.add(domain);
  }

  /** False where no random name is owed, or no more. */
  pay(domain: string): boolean {
    return this.#owed.delete(domain);
  }
}
