import { LIMITS } from '../../config/limits.ts';
import type { StoreSettings } from '../open.ts';
import type { Store } from '../store.ts';
import { Connection } from './connection.ts';
import { said } from './errors.ts';
import { migrate, MIGRATIONS } from './migrations.ts';
import { Notices } from './notices.ts';
import { postgresStore } from './postgres_store.ts';
import { placeOf } from './session.ts';

/** The store of a database, which any number of processes share. */
export async function openPostgres(url: string, { connectionsMax = LIMITS.databaseConnectionsMax, onWait }: Pick<StoreSettings, 'connectionsMax' | 'onWait'>): Promise<Store> {
  try {
    await migrate(url, MIGRATIONS, onWait);
  } catch (error) {
    throw new Error(`the store on PostgreSQL at ${placeOf(url)} cannot be opened: ${said(error)}`, { cause: error });
  }
  return postgresStore(new Connection(url, connectionsMax), new Notices(url));
}
