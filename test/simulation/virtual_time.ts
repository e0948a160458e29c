/**
 * The clock and the loop of the process, replaced: time stands still while anything can run, and leaps to the next timer where nothing
 * can. All that is patched is read anew at each call, so that the code under test notices nothing. Timers of before go on, and can be cleared.
 */
type Timer = { readonly act: () => void; readonly everyMs: number | null; atMs: number };

const REAL = {
  setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout, setInterval: globalThis.setInterval, clearInterval: globalThis.clearInterval,
  setImmediate: globalThis.setImmediate, clearImmediate: globalThis.clearImmediate, random: Math.random, now: performance.now,
};

export class VirtualTime {
  nowMs = 1_000;
  readonly #timers = new Map<object, Timer>();
  #soon: { act: () => void; cleared: boolean }[] = [];

  private constructor(chance: () => number) {
    const patched = {
      setTimeout: (act: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) => this.#arm(() => act(...given), ms, false),
      setInterval: (act: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) => this.#arm(() => act(...given), ms, true),
      setImmediate: (act: (...given: unknown[]) => void, ...given: unknown[]) => {
        const one = { act: () => act(...given), cleared: false };
        this.#soon.push(one);
        return one;
      },
      clearTimeout: (timer: object) => { if (!this.#timers.delete(timer)) REAL.clearTimeout(timer as NodeJS.Timeout); },
      clearInterval: (timer: object) => { if (!this.#timers.delete(timer)) REAL.clearInterval(timer as NodeJS.Timeout); },
      clearImmediate: (one: { cleared: boolean }) => { one.cleared = true; },
    };
    Object.assign(globalThis, patched);
    Object.assign(performance, { now: () => this.nowMs });
    Math.random = chance;
  }

  /** Runs `work` under a clock of its own, and with chance from a seed. */
  static async during<T>(chance: () => number, work: (time: VirtualTime) => Promise<T>): Promise<T> {
    const time = new VirtualTime(chance);
    try {
      return await time.#drive(work(time));
    } finally {
      // Who waits for the end of this turn of the loop would wait for ever.
      for (let waiting = time.#soon.length; waiting > 0; waiting -= 1) time.#runSoon();
      const { random, now, ...rest } = REAL;
      Object.assign(globalThis, rest);
      Object.assign(performance, { now });
      Math.random = random;
    }
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => { this.#arm(resolve, ms, false); });
  }

  /** One callback a real turn of the loop: all promises have run on by the next. */
  #drive<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      let over = false;
      work.then(resolve, reject).finally(() => { over = true; });
      const step = (): void => {
        if (over) return;
        try {
          if (!this.#runSoon() && !this.#leap()) throw new Error('nothing is left that could happen, and the work is not done');
        } catch (error) {
          over = true;
          reject(error as Error);
          return;
        }
        REAL.setImmediate(step);
      };
      REAL.setImmediate(step);
    });
  }

  #runSoon(): boolean {
    const next = this.#soon.shift();
    if (next === undefined) return false;
    if (!next.cleared) next.act();
    return true;
  }

  /** To the next timer; of two at one time the first that was armed. */
  #leap(): boolean {
    let first: object | null = null;
    for (const [key, { atMs }] of this.#timers) if (first === null || atMs < this.#timers.get(first)!.atMs) first = key;
    if (first === null) return false;
    const timer = this.#timers.get(first)!;
    this.nowMs = Math.max(this.nowMs, timer.atMs);
    if (timer.everyMs === null) this.#timers.delete(first);
    else timer.atMs += timer.everyMs;
    timer.act();
    return true;
  }

  /** As the real ones: whole milliseconds, never none. */
  #arm(act: () => void, ms: number, again: boolean): NodeJS.Timeout {
    const wholeMs = Math.max(1, Math.trunc(ms));
    const key = { ref: () => key, unref: () => key, hasRef: () => true, [Symbol.toPrimitive]: () => 0 };
    this.#timers.set(key, { act, everyMs: again ? wholeMs : null, atMs: this.nowMs + wholeMs });
    return key as unknown as NodeJS.Timeout;
  }
}
