import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Connection, storeError } from './sqlite/connection.ts';
import { sqliteStore } from './sqlite/sqlite_store.ts';
import type { Store } from './store.ts';

/** Opens the embedded store of a data folder, and makes both where missing. Each process has it open once. */
export async function openStore({ dataDir }: { readonly dataDir: string }): Promise<Store> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  try {
    return sqliteStore(new Connection(join(dataDir, 'store.sqlite')));
  } catch (error) {
    throw storeError(error);
  }
}
