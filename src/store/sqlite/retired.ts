import type Database from 'better-sqlite3';
import { LIMITS } from '../../config/limits.ts';

/**
 * What better-sqlite3 made and nobody needs any more, kept from being collected: where it was compiled for Node 24.19 or newer, the process aborts
 * when one of its objects is collected while no script runs. For the same reason a PRAGMA that sets something is run by `exec`, which makes none. Only a disk that
 * fails again and again fills this; the oldest go then.
 */
const retired: object[] = [];

export function retire(...made: readonly object[]): void {
  retired.push(...made);
  retired.splice(0, retired.length - LIMITS.storeRetiredMax);
}

/** The first that a PRAGMA says. */
export function pragmaOf(database: Database.Database, pragma: string): unknown {
  const statement = database.prepare<[], unknown>(`PRAGMA ${pragma}`).pluck();
  retire(statement);
  return statement.get();
}
