import type { DuckDBConnection, DuckDBInstance, DuckDBPreparedStatement } from '@duckdb/node-api';
import { LIMITS } from '../../config/limits.ts';
import { requirePackage } from '../../lib/require_package.ts';
import { takeEnd, withEnd } from '../../lib/told_end.ts';
import { unbroken, unbrokenUntilBack } from '../../lib/unbroken.ts';
import { SourceFailure } from '../source.ts';
import type { Sql } from '../sql/dialect.ts';
import { stopped } from '../stopped.ts';
import { Turns, type Haste } from '../turns.ts';
import { literal } from './dialect.ts';
import { failureOf } from './errors.ts';
import { makeSpill, type Spill } from './spill.ts';

type Opening = { readonly folders: readonly string[]; readonly files: readonly string[]; readonly memoryMb: number; readonly threads: number };

/** Rows by column, as the engine gives them. */
export type Columns = readonly (readonly unknown[])[];

/** Of the whole thread, whatever the number of sources: a call holds one of the four threads of the process by which files are read and names looked up. */
const TURNS = new Turns(LIMITS.parquetCallsMax, LIMITS.parquetLongCallsMax);

/** Whatever else holds such a thread for as long as a disk may take. */
export async function inTurn<T>(haste: Haste, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const leave = await TURNS.enter(haste, signal);
  try {
    return await work();
  } finally {
    leave();
  }
}

/**
 * An engine of its own in memory, which reads what it is allowed to and nothing else. It begins with the first statement, and what does
 * not fit its memory goes to a folder that it takes away again.
 */
export class Connections {
  readonly #opening: Opening;
  #spill: Spill | null = null;
  readonly #idle: DuckDBConnection[] = [];
  /** What still runs on the engine: it must not be closed under it. */
  readonly #running = new Set<Promise<unknown>>();
  /** One for each statement under way. Signals are not joined by the platform's own means: what it makes stays with the one that lives longest. */
  readonly #ends = new Set<AbortController>();
  #closed = false;
  #instance: Promise<DuckDBInstance> | null = null;

  constructor(opening: Opening) { this.#opening = opening; }

  /** A result batch by batch: the next is worked out when it is asked for. Where the signal strikes, or the caller stops, the engine does too. */
  async *batches(statement: Sql, haste: Haste, signal: AbortSignal): AsyncGenerator<Columns> {
    if (signal.aborted || this.#closed) throw stopped();
    const ends = new AbortController();
    const end = (): void => ends.abort();
    const call = <T>(work: () => Promise<T>): Promise<T> => this.#call(connection, haste, ends.signal, work);
    const connection = this.#idle.pop() ?? await this.#keep(() => this.#connect());
    let held: DuckDBPreparedStatement | null = null;
    let whole = false;
    this.#ends.add(ends);
    signal.addEventListener('abort', end);
    if (signal.aborted || this.#closed) end();
    try {
      // What is prepared is one statement, whatever its text says.
      const prepared = await call(() => connection.prepare(withEnd(statement)));
      held = prepared;
      const result = await call(() => prepared.stream());
      for (let isWhole = false; ;) {
        const chunk = await call(() => result.fetchChunk());
        const columns = chunk === null ? null : unbroken(() => (chunk.rowCount === 0 ? null : chunk.getColumns()));
        if (columns === null) {
          if (isWhole) break;
          throw ends.signal.aborted ? stopped() : cut();
        }
        isWhole = takeEnd(columns);
        yield columns;
      }
      unbroken(() => prepared.destroySync());
      whole = true;
    } finally {
      this.#ends.delete(ends);
      signal.removeEventListener('abort', end);
      if (whole) this.#idle.push(connection);
      else this.#keep(() => this.#putAway(connection, held));
    }
  }

  async all(statement: Sql, haste: Haste, signal: AbortSignal): Promise<unknown[][]> {
    const rows: unknown[][] = [];
    for await (const columns of this.batches(statement, haste, signal)) {
      for (let row = 0; row < columns[0]!.length; row++) rows.push(columns.map((column) => column[row]));
    }
    return rows;
  }

  /** Stops what runs, waits for it, and frees everything. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const ends of this.#ends) ends.abort();
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
    const instance = await this.#instance?.catch(() => null);
    unbroken(() => {
      for (const connection of this.#idle) connection.closeSync();
      instance?.closeSync();
    });
    this.#idle.length = 0;
    await this.#spill?.release();
  }

  async #connect(): Promise<DuckDBConnection> {
    const connection = await (await this.#begun()).connect();
    if (!this.#closed) return connection;
    connection.closeSync();
    throw stopped();
  }

  /** An engine that could not begin is begun anew by whoever asks next. */
  #begun(): Promise<DuckDBInstance> {
    this.#instance ??= this.#open().catch((error: unknown) => {
      this.#instance = null;
      throw new SourceFailure('broken', `the engine could not begin: ${String(error)}`);
    });
    return this.#instance;
  }

  async #open(): Promise<DuckDBInstance> {
    const { folders, files, memoryMb, threads } = this.#opening;
    const spill = this.#spill ??= await makeSpill();
    // Not before: the thread of all sources takes it, and most gateways search no Parquet files.
    const duckdb = requirePackage('@duckdb/node-api') as typeof import('@duckdb/node-api');
    const instance = await duckdb.DuckDBInstance.create(':memory:', {
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      memory_limit: `${memoryMb}MiB`,
      threads: String(threads),
      temp_directory: spill.folder,
      max_temp_directory_size: `${LIMITS.parquetSpillMbMax}MiB`,
    });
    const connection = await instance.connect();
    const list = (paths: readonly string[]): Sql => `[${paths.map(literal).join(', ')}]`;
    for (const setting of [
      `allowed_directories = ${list(folders)}`, `allowed_paths = ${list(files)}`,
      "GLOBAL TimeZone = 'UTC'", 'parquet_metadata_cache = true', 'preserve_insertion_order = true',
      'enable_external_access = false', 'lock_configuration = true',
    ]) await connection.run(`SET ${setting}`);
    this.#idle.push(connection);
    return instance;
  }

  async #call<T>(connection: DuckDBConnection, haste: Haste, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const leave = await TURNS.enter(haste, signal);
    // A statement that is only about to begin does not hear it: it is said again until the call is back.
    let again: NodeJS.Timeout | undefined;
    const interrupt = (): void => {
      connection.interrupt();
      again ??= setInterval(interrupt, LIMITS.parquetInterruptEveryMs);
    };
    signal.addEventListener('abort', interrupt);
    try {
      return await this.#keep(work);
    } catch (error) {
      throw signal.aborted ? stopped() : failureOf(error);
    } finally {
      signal.removeEventListener('abort', interrupt);
      clearInterval(again);
      leave();
    }
  }

  /** A result that is left amid its rows holds what it has read until the next statement begins, and its files stay open until what was prepared is destroyed: nobody knows when it is collected. */
  async #putAway(connection: DuckDBConnection, prepared: DuckDBPreparedStatement | null): Promise<void> {
    connection.interrupt();
    try {
      await connection.run('SELECT 1');
      this.#idle.push(connection);
    } catch {
      connection.closeSync();
    }
    prepared?.destroySync();
  }

  #keep<T>(work: () => Promise<T>): Promise<T> {
    const kept = unbrokenUntilBack(work).finally(() => this.#running.delete(kept));
    this.#running.add(kept);
    kept.catch(() => {});
    return kept;
  }
}

function cut(): SourceFailure {
  return new SourceFailure('broken', 'the engine failed amid its rows: a file is damaged, or was replaced while it was read');
}
