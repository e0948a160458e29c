/** Lets so many through at once; the others wait in line, so many of them. */
export class Gate {
  readonly #waitingMax: number;
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(places: number, waitingMax: number) {
    this.#free = places;
    this.#waitingMax = waitingMax;
  }

  /** Calls `enter` when there is a place, at once where there is one. The gives back a way to step out of the line; null where it is full. */
  enter(enter: () => void): (() => void) | null {
    if (this.#free > 0) {
      this.#free -= 1;
      enter();
      return () => {};
    }
    if (this.#waiting.length >= this.#waitingMax) return null;
    this.#waiting.push(enter);
    return () => {
      const at = this.#waiting.indexOf(enter);
      if (at !== -1) this.#waiting.splice(at, 1);
    };
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
