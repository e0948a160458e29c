import { accessSync, closeSync, constants, existsSync, openSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { LIMITS } from '../../config/limits.ts';
import { migrate } from './migrations.ts';
import { retire } from './retired.ts';

/** Makes the file where it is missing, and brings its tables up to date. */
export function openToWrite(path: string): Database.Database {
  makeOrFind(path);
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

/**
 * SQLite gives the log beside it the same mode. A file that is there is not opened: closing it would end the locks that all connections of the process have on
 * it, and the next process that closes the store would take itself for the last one and remove the log under us.
 */
function makeOrFind(path: string): void {
  if (existsSync(path)) accessSync(path, constants.R_OK | constants.W_OK);
  else closeSync(openSync(path, 'a', 0o600));
}

export function openToRead(path: string): Database.Database {
  return new Database(path, { readonly: true, fileMustExist: true, timeout: 0 });
}

/** Which file there is under a name, however that is called later; null where there is none. */
export function fileAt(path: string): string | null {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev} ${found.ino}`;
}

/** SQLite makes both when it opens a file, and removes them when the last who has it open closes it. */
export function besidesOf(path: string): readonly string[] {
  return [`${path}-wal`, `${path}-shm`];
}
