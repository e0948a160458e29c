import { randomBytes } from 'node:crypto';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { LIMITS } from '../config/limits.ts';
import type { Endpoint } from '../model/account.ts';
import type { Store, Usage, UsageBatch } from '../store/store.ts';
import type { Caller } from './caller.ts';

const WRITER_BYTES = 12;

type Cell = { -readonly [Name in keyof Usage]: Usage[Name] };

/**
 * Requests and units, counted in memory and written together: a crash loses what came since the last write. What the store did not
 * acknowledge may have been added for all that, so it is given again as it was, under its number, and never added twice.
 */
export class UsageCounter {
  readonly #store: Store;
  readonly #writer = randomBytes(WRITER_BYTES).toString('base64url');
  #pending = new Map<string, Cell>();
  /** What is being written, the one that was not acknowledged first. */
  #unwritten: UsageBatch[] = [];
  #number = 0;
  /** Writes and reads take turns, so that a read sees each count once. */
  #turn: Promise<void> = Promise.resolve();

  constructor(store: Store) {
    this.#store = store;
  }

  count({ accountId, keyId }: Pick<Caller, 'accountId' | 'keyId'>, endpoint: Endpoint, day: number, requests: number, units: number): void {
    const name = `${day} ${endpoint} ${keyId}`;
    const cell = this.#pending.get(name);
    if (cell !== undefined) {
      cell.requests += requests;
      cell.units += units;
    } else this.#pending.set(name, { day, accountId, keyId, endpoint, requests, units });
  }

  /** True where so much could not be written that no more may be taken on. */
  get full(): boolean {
    return this.#pending.size + this.#unwritten.length * LIMITS.usageCellsInWriteMax >= LIMITS.usageCellsMax;
  }

  /** Rejects where the store did not take all; what it did not take stays for the next time. */
  flush(): Promise<void> {
    return this.#inTurn(() => this.#write());
  }

  /** By day, key and endpoint, up to now. */
  async of(accountId: string, fromDay: number, toDay: number): Promise<Usage[]> {
    return this.#inTurn(async () => {
      const written = await this.#store.usage(accountId, fromDay, toDay);
      const pending = [...this.#unwritten.flatMap(({ additions }) => additions), ...this.#pending.values()].filter((cell) => cell.accountId === accountId && cell.day >= fromDay && cell.day <= toDay);
      return merged([...written, ...pending]);
    });
  }

  async #write(): Promise<void> {
    this.#batch();
    for (;;) {
      const [batch] = this.#unwritten;
      if (batch === undefined) return;
      await this.#store.addUsage(batch);
      this.#unwritten.shift();
      await turnOfTheLoop();
    }
  }

  /** While some are unwritten the rest stays where it still adds up. */
  #batch(): void {
    if (this.#unwritten.length > 0) return;
    const cells = [...this.#pending.values()];
    this.#pending = new Map();
    for (let start = 0; start < cells.length; start += LIMITS.usageCellsInWriteMax) {
      this.#unwritten.push({ writer: this.#writer, number: ++this.#number, additions: cells.slice(start, start + LIMITS.usageCellsInWriteMax) });
    }
  }

  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(act);
    this.#turn = result.then(() => undefined, () => undefined);
    return result;
  }
}

function merged(rows: readonly Usage[]): Usage[] {
  const cells = new Map<string, Cell>();
  for (const row of rows) {
    const name = `${row.day} ${row.endpoint} ${row.keyId}`;
    const cell = cells.get(name);
    if (cell === undefined) cells.set(name, { ...row });
    else {
      cell.requests += row.requests;
      cell.units += row.units;
    }
  }
  return [...cells.values()];
}
