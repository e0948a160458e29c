/** What was asked again and what was asked twice, counted where it happens and read where metrics are: `[retries, hedges]`. */
export class Tallies {
  readonly shared: SharedArrayBuffer;
  readonly #counts: Int32Array;

  constructor(shared: SharedArrayBuffer = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) {
    this.shared = shared;
    this.#counts = new Int32Array(shared);
  }

  get retries(): number { return Atomics.load(this.#counts, 0); }
  get hedges(): number { return Atomics.load(this.#counts, 1); }
  addRetry(): void { Atomics.add(this.#counts, 0, 1); }
  addHedge(): void { Atomics.add(this.#counts, 1, 1); }
}
