import Database from 'better-sqlite3';
import { AppError } from '../../model/errors.ts';

const WORLD = /^SQLITE_(BUSY|LOCKED|IOERR|FULL|CANTOPEN|READONLY|CORRUPT|NOTADB|NOMEM|PROTOCOL|PERM|AUTH)/;

/** What to do about a file that is damaged. */
export const RESTORE = 'stop the service and put store.sqlite of the backup in its place, without the -wal and -shm beside it';

/** What the library calls a part of its own that was built for another Node, or another system. */
const NOT_LOADED = 'ERR_DLOPEN_FAILED';

/** By what the system or SQLite calls the failure; the first that fits. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/^(ENOSPC|EDQUOT|SQLITE_FULL|SQLITE_IOERR_SHMSIZE)/, 'make room on its disk'],
  [/^EROFS/, 'its file system takes no writes: find out why, and mount it for writing'],
  [/^(EACCES|EPERM|SQLITE_READONLY|SQLITE_CANTOPEN|SQLITE_PERM|SQLITE_IOERR_ACCESS)/, 'give it, the -wal and -shm beside it, and their folder to the user who runs the service'],
  [/^SQLITE_BUSY/, 'another process holds it, such as a sqlite3 within a transaction: end that one'],
  [/^SQLITE_(CORRUPT|NOTADB)/, RESTORE],
  [/^(EIO|SQLITE_IOERR)/, 'its disk is full or fails: make room, and look into the log of the system'],
  [/^ERR_DLOPEN_FAILED/, 'run npm rebuild better-sqlite3 with the Node that runs the service; nothing is said of the file'],
];

/** What to do about a file that failed so; null where nobody but a programmer can say. */
export function adviceOn(error: unknown): string | null {
  const code = codeOf(error) ?? '';
  return ADVICE.find(([codes]) => codes.test(code))?.[1] ?? null;
}

/** What went wrong, in one line. */
export function saidBy(error: unknown): string {
  const said = error instanceof Error ? error.message : String(error);
  if (codeOf(error) !== NOT_LOADED) return said;
  return `better-sqlite3 does not load (${isMissing(error) ? 'its native part is not there' : said.replace(/\s+/g, ' ')})`;
}

export function sqliteCode(error: unknown): string | null {
  return error instanceof Database.SqliteError ? error.code : null;
}

/** A failure of the machine, or of whoever shares the file; any other is a bug. */
export function isWorldly(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === null ? isSystemError(error) : WORLD.test(code);
}

function codeOf(error: unknown): string | null {
  if (isMissing(error)) return NOT_LOADED;
  return sqliteCode(error) ?? (isSystemError(error) || isRefused(error) ? error.code ?? null : null);
}

function isRefused(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && error.code === NOT_LOADED;
}

/** Where it was not built at all the error has no code, but every path that was tried. */
function isMissing(error: unknown): boolean {
  return error instanceof Error && 'tries' in error;
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

/** The world's failures become `store_unavailable`; a broken constraint or statement is a bug and stays as it is. */
export function storeError(error: unknown): unknown {
  return isWorldly(error) ? unavailable(error) : error;
}

export function unavailable(cause: unknown): AppError {
  return new AppError('store_unavailable', 'The account store cannot be used at the moment. Try again.', { retryAfter: 1, cause });
}
