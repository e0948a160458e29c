import { join } from 'node:path';
import { ConfigError } from '../../config/config_error.ts';
import { makeLastingFolder, OWNER_ONLY, STORE_FILE } from '../../config/folder.ts';
import type { Store } from '../store.ts';
import { Connection } from './connection.ts';
import { adviceOn, saidBy } from './errors.ts';
import { sqliteStore } from './sqlite_store.ts';

/** What a folder fails on that was named wrongly, and not on a disk that is full or broken. */
const NO_FOLDER = /^(ENOENT|ENOTDIR|EEXIST|EACCES|EPERM|EROFS|ELOOP|ENAMETOOLONG)$/;

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

function makeDataFolder(dataDir: string): void {
  try {
    makeLastingFolder(dataDir, OWNER_ONLY);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (NO_FOLDER.test(code)) throw new ConfigError([`data_dir (LDS_DATA_DIR): expected a folder that is there or can be made (${code})`]);
    throw error;
  }
}
