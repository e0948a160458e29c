import { LIMITS } from '../../config/limits.ts';
import { Line } from './line.ts';

/** So many at once; of those who wait callers take turns. */
export class PlacesInTurn {
  #free: number;
  /** A call asks of each of its addresses once. */
  readonly #line = new Line<{ readonly caller: object; begin(): void }>(LIMITS.validateEmailsMaxCeiling);

  constructor(places: number) {
    this.#free = places;
  }

  async within<T>(caller: object, work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else {
      await new Promise<void>((begin, fail) => {
        if (!this.#line.add({ caller, begin })) fail(new Error('a call asks of more addresses than it may have'));
      });
    }
    try {
      return await work();
    } finally {
      const next = this.#line.next();
      if (next === undefined) this.#free += 1;
      else next.begin();
    }
  }
}
