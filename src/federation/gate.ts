import { LIMITS } from '../config/limits.ts';

/** `page`: somebody waits for a few rows. `stream`: it holds its place for as long as it is read, which may be hours. */
export type Visit = 'page' | 'stream';

/**
 * How many of so many places streams may hold: a share is kept for pages, one place at least. Of a single place nothing can be kept, or
 * there were no streams.
 */
export function streamPlaces(places: number): number {
  return Math.max(1, places - Math.ceil(places * LIMITS.pagePlacesShare));
}

type Waiting = { readonly visit: Visit; readonly enter: () => void };

/** Lets so many through at once; the others wait in line, so many of them. Streams take neither all places nor all of the line. */
export class Gate {
  readonly #waitingMax: number;
  readonly #streamsMax: number;
  #waiting: Waiting[] = [];
  #free: number;
  #streams = 0;

  constructor(places: number, waitingMax: number) {
    this.#free = places;
    this.#waitingMax = waitingMax;
    this.#streamsMax = streamPlaces(places);
  }

  /** Calls `enter` when there is a place, at once where there is one. Gives back a way to step out of the line; null where it is full. */
  enter(visit: Visit, enter: () => void): (() => void) | null {
    const one: Waiting = { visit, enter };
    if (this.#admits(one)) {
      this.#take(one);
      return () => {};
    }
    if (!this.#hasRoom(visit)) return null;
    this.#waiting.push(one);
    return () => { this.#waiting = this.#waiting.filter((each) => each !== one); };
  }

  leave(visit: Visit): void {
    this.#free += 1;
    if (visit === 'stream') this.#streams -= 1;
    const next = this.#waiting.find((one) => this.#admits(one));
    if (next === undefined) return;
    this.#waiting = this.#waiting.filter((each) => each !== next);
    this.#take(next);
  }

  /** Whoever comes finds nobody in line who could have entered before: each place that falls free is given to the first who may have it. */
  #admits({ visit }: Waiting): boolean {
    return this.#free > 0 && (visit === 'page' || this.#streams < this.#streamsMax);
  }

  #hasRoom(visit: Visit): boolean {
    if (this.#waiting.length >= this.#waitingMax) return false;
    return visit === 'page' || this.#waiting.filter((one) => one.visit === 'stream').length < streamPlaces(this.#waitingMax);
  }

  #take({ visit, enter }: Waiting): void {
    this.#free -= 1;
    if (visit === 'stream') this.#streams += 1;
    enter();
  }
}
