/** How many running calls read a snapshot: each is counted from its plan to its end, on the service's own thread. */
export class Readers {
  #calls = 0;

  get any(): boolean { return this.#calls > 0; }
  begin(): void { this.#calls += 1; }
  end(): void { this.#calls -= 1; }
}
