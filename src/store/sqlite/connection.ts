import { closeSync, existsSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { LIMITS } from '../../config/limits.ts';
import { monotonicMs } from '../../lib/clock.ts';
import { AppError } from '../../model/errors.ts';
import type { Durability } from '../statements.ts';
import { migrate } from './migrations.ts';
import { retire } from './retired.ts';

const WORLD = /^SQLITE_(BUSY|LOCKED|IOERR|FULL|CANTOPEN|READONLY|CORRUPT|NOTADB|NOMEM|PROTOCOL|PERM|AUTH)/;
const DISTRUSTED = /^SQLITE_(IOERR|CORRUPT|NOTADB|CANTOPEN)/;

export type Parameter = string | number | Uint8Array | null;

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
 */
export class Connection {
  readonly #path: string;
  #database: Database.Database | null;
  #statements = new Map<string, Database.Statement<Parameter[]>>();
  #durability: Durability = 'synced';
  #closed = false;

  constructor(path: string) {
    this.#path = path;
    this.#database = open(path);
  }

  async read<T>(use: (sql: Sql) => T): Promise<T> {
    return this.#patiently(() => use(this.#sql));
  }

  async write<T>(durability: Durability, use: (sql: Sql) => T): Promise<T> {
    return this.#patiently(() => {
      const database = this.#live();
      this.#keep(database, durability);
      return database.transaction(() => use(this.#sql)).immediate();
    });
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

  async #patiently<T>(act: () => T): Promise<T> {
    const deadlineMs = monotonicMs() + LIMITS.storeBusyMs;
    for (;;) {
      try {
        return act();
      } catch (error) {
        const code = sqliteCode(error);
        if (code !== null && DISTRUSTED.test(code)) this.#drop();
        if (code === null || !code.startsWith('SQLITE_BUSY') || monotonicMs() >= deadlineMs) throw storeError(error);
      }
      await sleep(LIMITS.storeBusyRetryMs);
    }
  }

  #live(): Database.Database {
    if (this.#closed) throw new AppError('store_unavailable', 'The store is closed.');
    this.#database ??= open(this.#path);
    return this.#database;
  }

  #statement(text: string): Database.Statement<Parameter[]> {
    const known = this.#statements.get(text);
    if (known !== undefined) return known;
    const prepared = this.#live().prepare<Parameter[]>(text);
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

function open(path: string): Database.Database {
  // SQLite gives the log beside it the same mode. A file that is there is not opened: closing it would end the locks that all connections of the process have on
  // it, and the next process that closes the store would take itself for the last one and remove the log under us.
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
  const database = new Database(path, { timeout: LIMITS.storeBusyMs });
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
    migrate(database);
    database.exec('PRAGMA busy_timeout = 0');
    return database;
  } catch (error) {
    retire(database);
    database.close();
    throw error;
  }
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

function sqliteCode(error: unknown): string | null {
  return error instanceof Database.SqliteError ? error.code : null;
}

/** The world's failures become `store_unavailable`; a broken constraint or statement is a bug and stays as it is. */
export function storeError(error: unknown): unknown {
  const code = sqliteCode(error);
  const worldly = code === null ? isSystemError(error) : WORLD.test(code);
  if (!worldly) return error;
  return new AppError('store_unavailable', 'The account store cannot be used at the moment. Try again.', { retryAfter: 1, cause: error });
}
