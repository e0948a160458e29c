import type { DatabaseSettings } from './postgres/open.ts';
import type { Store } from './store.ts';

type StoreSettings = DatabaseSettings & {
  readonly dataDir: string;
  /** PostgreSQL, instead of a file in the data folder. */
  readonly databaseUrl?: string | null;
};

/**
 * Opens the store, and makes it where missing. What fails is told to the operator: which store, and what it says. Only the driver that
 * is needed is loaded: commands begin sooner.
 */
export async function openStore({ dataDir, databaseUrl = null, ...settings }: StoreSettings): Promise<Store> {
  if (databaseUrl === null) return (await import('./sqlite/open.ts')).openSqlite(dataDir);
  return (await import('./postgres/open.ts')).openPostgres(databaseUrl, settings);
}
