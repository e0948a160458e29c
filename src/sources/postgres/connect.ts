import type { EventEmitter } from 'node:events';
import { connect as connectSocket, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import pg from 'pg';
import Cursor from 'pg-cursor';
import { LIMITS } from '../../config/limits.ts';
import type { Connecting } from '../connecting.ts';
import { SourceFailure } from '../source.ts';
import { stopped, unlessStopped } from '../stopped.ts';
import { Turns, type Haste } from '../turns.ts';
import { failureOf, isCut } from './errors.ts';
import type { Sql } from '../sql/dialect.ts';
import { literal, type Statement } from './dialect.ts';

/** What cancels the statements of a session, see `cancel`, and hears each message of its server. */
type Session = pg.PoolClient & {
  readonly processID?: number | null;
  readonly secretKey?: number | null;
  readonly host: string;
  readonly port: number;
  readonly connection: EventEmitter & { readonly stream: Duplex & Partial<Pick<Socket, 'remoteAddress' | 'remotePort'>> };
};

/** The rows of one statement as they come, and its end. */
type Rows = { read(rowsMax: number): Promise<unknown[][]>; close(): Promise<void> };

/** What is asked for at a time: the bytes as far as the rows before tell. */
type Batch = { readonly rowsMax: number; readonly bytesMax: number };

/** Of rows that are handed on as they come. */
export const STREAMED: Batch = { rowsMax: LIMITS.foreignBatchRows, bytesMax: LIMITS.foreignBatchBytes };

/** Of rows that are gathered, until there is room for no more: each batch of them is one more way to the server and back. */
export function gathering(rowsMax: number, bytesMax: number): Batch {
  return { rowsMax, bytesMax: bytesMax / 4 };
}

/** What every session must be set to: rows would show other times and numbers, and statements say other things. */
const NEEDED: Readonly<Record<string, string>> = {
  TimeZone: 'UTC',
  DateStyle: 'ISO',
  IntervalStyle: 'postgres',
  bytea_output: 'hex',
  // All digits that tell a number from another.
  extra_float_digits: '1',
  default_transaction_read_only: 'on',
  standard_conforming_strings: 'on',
  // Types of columns are known by their names as they are written without.
  quote_all_identifiers: 'off',
  // Compiling the many small expressions of a search takes longer than running them.
  jit: 'off',
  statement_timeout: String(LIMITS.streamTimeoutMsMax),
  // Known since version 17.
  transaction_timeout: '0',
};
/** What not every platform takes: queries end soon after this side has vanished. */
const WISHED: Readonly<Record<string, string>> = { client_connection_check_interval: '1000' };
/**
 * Names of functions, operators and types are built-in ones, whatever a schema of the role's path calls so; what views call beside those is found where it was. A function
 * of any type, such as `unnest`, is to be called with its schema all the same: one for just that type would be the better match.
 */
const BUILT_IN_FIRST = `SELECT pg_catalog.set_config('search_path',
  pg_catalog.btrim(pg_catalog.regexp_replace(pg_catalog.current_setting('search_path'), '^(pg_catalog)?,? *', 'pg_catalog, '), ', '), false)`;

/** Those of them that the server knows. */
function setting(settings: Readonly<Record<string, string>>): Sql {
  const values = Object.entries(settings).map(([name, value]) => `(${literal(name)}, ${literal(value)})`);
  return `SELECT set_config(s.name, w.value, false) FROM pg_settings s JOIN (VALUES ${values.join(', ')}) w(name, value) ON lower(w.name) = lower(s.name)`;
}

/** The connections to one server. */
export class Connections {
  readonly #connecting: Connecting;
  #pool: pg.Pool;
  /** Sessions that have lain idle since a statement of theirs. */
  readonly #lain = new WeakSet<Session>();
  /** The ends of pools that were left, each of which comes once nothing runs on it. */
  readonly #left = new Set<Promise<void>>();
  /** Who waits here waits as long as the call does: the pool would have it wait no longer than for a connection to be made. */
  readonly #turns: Turns;

  constructor(connecting: Connecting) {
    this.#connecting = connecting;
    this.#turns = Turns.ofConnections(connecting.connections);
    this.#pool = poolOf(connecting);
  }

  /** All rows of a statement that has few. */
  async all(statement: Statement, rowsMax: number, haste: Haste, signal: AbortSignal): Promise<unknown[][]> {
    const rows = await this.open(statement, haste, signal);
    try {
      return await rows.read(rowsMax);
    } finally {
      await rows.close();
    }
  }

  /** The rows of a statement as they are asked for, few at first; the connection is held until it is left, or the last of them have come. */
  async *batches(statement: Statement, { haste, most }: { readonly haste: Haste; readonly most: Batch }, signal: AbortSignal): AsyncGenerator<unknown[][]> {
    const rows = await this.open(statement, haste, signal);
    let batch: unknown[][];
    try {
      for (let rowsMax: number = LIMITS.foreignFirstRows; ;) {
        batch = await rows.read(rowsMax);
        if (batch.length < rowsMax) break;
        rowsMax = rowsInBatch(batch, most);
        yield batch;
      }
    } finally {
      await rows.close();
    }
    // However long their reader takes: the server may end a session that has nothing to do.
    if (batch.length > 0) yield batch;
  }

  /** Begins a statement on a connection of its own until it is closed. Where the signal strikes, the server is told to stop. */
  async open({ text, values }: Statement, haste: Haste, signal: AbortSignal): Promise<Rows> {
    const leave = await this.#turns.enter(haste, signal);
    const pool = this.#pool;
    const session = await this.#session(pool, signal, leave);
    const whenCut = this.#lain.has(session) ? () => this.#abandon(pool) : null;
    this.#lain.add(session);
    return new OpenRows(session, new Cursor<unknown[]>(text, values, { rowMode: 'array' }), { signal, leave, whenCut });
  }

  async close(): Promise<void> { await Promise.all([this.#pool.end(), ...this.#left]); }

  /** One session that lay there was cut without a word, as where its server's address leads to another by now: the others are taken for dead, too. */
  #abandon(pool: pg.Pool): void {
    if (pool !== this.#pool || pool.ending) return;
    this.#pool = poolOf(this.#connecting);
    // Whoever turned to it just now gets a session of it yet.
    const end = new Promise<void>((resolve) => { setImmediate(() => { resolve(pool.end()); }); });
    this.#left.add(end);
    void end.then(() => this.#left.delete(end));
  }

  async #session(pool: pg.Pool, signal: AbortSignal, leave: () => void): Promise<Session> {
    // What the url names, such as the certificate that it is to trust, is read anew for each, and may be gone.
    const connecting = new Promise<Session>((resolve) => { resolve(pool.connect()); });
    try {
      return await unlessStopped(connecting, signal);
    } catch (error) {
      // Nobody waits any more for what still comes, but it has a place of the pool until it does.
      void connecting.then((session) => session.release(), () => {}).then(leave);
      const { code, message } = failureOf(error);
      // Whatever it says to whoever connects, such as that nobody may: it is no answer to a search, and another server may be asked that.
      throw new SourceFailure(code === 'overloaded' ? code : 'unreachable', message, false);
    }
  }
}

function poolOf({ url, connectMs, connections }: Connecting): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: connectMs,
    idleTimeoutMillis: LIMITS.connectionIdleMs,
    keepAlive: true,
    application_name: 'lead-data-service',
    client_encoding: 'UTF8',
    onConnect: async (client) => {
      const run = (text: Sql) => {
        const query = { text, query_timeout: connectMs };
        return client.query(query);
      };
      // Each statement is read once the one before it has run.
      await run(`${BUILT_IN_FIRST}; ${setting(NEEDED)}`);
      await run(setting(WISHED)).catch((error: unknown) => { if (isCut(error)) throw error; });
    },
  });
  // Of an idle connection that is lost nobody needs to know: the next is opened when it is asked for.
  return pool.on('error', () => {});
}

/** How many to ask for next: a cursor counts rows, and knows nothing of their size. */
function rowsInBatch(before: readonly unknown[][], { rowsMax, bytesMax }: Batch): number {
  const bytes = before.flat().reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0);
  return Math.max(1, Math.min(rowsMax, Math.floor(bytesMax * before.length / bytes)));
}

