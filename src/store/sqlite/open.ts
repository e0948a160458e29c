import { join } from 'node:path';
import { ConfigError } from '../../config/config_error.ts';
import { makeDataFolder, STORE_FILE } from '../../config/folder.ts';
import type { Store } from '../store.ts';
import { Connection } from './connection.ts';
import { adviceOn, saidBy } from './errors.ts';
import { sqliteStore } from './sqlite_store.ts';

/** The store of a data folder. Each thread that needs it has it open once. */
export async function openSqlite(dataDir: string): Promise<Store> {
  const path = join(dataDir, STORE_FILE);
  try {
    makeDataFolder(dataDir);
    return sqliteStore(new Connection(path));
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const advice = adviceOn(error);
    throw new Error(`the store ${path} cannot be opened: ${saidBy(error)}${advice === null ? '' : `; ${advice}`}`, { cause: error });
  }
}
