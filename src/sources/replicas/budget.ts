/**
 * Keeps what is done twice a small share of what is done once, however much fails: each call earns a share of a token, each extra one
 * spends a whole. It begins full, and never holds more than `most`.
 */
export class Budget {
  readonly #share: number;
  readonly #most: number;
  #tokens: number;

  constructor(share: number, most: number) {
    this.#share = share;
    this.#most = most;
    this.#tokens = most;
  }

  earn(): void { this.#tokens = Math.min(this.#most, this.#tokens + this.#share); }

  /** False where there is none left. */
  spend(): boolean {
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
