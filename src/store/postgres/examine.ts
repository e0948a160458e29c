import pg from 'pg';
import { LIMITS } from '../../config/limits.ts';
import { monotonicMs } from '../../lib/clock.ts';
import { isCrowded, said } from './errors.ts';
import { clientConfig, placeOf, SCHEMA } from './session.ts';

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
    readonly connectionsLeft: number;
    /** Whether the tables are there, or this role may make them. */
    readonly mayMake: boolean;
  };

/** Who is a client is told by what every role may see: of the sessions of others it sees no `backend_type`. */
const ASKED = `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number, pg_is_in_recovery() AS standby, current_setting('transaction_read_only') = 'on' AS "readOnly",
  current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes,
  (current_setting('max_connections')::int - (SELECT count(*) FROM pg_stat_activity WHERE datid IS NOT NULL AND usesysid IS NOT NULL))::int AS "left",
  to_regclass($1) IS NOT NULL OR has_database_privilege(current_database(), 'CREATE') AS "mayMake"`;

type Row = { version: string; number: number; standby: boolean; readOnly: boolean; fsync: string; full_page_writes: string; left: number; mayMake: boolean };

/** Looks at a server without changing anything. */
export async function examineDatabase(url: string): Promise<Examined> {
  const place = placeOf(url);
  let client: pg.Client | null = null;
  try {
    // Reads the certificates that the url names. As patient as a start.
    client = new pg.Client({ ...clientConfig(url), connectionTimeoutMillis: LIMITS.databaseFirstConnectMs, query_timeout: LIMITS.databaseAnswerMs });
    client.on('error', () => {});
    await client.connect();
    const { rows: [row] } = await client.query<Row>(ASKED, [`${SCHEMA}.schema_version`]);
    const askedMs = monotonicMs();
    await client.query('SELECT 1');
    const { version, number, standby, readOnly, left, mayMake } = row!;
    const losesWrites = (['fsync', 'full_page_writes'] as const).filter((name) => row![name] === 'off');
    return { ok: true, place, version, versionNumber: number, latencyMs: monotonicMs() - askedMs, losesWrites, standby, readOnly, connectionsLeft: left, mayMake };
  } catch (error) {
    return { ok: false, place, reason: said(error), crowded: isCrowded(error) };
  } finally {
    // Not waited for: where the server broke off TLS the driver never tells the end.
    client?.end().catch(() => {});
  }
}
