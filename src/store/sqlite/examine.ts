import { accessSync, constants } from 'node:fs';
import Database from 'better-sqlite3';
import { newerSchema, USE_NEWER } from '../newer_schema.ts';
import { adviceOn, RESTORE, saidBy } from './errors.ts';
import { MIGRATIONS } from './migrations.ts';
import { pragmaOf, retire } from './retired.ts';

type Trouble = { readonly said: string; /** What to do about it. */ readonly advice: string };

/** Reads all of a store's file, beside whoever has it open, and changes nothing: what is wrong with it, or null. */
export function troubleOfSqlite(path: string): Trouble | null {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    const database = new Database(path, { readonly: true, fileMustExist: true });
    try {
      const version = Number(pragmaOf(database, 'user_version'));
      if (version > MIGRATIONS.length) return { said: newerSchema(version, MIGRATIONS.length), advice: USE_NEWER };
      const found = String(pragmaOf(database, 'quick_check(1)'));
      return found === 'ok' ? null : { said: found.replace(/^\*\*\* in database main \*\*\*\s*/, ''), advice: RESTORE };
    } finally {
      retire(database);
      database.close();
    }
  } catch (error) {
    return { said: saidBy(error), advice: adviceOn(error) ?? 'find out why it cannot be read; the file may be whole' };
  }
}
