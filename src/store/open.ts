import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Connection } from './sqlite/connection.ts';
import { sqliteStore } from './sqlite/sqlite_store.ts';
import type { Store } from './store.ts';

/** Opens the embedded store of a data folder, and makes both where missing. Each process has it open once. What fails is told to the operator, path and all. */
export async function openStore({ dataDir }: { readonly dataDir: string }): Promise<Store> {
  const path = join(dataDir, 'store.sqlite');
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    return sqliteStore(new Connection(path));
  } catch (error) {
    throw new Error(`the store ${path} cannot be opened: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
