import { LIMITS } from '../../config/limits.ts';

/**
 * What a session may still ask before its host slows us or sends us away; whom it has no room for goes in another. Of what is left a random
 * name for each domain that took one, or put it off, is kept back, with its transaction.
 */
export class Allowance {
  #names: number = LIMITS.smtpRefusalsMax;
  #namesHere: number = LIMITS.smtpTransactionRefusalsMax;
  #resets: number = LIMITS.smtpResetsMax;
  /** Domains whose catch-all is known already. */
  readonly #known: ReadonlySet<string>;
  /** Domains that are to be asked of a random name. */
  readonly #owed = new Set<string>();

  constructor(known: ReadonlySet<string>) {
    this.#known = known;
  }

  /** How many recipients may be named. */
  get names(): number {
    return this.#names;
  }

  /** How many in the transaction under way. */
  get namesHere(): number {
    return this.#namesHere;
  }

  /** How many of a domain where the random name is to follow: the first that is put off costs two. */
  namesAt(domain: string): number {
    return this.#names - (this.#mayOwe(domain) ? 1 : 0);
  }

  /** Whether another transaction of recipients may follow one. */
  get another(): boolean {
    return this.#resets > this.#owed.size;
  }

  refused(): void {
    this.#names -= 1;
    this.#namesHere -= 1;
  }

  reset(): void {
    this.#resets -= 1;
    this.#namesHere = LIMITS.smtpTransactionRefusalsMax;
  }

  /** The random name may be refused. Where the last one that might be named was put off there is none for it. */
  owe(domain: string): void {
    if (this.#names === 0 || !this.#mayOwe(domain)) return;
    this.#names -= 1;
    this.#owed.add(domain);
  }

  /** False where no random name is owed, or no more. */
  pay(domain: string): boolean {
    return this.#owed.delete(domain);
  }

  #mayOwe(domain: string): boolean {
    return !this.#known.has(domain) && !this.#owed.has(domain);
  }
}
