import { LIMITS } from '../../config/limits.ts';
import type { Store } from '../store.ts';
import { Connection } from './connection.ts';
import { said } from './errors.ts';
import { migrate, MIGRATIONS } from './migrations.ts';
import { Notices } from './notices.ts';
import { postgresStore } from './postgres_store.ts';
import { placeOf } from './session.ts';

export type DatabaseSettings = {
  /** At once; one more listens. */
  readonly connectionsMax?: number;
  /** Told where another process changes the tables, which this one waits for. */
  readonly onWait?: () => void;
};

/** The store of a database, which any number of processes share. */
export async function openPostgres(url: string, { connectionsMax = LIMITS.databaseConnectionsMax, onWait }: DatabaseSettings): Promise<Store> {
  try {
    await migrate(url, MIGRATIONS, { onWait });
  } catch (error) {
    throw new Error(`the store on PostgreSQL at ${placeOf(url)} cannot be opened: ${said(error)}`, { cause: error });
  }
  return postgresStore(new Connection(url, connectionsMax), new Notices(url));
}
