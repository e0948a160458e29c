import { stopped } from './stopped.ts';

/** `short` is let in first. `long` may look at all there is before it gives anything, and leaves places to those that are not. */
export type Haste = 'short' | 'long';

type Waiting = { readonly haste: Haste; readonly enter: () => void };

/** Who may call an engine: so many at once, and so many of them long. The others wait until there is a place, or their signal strikes. */
export class Turns {
  readonly #longMax: number;
  #free: number;
  #long = 0;
  #waiting: Waiting[] = [];

  constructor(places: number, longMax: number) {
    this.#free = places;
    this.#longMax = longMax;
  }

  /** For the connections to a server: what is counted beside the rows takes half at most. A page would else wait for the counts of another, and a stream for its own. */
  static ofConnections(connections: number): Turns {
    return new Turns(connections, Math.ceil(connections / 2));
  }

  /** Resolves to the way out, once there is a place. */
  enter(haste: Haste, signal: AbortSignal): Promise<() => void> {
    if (signal.aborted) return Promise.reject(stopped());
    return new Promise((resolve, reject) => {
      const strike = (): void => {
        this.#waiting = this.#waiting.filter((each) => each !== one);
        reject(stopped());
      };
      const one: Waiting = {
        haste,
        enter: () => {
          signal.removeEventListener('abort', strike);
          resolve(() => this.#leave(haste));
        },
      };
      signal.addEventListener('abort', strike);
      this.#waiting.push(one);
      this.#admit();
    });
  }

  #leave(haste: Haste): void {
    this.#free += 1;
    if (haste === 'long') this.#long -= 1;
    this.#admit();
  }

  #admit(): void {
    while (this.#free > 0) {
      const next = this.#waiting.find(({ haste }) => haste === 'short') ?? (this.#long < this.#longMax ? this.#waiting[0] : undefined);
      if (next === undefined) return;
      this.#waiting = this.#waiting.filter((each) => each !== next);
      this.#free -= 1;
      if (next.haste === 'long') this.#long += 1;
      next.enter();
    }
  }
}
