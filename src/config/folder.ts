import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Accounts, keys, usage and suppressions in the data folder, where they are not on PostgreSQL. */
export const STORE_FILE = 'store.sqlite';

/** The mode of a folder that is read by nobody but its owner. */
export const OWNER_ONLY = 0o700;

/** Makes a folder and those above it that are missing. `mkdir` of Node, told to do so, never ends where a folder takes no others, as `/proc`. */
export function makeFolder(path: string, mode = 0o777): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (isFolder(path)) return;
    const parent = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || isFolder(parent)) throw error;
    makeFolder(parent, mode);
    makeOne(path, mode);
  }
}

/** Another process may make it at the same time. */
function makeOne(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
