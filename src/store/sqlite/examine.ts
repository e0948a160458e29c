import Database from 'better-sqlite3';
import { newerSchema } from '../newer_schema.ts';
import { MIGRATIONS } from './migrations.ts';
import { pragmaOf, retire } from './retired.ts';

/** Reads all of a store's file, beside whoever has it open, and changes nothing: what is wrong with it, or null. */
export function troubleOfSqlite(path: string): string | null {
  try {
    const database = new Database(path, { readonly: true, fileMustExist: true });
    try {
      const version = Number(pragmaOf(database, 'user_version'));
      if (version > MIGRATIONS.length) return newerSchema(version, MIGRATIONS.length);
      const found = String(pragmaOf(database, 'quick_check(1)'));
      return found === 'ok' ? null : found.replace(/^\*\*\* in database main \*\*\*\s*/, '');
    } finally {
      retire(database);
      database.close();
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
