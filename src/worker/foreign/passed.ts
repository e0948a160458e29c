import type { FoundRow, Place } from '../../sources/source.ts';

/** Numbers the rows of one key, and passes over those that were delivered before. */
export class Passed {
  readonly #from: Place | null;
  #phase = -1;
  #key = '';
  #seen = 0;

  constructor(from: Place | null) { this.#from = from; }

  /** How many rows of this key have come with this one; null for a row that was delivered before. */
  count({ phase, key }: FoundRow): number | null {
    this.#seen = phase === this.#phase && key === this.#key ? this.#seen + 1 : 1;
    this.#phase = phase;
    this.#key = key;
    const isOld = this.#from !== null && phase === this.#from.phase && key === this.#from.key && this.#seen <= this.#from.seen;
    return isOld ? null : this.#seen;
  }
}
