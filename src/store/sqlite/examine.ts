import Database from 'better-sqlite3';
import { MIGRATIONS } from './migrations.ts';

/** Reads all of a store's file, beside whoever has it open, and changes nothing: what is wrong with it, or null. */
export function troubleOfSqlite(path: string): string | null {
  try {
    const database = new Database(path, { readonly: true, fileMustExist: true });
    try {
      const version = Number(database.pragma('user_version', { simple: true }));
      if (version > MIGRATIONS.length) return `it was written by a newer version of this service (schema ${version}; this one knows ${MIGRATIONS.length})`;
      const found = String(database.pragma('quick_check(1)', { simple: true }));
      return found === 'ok' ? null : found.replace(/^\*\*\* in database main \*\*\*\s*/, '');
    } finally {
      database.close();
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
