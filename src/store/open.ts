import type { Store } from './store.ts';

export type StoreSettings = {
  readonly dataDir: string;
  /** PostgreSQL, instead of a file in the data folder. */
  readonly databaseUrl?: string | null;
  /** To that server at once; one more listens. */
  readonly connectionsMax?: number;
  /** Told where another process changes the tables, which this one waits for. */
  readonly onWait?: () => void;
};

/**
 * Opens the store, and makes it where missing. What fails is told to the operator: which store, and what it says. Only the driver that
 * is needed is loaded: commands begin sooner.
 */
export async function openStore({ dataDir, databaseUrl = null, connectionsMax, onWait }: StoreSettings): Promise<Store> {
  if (databaseUrl === null) return (await import('./sqlite/open.ts')).openSqlite(dataDir);
  return (await import('./postgres/open.ts')).openPostgres(databaseUrl, { connectionsMax, onWait });
}
