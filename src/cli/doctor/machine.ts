import { execFile } from 'node:child_process';
import { accessSync, constants, lstatSync, mkdtempSync, rmSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { LIMITS } from '../../config/limits.ts';
import { connectionsMax, openFilesMax } from '../../config/open_files.ts';
import type { Config } from '../../config/schema.ts';
import { whereRoom } from '../../lib/wasm_room.ts';
import { foreignIn } from '../owner.ts';
import { codeOf, fail, ok, warn, type Check } from './check.ts';

const GIB = 1024 ** 3;
const DISK_FREE_LOW = 5 * GIB;
const DISK_FREE_MIN = GIB / 2;
/** An ingest makes some hundred, the engine's own among them, before it removes those of before. */
const FILES_FREE_MIN = 1_000;
const OPEN_FILES_LOW = 16_384;
const OPEN_FILES_MIN = 1_024;

export const PARQUET_ENGINE = '@duckdb/node-api';

/** Loads each native module in a process of its own: one built for another machine may crash rather than throw. */
const NATIVE = {
  'uWebSockets.js': "await import('uWebSockets.js')",
  'better-sqlite3': "new (await import('better-sqlite3')).default(':memory:').exec('select 1')",
  [PARQUET_ENGINE]: "await (await import('@duckdb/node-api')).DuckDBInstance.create(':memory:')",
  koffi: "(await import('koffi')).load(null)",
} as const;

/** What serves without, more slowly. */
const OPTIONAL: Readonly<Record<string, string>> = { koffi: 'lakes are not mapped: their indexes take memory, and their rows are read from their files, which is slower; run npm install where optional packages are allowed' };

export function checkNativeModules(http: Config['http'], patienceMs: number = LIMITS.doctorLoadMs): Promise<Check[]> {
  return Promise.all(Object.entries(NATIVE).map(async ([name, script]) => {
    try {
      const options = { cwd: import.meta.dirname, timeout: patienceMs };
      await promisify(execFile)(process.execPath, ['--input-type=module', '-e', `${script}; process.exit(0)`], options);
      return ok(name, 'loads');
    } catch (error) {
      if (error instanceof Error && 'killed' in error && error.killed === true) return warn(name, `has not loaded within ${patienceMs / 1_000} s`, 'the machine is busy, or its disk slow: ask again');
      if (OPTIONAL[name] !== undefined) return warn(name, 'does not load', OPTIONAL[name]);
      if (name !== 'uWebSockets.js') return fail(name, 'does not load', `run npm rebuild ${name}; if that fails, remove node_modules and run npm install`);
      if (http === 'node') return ok(name, 'does not load; LDS_HTTP=node does not need it');
      return fail(name, 'does not load on this platform', 'set LDS_HTTP=node');
    }
  }));
}

/** What another owner would not mend. */
const UNWRITABLE: Readonly<Record<string, string>> = {
  ENOENT: 'see why no folder can be made there',
  EROFS: 'find out why its file system takes no writes, and mount it for writing',
  ENOSPC: 'make room on its disk, of bytes and of files',
  EDQUOT: 'raise the quota of the user who runs the service',
};

export function checkDataFolder({ dataDir }: Config): Check[] {
  const folder = nearestFolder(dataDir);
  try {
    const found = statSync(folder, { throwIfNoEntry: false });
    if (found === undefined) return [fail('data folder', `${folder} is a link that leads nowhere`, 'make the folder that it leads to, or set LDS_DATA_DIR to another')];
    if (!found.isDirectory()) return [fail('data folder', `${folder} is no folder`, 'set LDS_DATA_DIR to another')];
    accessSync(folder, constants.R_OK | constants.X_OK);
    rmSync(mkdtempSync(join(folder, '.lds-doctor-')), { recursive: true });
  } catch (error) {
    const code = codeOf(error);
    return [fail('data folder', `${folder} cannot be written (${code})`, `${UNWRITABLE[code] ?? 'give it to the user who runs the service'}, or set LDS_DATA_DIR`)];
  }
  return [folder === dataDir ? checkOwner(dataDir) : ok('data folder', `${dataDir} will be made`), checkDisk(folder)];
}

function checkOwner(dataDir: string): Check {
  const foreign = foreignIn(dataDir);
  if (foreign === null) return ok('data folder', dataDir);
  const { found, whose, owner, does } = foreign;
  return warn('data folder', `${found} belongs to the user ${whose}, and the user ${owner} may not ${does} it`, `if ${owner} runs the service: chown -R ${owner} ${dataDir}/, and run commands as this user`);
}

function nearestFolder(path: string): string {
  return isThere(path) || dirname(path) === path ? path : nearestFolder(dirname(path));
}

/** A link that leads nowhere is: no folder is made in its place. */
function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

type Room = { readonly bavail: number; readonly bsize: number; readonly files: number; readonly ffree: number };

/** A file system that makes the places of files as it needs them says that it has none at all. */
export function checkDisk(folder: string, { bavail, bsize, files, ffree }: Room = statfsSync(folder)): Check {
  if (files > 0 && ffree < FILES_FREE_MIN) return fail('disk', `has room for ${ffree} more files`, 'remove some, or move LDS_DATA_DIR to a file system with more inodes');
  const free = bavail * bsize;
  const detail = `${(free / GIB).toFixed(1)} GiB free`;
  if (free >= DISK_FREE_LOW) return ok('disk', detail);
  const advice = 'free some, or move LDS_DATA_DIR; an ingest needs three times the size of its file';
  return free < DISK_FREE_MIN ? fail('disk', detail, advice) : warn('disk', detail, advice);
}

export function checkOpenFiles(files = openFilesMax()): Check {
  if (files === null) return warn('open files', 'the limit cannot be read', 'see that ulimit -n is at least 65536');
  const detail = files === Infinity ? 'any number' : `at most ${files}, and ${connectionsMax(files)} connections`;
  if (files >= OPEN_FILES_LOW) return ok('open files', detail);
  const advice = 'raise it: ulimit -Hn 65536, or LimitNOFILE=65536 in the systemd unit';
  return files < OPEN_FILES_MIN ? fail('open files', detail, advice) : warn('open files', detail, advice);
}

export function checkMemory({ rowsMemoryBytes: asked }: Config, available: number): Check {
  const rowsMemoryBytes = asked ?? 0;
  const detail = `${(available / GIB).toFixed(1)} GiB${rowsMemoryBytes === 0 ? '' : `, of which rows may take ${(rowsMemoryBytes / GIB).toFixed(1)}`}`;
  if (rowsMemoryBytes <= available / 2) return ok('memory', detail);
  return warn('memory', detail, 'lower rows_memory_mb to at most half: the cache of the lakes and the system need the rest');
}

/** Nothing where there are enough. Answers of HTTP are read in a memory of WebAssembly, within Node too. */
export function checkAddresses(): Check[] {
  if (whereRoom(() => new WebAssembly.Memory({ initial: 1 })) !== null) return [];
  return [fail('addresses', 'too few for a memory of WebAssembly, without which no other server is asked: tables and other gateways are down, and lds find fails',
    'lift the limit (ulimit -v unlimited), or set NODE_OPTIONS=--disable-wasm-trap-handler; then ask again for what was not looked at')];
}
