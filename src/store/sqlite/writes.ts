import { LIMITS } from '../../config/limits.ts';
import { monotonicMs } from '../../lib/clock.ts';
import type { Durability } from '../statements.ts';

type Use<Sql> = (sql: Sql) => unknown;
type Write<Sql> = {
  readonly durability: Durability;
  readonly use: Use<Sql>;
  /** Takes long, so that no other is to wait for it or be waited for. */
  readonly alone: boolean;
  readonly cameMs: number;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
};

/** Runs `use` in one transaction, again until `untilMs` where another process is in the way; rejects with nothing of it done. */
type Transact<Sql> = (durability: Durability, use: Use<Sql>, untilMs: number) => Promise<unknown>;

/**
 * Writes that come in one turn of the loop are one transaction, but for long ones. The wait for the disk at its end holds the loop: one by one, those
 * of a few hundred callers would hold it for all their waits on end. None is acknowledged before the disk has all. Where another process is in the
 * way, those that wait are given up together, and not each time after as long again.
 */
export class Writes<Sql> {
  readonly #transact: Transact<Sql>;
  readonly #waiting: Write<Sql>[] = [];
  #running = false;
  /** When the last transaction was done: nobody else was in the way then. */
  #doneMs = -Infinity;

  constructor(transact: Transact<Sql>) {
    this.#transact = transact;
  }

  add<T>(durability: Durability, use: (sql: Sql) => T, alone: boolean): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ durability, use, alone, cameMs: monotonicMs(), resolve: resolve as (result: unknown) => void, reject });
      if (this.#running) return;
      this.#running = true;
      this.#inNextTurn();
    });
  }

  #inNextTurn(): void {
    setImmediate(() => { void this.#run(); });
  }

  async #run(): Promise<void> {
    await this.#together(this.#waiting.splice(0, this.#togetherNow()));
    this.#running = this.#waiting.length > 0;
    if (this.#running) this.#inNextTurn();
  }

  #togetherNow(): number {
    const alone = this.#waiting.findIndex((write) => write.alone);
    return alone === -1 ? LIMITS.storeWritesTogetherMax : Math.min(LIMITS.storeWritesTogetherMax, Math.max(1, alone));
  }

  /** One that fails is told so alone, and the others are done without it; where the transaction fails, all did. */
  async #together(writes: readonly Write<Sql>[]): Promise<void> {
    for (let left = writes; left.length > 0;) {
      let at = left.length;
      const results: unknown[] = [];
      try {
        await this.#transact(left.some(({ durability }) => durability === 'synced') ? 'synced' : 'buffered', (sql) => {
          for (at = 0; at < left.length; at += 1) results[at] = left[at]!.use(sql);
        }, Math.max(left.at(-1)!.cameMs, this.#doneMs) + LIMITS.storeBusyMs);
        this.#doneMs = monotonicMs();
        for (const [place, { resolve }] of left.entries()) resolve(results[place]);
        return;
      } catch (error) {
        const failed = at === left.length ? left : [left[at]!];
        for (const { reject } of failed) reject(error);
        left = left.filter((write) => !failed.includes(write));
      }
    }
  }
}
