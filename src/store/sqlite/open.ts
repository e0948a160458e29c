import { join } from 'node:path';
import { makeFolder, STORE_FILE } from '../../config/folder.ts';
import type { Store } from '../store.ts';
import { Connection } from './connection.ts';
import { sqliteStore } from './sqlite_store.ts';

/** The store of a data folder. Each thread that needs it has it open once. */
export async function openSqlite(dataDir: string): Promise<Store> {
  const path = join(dataDir, STORE_FILE);
  try {
    makeFolder(dataDir, 0o700);
    return sqliteStore(new Connection(path));
  } catch (error) {
    throw new Error(`the store ${path} cannot be opened: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
