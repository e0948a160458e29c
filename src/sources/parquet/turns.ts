import { stopped } from '../stopped.ts';

/** `short`: somebody waits for a page. `long`: streams and figures, which may look at all there is before they give anything. */
export type Haste = 'short' | 'long';

type Waiting = { readonly haste: Haste; readonly enter: () => void };

/**
 * Who may call the engine. A call holds one of the four threads of the process by which files are read and names looked up, for as long as
 * it takes: few may run at once, and those that are long leave a place to those that are not.
 */
export class Turns {
  readonly #longMax: number;
  #free: number;
  #long = 0;
  #waiting: Waiting[] = [];

  constructor(places: number, longMax: number) {
    this.#free = places;
    this.#longMax = longMax;
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