type Use = {
  readonly signal: AbortSignal;
  readonly leave: () => void;
  /** Told where the session, which lay idle before, turns out to have been cut by then: the server never heard of this statement. Null for one that was made for it. */
  readonly whenCut: (() => void) | null;
};

const TAKEN = 'parseComplete';

class OpenRows implements Rows {
  readonly #session: Session;
  readonly #cursor: Cursor<unknown[]>;
  readonly #signal: AbortSignal;
  readonly #leave: () => void;
  /** Null once the server has the statement, as it tells before it runs it. */
  #whenCut: (() => void) | null;
  /** Null until the session is lost, or the signal strikes. */
  #lost: { readonly error: unknown } | null = null;
  #reject: (error: unknown) => void = () => {};
  /** The session cannot be used again: something of this statement may still come. */
  #spoilt = false;

  constructor(session: Session, cursor: Cursor<unknown[]>, { signal, leave, whenCut }: Use) {
    this.#session = session;
    this.#cursor = cursor;
    this.#signal = signal;
    this.#leave = leave;
    this.#whenCut = whenCut;
    session.on('error', this.#lose);
    // A server that ends a session says why, between two batches too: whoever asks it for more would hear of the socket alone.
    cursor.on('error', this.#lose);
    session.connection.once(TAKEN, this.#taken);
    signal.addEventListener('abort', this.#stop);
    if (signal.aborted) this.#stop();
    else session.query(cursor);
  }

  async read(rowsMax: number): Promise<unknown[][]> {
    try {
      return await this.#unlessLost(this.#cursor.read(rowsMax));
    } catch (error) {
      this.#spoilt = true;
      const failure = failureOf(error);
      if (this.#whenCut === null || !isCut(error)) throw failure;
      this.#whenCut();
      throw new SourceFailure(failure.code, failure.message, false);
    }
  }

  async close(): Promise<void> {
    // The server may be slow to put the statement away; the caller need not wait for it.
    if (!this.#spoilt) await this.#unlessLost(this.#cursor.close()).catch(() => { this.#spoilt = true; });
    this.#signal.removeEventListener('abort', this.#stop);
    this.#session.off('error', this.#lose);
    this.#session.connection.off(TAKEN, this.#taken);
    this.#session.release(this.#spoilt);
    this.#leave();
  }

  readonly #taken = (): void => { this.#whenCut = null; };

  /** Of this work alone: one promise of a loss for all of a statement would hold what each race with it came to, every row of a stream. */
  #unlessLost<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      if (this.#lost !== null) reject(this.#lost.error);
      work.then(resolve, reject);
    });
  }

  readonly #lose = (error: unknown): void => {
    this.#spoilt = true;
    this.#lost ??= { error };
    this.#reject(error);
  };

  readonly #stop = (): void => {
    this.#lose(stopped());
    cancel(this.#session);
  };
}

const CANCEL_REQUEST = 80_877_102;

/**
 * Asks the server to stop what a session runs, as the protocol has it: over a connection of its own, which the server closes. It goes where the session is: its host may
 * name several servers, or another one by now.
 */
function cancel({ processID, secretKey, host, port, connection: { stream } }: Session): void {
  if (typeof processID !== 'number' || typeof secretKey !== 'number') return;
  const request = Buffer.alloc(16);
  [16, CANCEL_REQUEST, processID, secretKey].forEach((word, at) => request.writeInt32BE(word, at * 4));
  const socket = host.startsWith('/') ? connectSocket(`${host}/.s.PGSQL.${port}`) : connectSocket(stream.remotePort ?? port, stream.remoteAddress ?? host);
  socket.setTimeout(LIMITS.connectMsDefault, () => socket.destroy());
  socket.on('error', () => socket.destroy());
  socket.end(request);
}
