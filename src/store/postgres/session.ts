import { Socket } from 'node:net';
import pg from 'pg';
import { LIMITS } from '../../config/limits.ts';
import { within } from '../../lib/within.ts';

/** The schema that holds all of the service's tables. */
export const SCHEMA = 'lead_data_service';

const BIGINT = 20;

/** Counts and times are far below 2^53. */
const TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => (oid === BIGINT ? Number : pg.types.getTypeParser(oid, format)) as never,
};

/** What every session is set to, where the server knows it. What a vanished gateway left open ends soon, and gives back its locks. */
const SETTINGS: Readonly<Record<string, string>> = {
  search_path: SCHEMA,
  default_transaction_isolation: 'read committed',
  statement_timeout: String(LIMITS.databaseLongMs),
  // Whoever holds a whole table for so long does not do so for a moment: a list that may take long does not wait for him as long.
  lock_timeout: String(LIMITS.databaseAnswerMs),
  idle_in_transaction_session_timeout: String(LIMITS.databaseIdleInTransactionMs),
  client_connection_check_interval: '1000',
  // Compiling a statement takes longer than running one of these.
  jit: 'off',
  // Only where it was off: a server that waits for its standbys too is left to.
  synchronous_commit: 'on',
};
const SET_ALL = `SELECT set_config(s.name, w.value, false) FROM pg_settings s JOIN unnest($1::text[], $2::text[]) w(name, value) ON w.name = s.name
  WHERE s.name <> 'synchronous_commit' OR s.setting = 'off'`;

export async function beginSession(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  await client.query(SET_ALL, [Object.keys(SETTINGS), Object.values(SETTINGS)]);
}

export function clientConfig(url: string): pg.ClientConfig {
  return {
    connectionString: url,
    connectionTimeoutMillis: LIMITS.databaseConnectMs,
    keepAlive: true,
    fallback_application_name: 'lead-data-service',
    client_encoding: 'UTF8',
    types: TYPES,
  };
}

/** The sockets of some clients. A client says goodbye and waits for the server's, which one that hangs never says. */
export class Sockets {
  readonly #open = new Set<Socket>();

  /** For `pg.ClientConfig`. */
  readonly stream = (): Socket => {
    const socket = new Socket();
    this.#open.add(socket);
    socket.once('close', () => this.#open.delete(socket));
    return socket;
  };

  /** Resolves when the clients have `ended`, and cuts what is open after a while. */
  async close(ended: Promise<unknown>): Promise<void> {
    await within(ended, LIMITS.databaseCloseMs);
    for (const socket of this.#open) socket.destroy();
  }
}

/** Where a database is, for an operator to read: without name and password. */
export function placeOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}
