import type Database from 'better-sqlite3';
import { newerSchema } from '../newer_schema.ts';
import { pragmaOf } from './retired.ts';

/**
 * What takes a database from version i to i + 1; a line here is never changed once released. The triggers keep `revision`
 * true for every writer, an operator's own `sqlite3` included.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE accounts (
    id TEXT NOT NULL PRIMARY KEY, email TEXT NOT NULL UNIQUE, plan TEXT NOT NULL, status TEXT NOT NULL, created_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE keys (
    id TEXT NOT NULL PRIMARY KEY, account_id TEXT NOT NULL REFERENCES accounts (id), kind TEXT NOT NULL, digest BLOB NOT NULL UNIQUE,
    name TEXT NOT NULL, hint TEXT NOT NULL, created_ms INTEGER NOT NULL, ends_ms INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX keys_by_account ON keys (account_id);
  CREATE TABLE invites (
    id TEXT NOT NULL PRIMARY KEY, digest BLOB NOT NULL UNIQUE, uses_max INTEGER NOT NULL, uses_left INTEGER NOT NULL CHECK (uses_left >= 0),
    created_ms INTEGER NOT NULL, expires_ms INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE usage (
    account_id TEXT NOT NULL, day INTEGER NOT NULL, key_id TEXT NOT NULL, endpoint TEXT NOT NULL,
    requests INTEGER NOT NULL, units INTEGER NOT NULL,
    PRIMARY KEY (account_id, day, key_id, endpoint)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX usage_by_day ON usage (day);
  CREATE TABLE secrets (name TEXT NOT NULL PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE revision (n INTEGER NOT NULL) STRICT;
  INSERT INTO revision VALUES (0);
  CREATE TRIGGER key_changed AFTER UPDATE ON keys BEGIN UPDATE revision SET n = n + 1; END;
  CREATE TRIGGER key_deleted AFTER DELETE ON keys BEGIN UPDATE revision SET n = n + 1; END;
  CREATE TRIGGER account_changed AFTER UPDATE ON accounts BEGIN UPDATE revision SET n = n + 1; END;
  CREATE TRIGGER account_deleted AFTER DELETE ON accounts BEGIN UPDATE revision SET n = n + 1; END;
  `,
  `
  CREATE TABLE passwords (account_id TEXT NOT NULL PRIMARY KEY REFERENCES accounts (id), hash TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE sessions (
    digest BLOB NOT NULL PRIMARY KEY, account_id TEXT NOT NULL REFERENCES accounts (id), created_ms INTEGER NOT NULL, used_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX sessions_by_account ON sessions (account_id);
  `,
  `
  CREATE TABLE suppressions (
    revision INTEGER PRIMARY KEY AUTOINCREMENT, digest BLOB NOT NULL UNIQUE, kind TEXT NOT NULL, value TEXT, created_ms INTEGER NOT NULL, removed INTEGER NOT NULL
  ) STRICT;
  `,
  `
  CREATE TABLE playground (day INTEGER NOT NULL, name TEXT NOT NULL, calls INTEGER NOT NULL, PRIMARY KEY (day, name)) STRICT, WITHOUT ROWID;
  `,
  `
  CREATE TABLE usage_batches (writer TEXT NOT NULL PRIMARY KEY, number INTEGER NOT NULL, day INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  `,
  `
  CREATE INDEX accounts_waiting ON accounts (created_ms) WHERE status = 'waiting';
  CREATE INDEX keys_ended ON keys (ends_ms) WHERE ends_ms IS NOT NULL;
  `,
  `
  ALTER TABLE keys ADD COLUMN revoked INTEGER NOT NULL DEFAULT 0;
  `,
];

/** All or none of the missing steps. Two processes that start together take turns: the second finds nothing to do. */
export function migrate(database: Database.Database, migrations: readonly string[] = MIGRATIONS): void {
  const upgrade = database.transaction(() => {
    const version = Number(pragmaOf(database, 'user_version'));
    if (version > migrations.length) throw new Error(newerSchema(version, migrations.length));
    for (const step of migrations.slice(version)) database.exec(step);
    if (version < migrations.length) database.exec(`PRAGMA user_version = ${migrations.length}`);
  });
  upgrade.immediate();
}
