/** The exchanges under way on one server, and whether it takes leave. */
export class Running {
  draining = false;
  #count = 0;
  #whenNone: (() => void)[] = [];

  enter(): void {
    this.#count += 1;
  }

  leave(): void {
    this.#count -= 1;
    if (this.#count > 0) return;
    const listeners = this.#whenNone;
    this.#whenNone = [];
    for (const listener of listeners) listener();
  }

  none(): Promise<void> {
    return this.#count === 0 ? Promise.resolve() : new Promise((resolve) => { this.#whenNone.push(resolve); });
  }
}
