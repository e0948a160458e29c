import pg from 'pg';
import { LIMITS } from '../../config/limits.ts';
import { newerSchema } from '../newer_schema.ts';
import { clientConfig, SCHEMA } from './session.ts';

/**
 * What takes a database from version i to i + 1; a line here is never changed once released. The triggers keep `revision` true for
 * every writer, an operator's own `psql` included, and tell all gateways. They run as the transaction commits, once in each: its row
 * is locked last and for a moment, so that nobody can wait in a ring for it. Texts compare by their bytes, as ids do that stand for age.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE accounts (
    id text COLLATE "C" PRIMARY KEY, email text COLLATE "C" NOT NULL UNIQUE, plan text NOT NULL, status text NOT NULL, created_ms bigint NOT NULL
  );
  CREATE TABLE keys (
    id text COLLATE "C" PRIMARY KEY, account_id text COLLATE "C" NOT NULL REFERENCES accounts (id), kind text NOT NULL, digest bytea NOT NULL UNIQUE,
    name text NOT NULL, hint text NOT NULL, created_ms bigint NOT NULL, ends_ms bigint
  );
  CREATE INDEX keys_by_account ON keys (account_id, id);
  CREATE TABLE invites (
    id text COLLATE "C" PRIMARY KEY, digest bytea NOT NULL UNIQUE, uses_max bigint NOT NULL, uses_left bigint NOT NULL CHECK (uses_left >= 0),
    created_ms bigint NOT NULL, expires_ms bigint
  );
  CREATE TABLE passwords (account_id text COLLATE "C" PRIMARY KEY REFERENCES accounts (id), hash text NOT NULL);
  CREATE TABLE sessions (
    digest bytea PRIMARY KEY, account_id text COLLATE "C" NOT NULL REFERENCES accounts (id), created_ms bigint NOT NULL, used_ms bigint NOT NULL
  );
  CREATE INDEX sessions_by_account ON sessions (account_id);
  CREATE TABLE usage (
    account_id text COLLATE "C" NOT NULL, day bigint NOT NULL, key_id text COLLATE "C" NOT NULL, endpoint text COLLATE "C" NOT NULL,
    requests bigint NOT NULL, units bigint NOT NULL, PRIMARY KEY (account_id, day, key_id, endpoint)
  ) WITH (fillfactor = 70);
  CREATE INDEX usage_by_day ON usage (day, account_id);
  CREATE TABLE usage_batches (writer text COLLATE "C" PRIMARY KEY, number bigint NOT NULL, day bigint NOT NULL) WITH (fillfactor = 50);
  CREATE TABLE playground (day bigint NOT NULL, name text COLLATE "C" NOT NULL, calls bigint NOT NULL, PRIMARY KEY (day, name));
  CREATE TABLE secrets (name text COLLATE "C" PRIMARY KEY, value bytea NOT NULL);
  CREATE TABLE revision (n bigint NOT NULL);
  INSERT INTO revision VALUES (0);
  CREATE TABLE suppressions (
    digest bytea PRIMARY KEY, kind text NOT NULL, value text, created_ms bigint NOT NULL, revision bigint NOT NULL, removed boolean NOT NULL
  );
  CREATE UNIQUE INDEX suppressions_by_revision ON suppressions (revision);
  CREATE TABLE suppressions_head (revision bigint NOT NULL);
  INSERT INTO suppressions_head VALUES (0);

  CREATE FUNCTION key_changed() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF current_setting('${SCHEMA}.told', true) IS DISTINCT FROM txid_current()::text THEN
      PERFORM set_config('${SCHEMA}.told', txid_current()::text, true);
      UPDATE ${SCHEMA}.revision SET n = n + 1;
      PERFORM pg_notify('${SCHEMA}_keys', '');
    END IF;
    RETURN NULL;
  END $$;
  CREATE CONSTRAINT TRIGGER key_changed AFTER UPDATE OR DELETE ON keys DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION key_changed();
  CREATE CONSTRAINT TRIGGER account_changed AFTER UPDATE OR DELETE ON accounts DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION key_changed();
  CREATE FUNCTION suppressions_changed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_notify('${SCHEMA}_suppressions', ''); RETURN NULL; END $$;
  CREATE TRIGGER suppressions_changed AFTER UPDATE ON suppressions_head FOR EACH STATEMENT EXECUTE FUNCTION suppressions_changed();
  `,
  `
  CREATE INDEX accounts_waiting ON accounts (created_ms) WHERE status = 'waiting';
  CREATE INDEX keys_ended ON keys (ends_ms) WHERE ends_ms IS NOT NULL;
  `,
  `
  ALTER TABLE keys ADD COLUMN revoked boolean NOT NULL DEFAULT false;
  `,
];

/** Any number that nothing else in the database locks: the first letters of the schema's name. */
const LOCK = 0x6c65_6164_5f64;

