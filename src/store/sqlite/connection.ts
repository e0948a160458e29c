import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { LIMITS } from '../../config/limits.ts';
import { monotonicMs } from '../../lib/clock.ts';
import { AppError } from '../../model/errors.ts';
import type { Durability } from '../statements.ts';
import { isWorldly, sqliteCode, storeError, unavailable } from './errors.ts';
import { besidesOf, fileAt, openToRead, openToWrite } from './file.ts';
import { retire } from './retired.ts';
import { Writes } from './writes.ts';

const DISTRUSTED = /^SQLITE_(IOERR|CORRUPT|NOTADB|CANTOPEN)/;

type Parameter = string | number | Uint8Array | null;

/** Within one transaction, or one read. */
export type Sql = {
  get<Row>(text: string, ...parameters: Parameter[]): Row | undefined;
  all<Row>(text: string, ...parameters: Parameter[]): Row[];
  /** The number of rows changed. */
  run(text: string, ...parameters: Parameter[]): number;
};

/**
 * The one writer's connection. SQLite's own wait for a lock would stop the main loop, so a busy file is tried again from a timer.
 * After a failed read, write or sync the connection is thrown away: what its pages hold can no longer be trusted to be on the disk.
 * Where the file then cannot be opened to write, it is read all the same, over a connection for each reading: one that stayed would have
 * all others of the process take the file for one that is only read.
 */
export class Connection {
  readonly #path: string;
  /** What is written into a file that was moved or removed is lost, and what others write into the one in its place is not seen here. */
  readonly #file: string | null;
  #database: Database.Database | null;
  /** The log and its index that belong to what is open to write. Whoever finds others, or none, makes new ones: what is in ours nobody but this process ever sees. */
  #besides: readonly (string | null)[];
  #statements = new Map<string, Database.Statement<Parameter[]>>();
  #durability: Durability = 'synced';
  #closed = false;
  readonly #writes = new Writes<Sql>((durability, use, untilMs) => this.#patiently(untilMs, () => {
    const database = this.#opened(openToWrite);
    this.#keep(database, durability);
    return database.transaction(() => use(this.#sql)).immediate();
  }));

  constructor(path: string) {
    this.#path = path;
    this.#database = openToWrite(path);
    this.#file = fileAt(path);
    this.#besides = besidesOf(path).map(fileAt);
  }

  async read<T>(use: (sql: Sql) => T): Promise<T> {
    return this.#patiently(monotonicMs() + LIMITS.storeBusyMs, () => {
      this.#opened(openToWriteOrRead);
      try {
        return use(this.#sql);
      } finally {
        if (this.#database?.readonly === true) this.#drop();
      }
    });
  }

  /** `alone`: in a transaction of its own, for it may take long. */
  write<T>(durability: Durability, use: (sql: Sql) => T, alone: boolean): Promise<T> {
    return this.#writes.add(durability, use, alone);
  }

  close(): void {
    this.#closed = true;
    this.#drop();
  }

  readonly #sql: Sql = {
    get: <Row>(text: string, ...parameters: Parameter[]) => this.#statement(text).get(...parameters) as Row | undefined,
    all: <Row>(text: string, ...parameters: Parameter[]) => this.#statement(text).all(...parameters) as Row[],
    run: (text, ...parameters) => this.#statement(text).run(...parameters).changes,
  };

  async #patiently<T>(untilMs: number, act: () => T): Promise<T> {
    for (;;) {
      try {
        this.#findFile();
        return act();
      } catch (error) {
        const code = sqliteCode(error);
        if (code !== null && DISTRUSTED.test(code)) this.#drop();
        if (code === null || !code.startsWith('SQLITE_BUSY') || monotonicMs() >= untilMs) throw storeError(error);
      }
      await sleep(LIMITS.storeBusyRetryMs);
    }
  }

  #opened(open: (path: string) => Database.Database): Database.Database {
    if (this.#database !== null) return this.#database;
    this.#database = open(this.#path);
    this.#besides = besidesOf(this.#path).map(fileAt);
    return this.#database;
  }

  #findFile(): void {
    if (this.#closed) throw new AppError('store_unavailable', 'The store is closed.');
    if (fileAt(this.#path) !== this.#file) throw unavailable(new Error(`${this.#path} was moved, removed or replaced while it was in use: put back the one that was there, or restart`));
    if (this.#database === null || this.#database.readonly) return;
    const lost = besidesOf(this.#path).find((path, at) => fileAt(path) !== this.#besides[at]);
    if (lost === undefined) return;
    this.#rescue(this.#database);
    throw unavailable(new Error(`${lost} was removed or replaced while it was in use: restart`));
  }

  /** What was acknowledged stands in a log that has no name any more, and ends with the process. Where somebody began a new one it is too late. */
  #rescue(database: Database.Database): void {
    if (besidesOf(this.#path).some((path, at) => ![null, this.#besides[at]].includes(fileAt(path)))) return;
    try {
      database.exec('PRAGMA wal_checkpoint(PASSIVE)');
    } catch (error) {
      if (!isWorldly(error)) throw error;
    }
  }

  #statement(text: string): Database.Statement<Parameter[]> {
    const known = this.#statements.get(text);
    if (known !== undefined) return known;
    const prepared = this.#database!.prepare<Parameter[]>(text);
    this.#statements.set(text, prepared);
    return prepared;
  }

  #keep(database: Database.Database, durability: Durability): void {
    if (this.#durability === durability) return;
    database.exec(`PRAGMA synchronous = ${durability === 'synced' ? 'FULL' : 'NORMAL'}`);
    this.#durability = durability;
  }

  #drop(): void {
    const database = this.#database;
    if (database !== null) retire(database, ...this.#statements.values());
    this.#statements.clear();
    this.#durability = 'synced';
    this.#database = null;
    database?.close();
  }
}

/** What is wrong with the writing is told where it cannot be read either. */
function openToWriteOrRead(path: string): Database.Database {
  try {
    return openToWrite(path);
  } catch (error) {
    if (!isWorldly(error)) throw error;
    try {
      return openToRead(path);
    } catch {
      throw error;
    }
  }
}
