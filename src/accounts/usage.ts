import { randomBytes } from 'node:crypto';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { LIMITS } from '../config/limits.ts';
import { stepTurn } from '../lib/turns.ts';
import type { Endpoint } from '../model/account.ts';
import type { Store, Usage, UsageBatch, UsageOfAccount } from '../store/store.ts';
import type { Caller } from './caller.ts';

const WRITER_BYTES = 12;

type Cell = { -readonly [Name in keyof Usage]: Usage[Name] };

/** Who goes by what all processes used: told after each write, while he is `behind`, of the accounts in that write, up to then. */
type Follower = { readonly behind: () => boolean; readonly note: Note };
type Note = (day: number, unitsByAccount: ReadonlyMap<string, number>) => void;

/**
 * Requests and units, counted in memory and written together: a crash loses what came since the last write. What the store did not
 * acknowledge may have been added for all that, so it is given again as it was, under its number, and never added twice.
 */
export class UsageCounter {
  readonly #store: Store;
  readonly #follower: Follower | null;
  readonly #writer = randomBytes(WRITER_BYTES).toString('base64url');
  /** By key: few days and endpoints each, told apart without a text made of all three. */
  #pending = new Map<string, Cell[]>();
  #pendingCells = 0;
  /** What is being written, the one that was not acknowledged first. */
  #unwritten: UsageBatch[] = [];
  #number = 0;
  /** Writes and reads take turns, so that a read sees each count once. */
  #turn: Promise<void> = Promise.resolve();
  #failedRead: { readonly error: unknown } | null = null;

  constructor(store: Store, follower: Follower | null = null) {
    this.#store = store;
    this.#follower = follower;
  }

  count({ accountId, keyId }: Pick<Caller, 'accountId' | 'keyId'>, endpoint: Endpoint, day: number, requests: number, units: number): void {
    const cells = this.#pending.get(keyId);
    const cell = cells?.find((one) => one.endpoint === endpoint && one.day === day);
    if (cell !== undefined) {
      cell.requests += requests;
      cell.units += units;
      return;
    }
    const opened: Cell = { day, accountId, keyId, endpoint, requests, units };
    if (cells === undefined) this.#pending.set(keyId, [opened]);
    else cells.push(opened);
    this.#pendingCells += 1;
  }

  /** True where so much could not be written that no more may be taken on. */
  get full(): boolean {
    return this.#pendingCells + this.#unwritten.length * LIMITS.usageCellsInWriteMax >= LIMITS.usageCellsMax;
  }

  /** Rejects where the store did not take all; what it did not take stays for the next time. */
  flush(): Promise<void> {
    return this.#inTurn(() => this.#write());
  }

  /** By day and endpoint, up to now. */
  of(accountId: string, fromDay: number, toDay: number): Promise<UsageOfAccount[]> {
    return this.#reading(async () => {
      const written = await this.#store.usage(accountId, fromDay, toDay);
      const waiting = this.#waiting().filter((cell) => cell.accountId === accountId && cell.day >= fromDay && cell.day <= toDay);
      return merged([...written, ...waiting]);
    });
  }

  /** Tells what the account used on `day`, here and elsewhere, up to now. Nothing where the store may have taken what it did not acknowledge. */
  tell(accountId: string, day: number, note: Note): Promise<void> {
    return this.#reading(async () => {
      if (this.#unwritten.length === 0) await this.#tell([accountId], day, note);
    });
  }

  /** What the store has not yet. */
  #waiting(): readonly Usage[] {
    return [...this.#unwritten.flatMap(({ additions }) => additions), ...[...this.#pending.values()].flat()];
  }

  /**
   * A store that hangs takes seconds to fail: all who waited meanwhile are told at once, and not one after the other. One in a file answers
   * within the turn of the loop that asks it: many who ask on end would have no other between them.
   */
  async #reading<T>(read: () => Promise<T>): Promise<T> {
    const failedBefore = this.#failedRead;
    return this.#inTurn(async () => {
      if (this.#failedRead !== failedBefore) throw this.#failedRead!.error;
      const turn = stepTurn(LIMITS.mainTurnMs);
      if (turn !== null) await turn;
      try {
        return await read();
      } catch (error) {
        this.#failedRead = { error };
        throw error;
      }
    });
  }

  async #write(): Promise<void> {
    this.#batch();
    for (;;) {
      const [batch] = this.#unwritten;
      if (batch === undefined) return;
      await this.#store.addUsage(batch);
      this.#unwritten.shift();
      if (this.#follower?.behind() === true) await this.#follow(this.#follower, batch.additions);
      await turnOfTheLoop();
    }
  }

  async #follow({ note }: Follower, additions: readonly Usage[]): Promise<void> {
    const latest = Math.max(...additions.map(({ day }) => day));
    const accountIds = [...new Set(additions.filter(({ day }) => day === latest).map(({ accountId }) => accountId))];
    await this.#tell(accountIds, latest, note);
  }

  /** No write is under way meanwhile, so that each unit is either in the store or waiting. */
  async #tell(accountIds: readonly string[], ofDay: number, note: Note): Promise<void> {
    const written = await this.#store.unitsOn(ofDay, accountIds);
    const units = new Map(accountIds.map((accountId) => [accountId, written.get(accountId) ?? 0]));
    for (const { accountId, day, units: more } of this.#waiting()) {
      const known = units.get(accountId);
      if (known !== undefined && day === ofDay) units.set(accountId, known + more);
    }
    note(ofDay, units);
  }

  /** While some are unwritten the rest stays where it still adds up. */
  #batch(): void {
    if (this.#unwritten.length > 0) return;
    const cells = [...this.#pending.values()].flat();
    this.#pending = new Map();
    this.#pendingCells = 0;
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

function merged(rows: readonly UsageOfAccount[]): UsageOfAccount[] {
  const sums = new Map<string, { -readonly [Name in keyof UsageOfAccount]: UsageOfAccount[Name] }>();
  for (const { day, accountId, endpoint, requests, units } of rows) {
    const name = `${day} ${endpoint}`;
    const sum = sums.get(name);
    if (sum === undefined) sums.set(name, { day, accountId, endpoint, requests, units });
    else {
      sum.requests += requests;
      sum.units += units;
    }
  }
  return [...sums.values()];
}
