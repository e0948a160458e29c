import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { LIMITS } from '../../config/limits.ts';
import { monotonicMs } from '../../lib/clock.ts';
import { AppError } from '../../model/errors.ts';
import type { Durability } from '../statements.ts';
import { DatabaseFailure, isCrowded, storeError } from './errors.ts';
import { beginSession, clientConfig, Sockets } from './session.ts';

type Scalar = string | number | boolean | Uint8Array | null;
type Parameter = Scalar | readonly Scalar[];

/** Within one transaction, or one read. Each statement is prepared once for each connection. */
export type Sql = {
  get<Row>(text: string, ...parameters: Parameter[]): Promise<Row | undefined>;
  all<Row>(text: string, ...parameters: Parameter[]): Promise<Row[]>;
  /** The number of rows changed. */
  run(text: string, ...parameters: Parameter[]): Promise<number>;
};

const BEGIN: Readonly<Record<Durability, string>> = {
  synced: 'BEGIN',
  buffered: 'BEGIN; SET LOCAL synchronous_commit = off',
};

/**
 * A few connections to one server. Each that failed, or did not answer in time, is thrown away with what was under way on it, and
 * another is opened when it is asked for: so a server that comes back is used again at once.
 *
 * A write is acknowledged when the answer to its COMMIT came. Where the connection is lost in between nobody can tell what became of
 * it, and it is told as a failure.
 */
export class Connection {
  readonly #pool: pg.Pool;
  readonly #names = new Map<string, string>();
  readonly #sockets = new Sockets();
  /** Calls that wait for the server to have a connection again. */
  #crowded = 0;

  constructor(url: string, connections: number) {
    this.#pool = new pg.Pool({
      ...clientConfig(url),
      stream: this.#sockets.stream,
      max: connections,
      idleTimeoutMillis: LIMITS.connectionIdleMs,
      maxLifetimeSeconds: LIMITS.databaseConnectionLifeMs / 1_000,
      onConnect: beginSession,
    });
    // Of an idle connection that is lost nobody needs to know.
    this.#pool.on('error', () => {});
  }

  /** One statement. Asked again over another connection where one turned out to be dead. What may take long is asked of a server that answers something at once, and not of one that hangs. */
  async read<T>(use: (sql: Sql) => Promise<T>, answerMs: number): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#using(async (session) => {
          if (answerMs > LIMITS.databaseAnswerMs) await ask(session, { text: 'SELECT 1' }, LIMITS.databaseAnswerMs);
          return use(this.#sql(session, answerMs));
        });
      } catch (error) {
        if (tries === LIMITS.databaseTriesMax || !(error instanceof DatabaseFailure) || error.kind !== 'lost') throw storeError(error);
      }
    }
  }

  /** One transaction. Tried again where the server took it back, or where none was begun. */
  async write<T>(durability: Durability, use: (sql: Sql) => Promise<T>, answerMs: number): Promise<T> {
    let undone = 0;
    for (let tries = 1; ; tries += 1) {
      let begun = false;
      try {
        return await this.#using(async (session) => {
          await ask(session, { text: BEGIN[durability] }, Math.min(answerMs, LIMITS.databaseAnswerMs));
          begun = true;
          return this.#finish(session, use, answerMs);
        });
      } catch (error) {
        if (!(error instanceof DatabaseFailure)) throw error;
        if (error.kind === 'undone') undone += 1;
        const again = error.kind === 'undone' ? undone < LIMITS.databaseUndoneMax : error.kind === 'lost' && !begun;
        if (!again || tries === LIMITS.databaseTriesMax) throw storeError(error);
      }
    }
  }

  async close(): Promise<void> {
    if (!this.#pool.ending) await this.#sockets.close(this.#pool.end());
  }

  async #finish<T>(session: pg.PoolClient, use: (sql: Sql) => Promise<T>, answerMs: number): Promise<T> {
    let result: T;
    try {
      result = await use(this.#sql(session, answerMs));
    } catch (error) {
      if (isUsable(error)) await ask(session, { text: 'ROLLBACK' }, answerMs);
      throw error;
    }
    const { command } = await ask(session, { text: 'COMMIT' }, answerMs);
    // The server answers so to the COMMIT of a transaction in which a statement failed.
    if (command !== 'COMMIT') throw new Error(`a transaction ended with ${command}`);
    return result;
  }

  async #using<T>(use: (session: pg.PoolClient) => Promise<T>): Promise<T> {
    if (this.#pool.waitingCount + this.#crowded >= LIMITS.databaseWaitingMax) throw new AppError('store_unavailable', 'The account store is busy. Try again.', { retryAfter: 1 });
    const session = await this.#connected();
    // Told by the statement under way; unheard it would end the process.
    const ignore = (): void => {};
    session.on('error', ignore);
    let usable = false;
    try {
      const result = await use(session);
      usable = true;
      return result;
    } catch (error) {
      usable = isUsable(error);
      throw error;
    } finally {
      session.off('error', ignore);
      session.release(!usable);
    }
  }

  /**
   * One that cannot be made is not tried again at once: that says something of the server, not of a connection. Where the server has none left,
   * another call of this process may give its own back in a moment.
   */
  async #connected(): Promise<pg.PoolClient> {
    const deadlineMs = monotonicMs() + LIMITS.databaseConnectMs;
    for (;;) {
      try {
        return await this.#pool.connect();
      } catch (error) {
        if (!isCrowded(error) || monotonicMs() >= deadlineMs) throw new DatabaseFailure(error, 'unable');
      }
      this.#crowded += 1;
      await sleep(LIMITS.databaseCrowdedRetryMs);
      this.#crowded -= 1;
    }
  }

  #sql(session: pg.PoolClient, answerMs: number): Sql {
    const query = (text: string, values: readonly Parameter[]) => ask(session, { name: this.#nameOf(text), text, values: [...values] }, answerMs);
    return {
      get: async <Row>(text: string, ...parameters: Parameter[]) => (await query(text, parameters)).rows[0] as Row | undefined,
      all: async <Row>(text: string, ...parameters: Parameter[]) => (await query(text, parameters)).rows as Row[],
      run: async (text, ...parameters) => (await query(text, parameters)).rowCount ?? 0,
    };
  }

  /** Statements are constants of this room, so there are some eighty. */
  #nameOf(text: string): string {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    const name = `lds_${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }
}

async function ask(session: pg.ClientBase, statement: pg.QueryConfig, answerMs: number): Promise<pg.QueryResult> {
  let timer: NodeJS.Timeout;
  const late = new Promise<never>((_, reject) => {
    // A loop that was held up sees its timers before its sockets: what has come by then is read first. In the driver's words, as `errors` knows them.
    timer = setTimeout(() => setImmediate(reject, new Error('Query read timeout')), answerMs);
  });
  try {
    return await Promise.race([session.query(statement), late]);
  } catch (error) {
    throw new DatabaseFailure(error);
  } finally {
    clearTimeout(timer!);
  }
}

/** Whether a connection may be used again after what was thrown. */
function isUsable(error: unknown): boolean {
  return !(error instanceof DatabaseFailure) || error.kind === 'bug' || error.kind === 'text' || error.kind === 'undone';
}