type Waiting = {
  /** Told where another process holds the tables for longer than a moment. */
  readonly onWait?: () => void;
  /** How long it is waited for. */
  readonly lockMs?: number;
};

/** All or none of the missing steps. Of gateways that start together one does them; the others wait, and find nothing to do. */
export async function migrate(url: string, migrations: readonly string[], { onWait = () => {}, lockMs = LIMITS.databaseLockMs }: Waiting = {}): Promise<void> {
  const client = new pg.Client({ ...clientConfig(url), connectionTimeoutMillis: LIMITS.databaseFirstConnectMs, query_timeout: LIMITS.databaseMigrateMs });
  client.on('error', () => {});
  await client.connect();
  try {
    const version = await soonOrLate(client, () => versionOf(client), { onWait, lockMs });
    if (version === migrations.length) return;
    await waitForLocks(client, lockMs);
    await upgrade(client, migrations, onWait);
  } catch (error) {
    throw isLocked(error) ? new Error(`another session has held a lock on its tables for ${lockMs / 1_000} s: pg_locks and pg_stat_activity tell which; end it, or wait for it, and start again`, { cause: error }) : error;
  } finally {
    await client.end();
  }
}

/** Says that it waits, once it does. */
async function soonOrLate<T>(client: pg.Client, ask: () => Promise<T>, { onWait, lockMs }: Required<Waiting>): Promise<T> {
  await waitForLocks(client, Math.min(LIMITS.databaseAnswerMs, lockMs));
  try {
    return await ask();
  } catch (error) {
    if (!isLocked(error)) throw error;
    onWait();
    await waitForLocks(client, lockMs);
    return ask();
  }
}

/** Also the first question to the server: one that takes connections and says nothing is not waited for. */
async function waitForLocks(client: pg.Client, lockMs: number): Promise<void> {
  await client.query({ text: `SELECT set_config('lock_timeout', $1, false)`, values: [String(lockMs)], query_timeout: LIMITS.databaseAnswerMs } as pg.QueryConfig);
}

function isLocked(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '55P03';
}

async function upgrade(client: pg.Client, migrations: readonly string[], onWait: () => void): Promise<void> {
  await client.query('BEGIN');
  const { rows: [lock] } = await client.query<{ free: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS free', [LOCK]);
  if (!lock!.free) {
    onWait();
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
  }
  let version = await versionOf(client);
  if (version === null) {
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}; CREATE TABLE ${SCHEMA}.schema_version (version bigint NOT NULL); INSERT INTO ${SCHEMA}.schema_version VALUES (0)`);
    version = 0;
  }
  if (version > migrations.length) throw new Error(newerSchema(version, migrations.length));
  await client.query(`SET LOCAL search_path = ${SCHEMA}`);
  for (const step of migrations.slice(version)) await client.query(step);
  await client.query(`UPDATE ${SCHEMA}.schema_version SET version = $1`, [migrations.length]);
  await client.query('COMMIT');
}

/** Null where there is nothing yet. By the catalogue's rows: `to_regclass` may remember from before the lock that there was nothing. */
export async function versionOf(client: pg.Client): Promise<number | null> {
  const { rowCount } = await client.query(`SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = 'schema_version'`, [SCHEMA]);
  if (rowCount === 0) return null;
  const { rows: [row] } = await client.query<{ version: number }>(`SELECT version FROM ${SCHEMA}.schema_version`);
  return row!.version;
}
