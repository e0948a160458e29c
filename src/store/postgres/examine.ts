import pg from 'pg';
import { LIMITS } from '../../config/limits.ts';
import { monotonicMs } from '../../lib/clock.ts';
import { connectionsLeft, isLentInTurn, PROCESS, type Granter } from '../../lib/postgres_room.ts';
import { newerSchema } from '../newer_schema.ts';
import { isCrowded, said } from './errors.ts';
import { MIGRATIONS, versionOf } from './migrations.ts';
import { clientConfig, placeOf } from './session.ts';

type Examined =
  | { readonly ok: false; readonly place: string; readonly reason: string; readonly crowded: boolean }
  | {
    readonly ok: true;
    readonly place: string;
    readonly version: string;
    readonly versionNumber: number;
    readonly latencyMs: number;
    /** The settings that are off without which a crash of the server loses or spoils what it acknowledged. */
    readonly losesWrites: readonly string[];
    readonly standby: boolean;
    /** Takes no changes; so does a standby. */
    readonly readOnly: boolean;
    /** What grants the fewest connections, and how many of them are left. */
    readonly granter: Granter;
    readonly connectionsLeft: number;
    /** Whether a pooler stands before it that does not give each connection a session of its own. */
    readonly lentInTurn: boolean;
    /** Whether the tables are there, or this role may make them. */
    readonly mayMake: boolean;
    /** Why this version does not take the tables that are there; null where it does. */
    readonly newer: string | null;
  };

const ASKED = `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number, pg_is_in_recovery() AS standby, current_setting('transaction_read_only') = 'on' AS "readOnly",
  current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes,
  has_database_privilege(current_database(), 'CREATE') AS creates`;
/** Beside the one that asks. */
const LEFT = connectionsLeft('a.pid <> pg_backend_pid()');

type Row = { version: string; number: number; standby: boolean; readOnly: boolean; fsync: string; full_page_writes: string; creates: boolean };

/** Looks at a server without changing anything. */
export async function examineDatabase(url: string): Promise<Examined> {
  const place = placeOf(url);
  let client: pg.Client | null = null;
  try {
    client = await connected(url);
    const { rows: [row] } = await client.query<Row>(ASKED);
    const askedMs = monotonicMs();
    await client.query('SELECT 1');
    const latencyMs = monotonicMs() - askedMs;
    const { version, number, standby, readOnly, creates } = row!;
    const schema = await versionOf(client);
    const newer = schema !== null && schema > MIGRATIONS.length ? newerSchema(schema, MIGRATIONS.length) : null;
    const losesWrites = (['fsync', 'full_page_writes'] as const).filter((name) => row![name] === 'off');
    const { rows: [room] } = await client.query<{ granter: Granter; left: number }>(LEFT);
    const lentInTurn = await isLent(client, url).catch(() => false);
    return {
      ok: true, place, version, versionNumber: number, latencyMs, losesWrites, standby, readOnly, granter: room!.granter, connectionsLeft: Math.max(0, room!.left), lentInTurn,
      mayMake: schema !== null || creates, newer,
    };
  } catch (error) {
    return { ok: false, place, reason: said(error), crowded: isCrowded(error) };
  } finally {
    if (client !== null) end(client);
  }
}

/** Reads the certificates that the url names. As patient as a start. */
async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ ...clientConfig(url), connectionTimeoutMillis: LIMITS.databaseFirstConnectMs, query_timeout: LIMITS.databaseAnswerMs });
  client.on('error', () => {});
  try {
    await client.connect();
    return client;
  } catch (error) {
    end(client);
    throw error;
  }
}

async function isLent(client: pg.Client, url: string): Promise<boolean> {
  const other = await connected(url);
  const [first, second] = [client, other].map((each) => async () => (await each.query<{ process: number }>(PROCESS)).rows[0]!.process);
  try {
    return await isLentInTurn(first!, second!);
  } finally {
    end(other);
  }
}

/** Not waited for: where the server broke off TLS the driver never tells the end. */
function end(client: pg.Client): void {
  client.end().catch(() => {});
}
