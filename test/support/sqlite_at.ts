import Database from 'better-sqlite3';
import { retire } from '../../src/store/sqlite/retired.ts';

/** A store's file beside the store. It is retired, and so are its statements, however soon a test is done with them. */
export function sqliteAt(path: string): Database.Database {
  const database = new Database(path);
  const prepare = database.prepare.bind(database);
  database.prepare = ((text: string) => {
    const statement = prepare(text);
    retire(statement);
    return statement;
  }) as typeof database.prepare;
  retire(database);
  return database;
}
