import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { LIMITS } from '../config/limits.ts';
import { Connection as PostgresConnection } from './postgres/connection.ts';
import { said } from './postgres/errors.ts';
import { migrate } from './postgres/migrations.ts';
import { Notices } from './postgres/notices.ts';
import { postgresStore } from './postgres/postgres_store.ts';
import { placeOf } from './postgres/session.ts';
import { Connection as SqliteConnection } from './sqlite/connection.ts';
import { sqliteStore } from './sqlite/sqlite_store.ts';
import type { Store } from './store.ts';

export type StoreSettings = {
  readonly dataDir: string;
  /** PostgreSQL, instead of a file in the data folder. */
  readonly databaseUrl?: string | null;
  /** To that server at once; one more listens. */
  readonly connectionsMax?: number;
};

/** Opens the store, and makes it where missing. What fails is told to the operator: which store, and what it says. */
export async function openStore({ dataDir, databaseUrl = null, connectionsMax = LIMITS.databaseConnectionsMax }: StoreSettings): Promise<Store> {
  return databaseUrl === null ? openSqlite(dataDir) : openPostgres(databaseUrl, connectionsMax);
}

/** Each process has it open once, and each of its threads that needs it. */
async function openSqlite(dataDir: string): Promise<Store> {
  const path = join(dataDir, 'store.sqlite');
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    return sqliteStore(new SqliteConnection(path));
  } catch (error) {
    throw new Error(`the store ${path} cannot be opened: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

async function openPostgres(url: string, connectionsMax: number): Promise<Store> {
  try {
    await migrate(url);
  } catch (error) {
    throw new Error(`the store on PostgreSQL at ${placeOf(url)} cannot be opened: ${said(error)}`, { cause: error });
  }
  return postgresStore(new PostgresConnection(url, connectionsMax), new Notices(url));
}
