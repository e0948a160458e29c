import { closeSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { OF_PLACE } from '../lib/file_fault.ts';
import { ConfigError } from './config_error.ts';

/** Accounts, keys, usage and suppressions in the data folder, where they are not on PostgreSQL. */
export const STORE_FILE = 'store.sqlite';

/** The mode of a folder that is read by nobody but its owner. */
export const OWNER_ONLY = 0o700;

/** Why a data folder was named wrongly, by what the system calls it. A disk that is full or fails is none of these. */
const NO_DATA_FOLDER: Readonly<Record<string, string>> = {
  ...OF_PLACE,
  ENOENT: 'no folder can be made there',
  EEXIST: 'a file, or a link that leads nowhere, stands in its place',
};

/** What is said where a folder cannot be synced at all: that is no failure of the disk. */
const NO_SYNC = /^(EACCES|EPERM|EINVAL|EISDIR|ENOSYS|ENOTSUP|EOPNOTSUPP)$/;

/** The data folder, made for its owner alone where it is missing. */
export function makeDataFolder(path: string): void {
  try {
    makeLastingFolder(path, OWNER_ONLY);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    const reason = NO_DATA_FOLDER[code];
    if (reason === undefined) throw error;
    throw new ConfigError([`data_dir (LDS_DATA_DIR): ${path} cannot be used: ${reason} (${code})`]);
  }
}

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

/** As `makeFolder`, for what is to be kept: a crash of the machine takes neither it away nor one above it, with all that was synced there. */
export function makeLastingFolder(path: string, mode = 0o777): void {
  const missing: string[] = [];
  for (let at = path; !isFolder(at) && dirname(at) !== at; at = dirname(at)) missing.push(at);
  makeFolder(path, mode);
  for (const made of missing) syncNames(dirname(made));
}

function syncNames(path: string): void {
  try {
    const folder = openSync(path, 'r');
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  } catch (error) {
    if (!NO_SYNC.test((error as NodeJS.ErrnoException).code ?? '')) throw error;
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
