import { availableParallelism } from 'node:os';
import type { DuckDBConnection, DuckDBInstance, DuckDBType, DuckDBValue } from '@duckdb/node-api';
import { LIMITS } from '../config/limits.ts';
import { thisMachine } from '../config/load.ts';
import { requirePackage } from '../lib/require_package.ts';
import { takeEnd, withEnd } from '../lib/told_end.ts';
import { IngestError } from './failure.ts';
import { askLargePages } from './large_pages.ts';

const DUCKDB = requirePackage('@duckdb/node-api') as typeof import('@duckdb/node-api');

/** The kinds of value that pass the border; integers are safe ones. */
export type Cell = string | number | readonly string[] | null;
export type CellKind = 'text' | 'texts' | 'integer';

/** A batch of rows by column. */
export type Columns = readonly (readonly Cell[])[];

export const BATCH_ROWS = 2_048;

const TYPES: Readonly<Record<CellKind, DuckDBType>> = { text: DUCKDB.VARCHAR, texts: DUCKDB.LIST(DUCKDB.VARCHAR), integer: DUCKDB.BIGINT };

/** What the engine may read beside its work folder. */
type Readable = { readonly folders: readonly string[]; readonly files: readonly string[] };

/** What an engine may have before it spills. */
export function engineMemoryBytes(): number {
  return thisMachine().memoryBytes * LIMITS.ingestMemoryShare;
}

/** An engine of its own in memory, which spills to `workDir` and reaches no other file than it is allowed. It keeps what memory it took until it is closed. */
export class Duck {
  #reading = false;
  #closed = false;
  readonly #connection: DuckDBConnection;
  readonly #instance: DuckDBInstance;
  /** Of the order that it works for. */
  readonly signal: AbortSignal;
  readonly #onAbort = (): void => this.#connection.interrupt();

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection, signal: AbortSignal) {
    this.#instance = instance;
    this.#connection = connection;
    this.signal = signal;
    signal.addEventListener('abort', this.#onAbort);
  }

  static async open(workDir: string, readable: Readable, signal: AbortSignal): Promise<Duck> {
    const memory = `${Math.floor(engineMemoryBytes() / 1_048_576)}MiB`;
    const instance = await DUCKDB.DuckDBInstance.create(':memory:', {
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      memory_limit: memory,
      temp_directory: `${workDir}/spill`,
      threads: String(availableParallelism()),
    });
    const duck = new Duck(instance, await instance.connect(), signal);
    try {
      await duck.#configure(workDir, readable, memory);
      return duck;
    } catch (error) {
      duck.close();
      throw error;
    }
  }

  async #configure(workDir: string, readable: Readable, memory: string): Promise<void> {
    // What one statement has done with, the next takes; to give it to the system and ask for it again costs a tenth of them all.
    // It refuses more than four fifths of the memory that it sees itself, and a start with more would end the process.
    await this.run(`SET block_allocator_memory = '${memory}'`).then(() => askLargePages(engineMemoryBytes()), () => {});
    await this.run(`SET allowed_directories = [${[workDir, ...readable.folders].map(literal).join(', ')}]`);
    await this.run(`SET allowed_paths = [${readable.files.map(literal).join(', ')}]`);
    // Else the text of a time would say what the clock of this machine shows.
    await this.run("SET TimeZone = 'UTC'");
    // Rows are told by where they stand: after many deletes the engine would close the gaps, at the end of whatever statement, and number the rest anew.
    await this.run("SET checkpoint_threshold = '1000TB'");
    await this.run(`SET partitioned_write_flush_threshold = ${LIMITS.ingestApartRows}`);
    await this.run('SET enable_progress_bar = true');
    await this.run('SET enable_progress_bar_print = false');
    await this.run('SET progress_bar_time = 0');
    await this.run('SET enable_external_access = false');
    await this.run('SET lock_configuration = true');
  }

  /** How far the statement that runs is, from 0 to 1; null where that is not known. */
  fraction(): number | null {
    const { percentage } = this.#connection.progress;
    return percentage < 0 ? null : percentage / 100;
  }

  async run(sql: string): Promise<void> {
    this.#assertNotReading();
    await this.#connection.run(sql);
  }

  /** A small result as rows; integers beyond 2^53 are not expected. */
  async rows(sql: string): Promise<Record<string, Cell>[]> {
    this.#assertNotReading();
    const reader = await this.#connection.runAndReadAll(sql);
    return reader.getRowObjectsJS().map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])));
  }

  /** A result of text and integer columns in batches, in order. Until its end no other statement may run: it would end the result, without a word. */
  async *batches(sql: string): AsyncGenerator<Columns> {
    this.#assertNotReading();
    this.#reading = true;
    try {
      const result = await this.#connection.stream(withEnd(sql));
      for (let isWhole = false; ;) {
        const chunk = await result.fetchChunk();
        this.signal.throwIfAborted();
        if (chunk === null || chunk.rowCount === 0) {
          if (isWhole) break;
          throw new IngestError('the data engine failed amid its rows: there may be too little memory, or room on the disk');
        }
        const columns = chunk.getColumns();
        isWhole = takeEnd(columns);
        if (columns[0]!.length > 0) yield columns as (string | number | null)[][];
      }
    } finally {
      this.#reading = false;
    }
  }

  #assertNotReading(): void {
    this.signal.throwIfAborted();
    if (this.#reading) throw new Error('a statement would end the result that is being read');
  }

  /**
   * Appends batches of at most `BATCH_ROWS` rows to a table whose columns are of these kinds. On a connection of its own: an appender
   * writes whenever it has 204,800 rows, which would end a result that is being read meanwhile.
   */
  async append(table: string, kinds: readonly CellKind[], batches: AsyncIterable<Columns> | Iterable<Columns>): Promise<void> {
    const connection = await this.#instance.connect();
    const appender = await connection.createAppender(table);
    try {
      for await (const batch of batches) {
        this.signal.throwIfAborted();
        const chunk = DUCKDB.DuckDBDataChunk.create(kinds.map((kind) => TYPES[kind]), batch[0]!.length);
        chunk.setColumns(batch.map((cells, at) => encoded(cells, kinds[at]!)));
        appender.appendDataChunk(chunk);
      }
      appender.flushSync();
    } finally {
      appender.closeSync();
      connection.closeSync();
    }
  }

  /** A table of one column, of texts or of numbers, in the place of any of that name. */
  async list(table: string, column: string, values: readonly string[] | Uint32Array): Promise<void> {
    const kind = values instanceof Uint32Array ? 'integer' : 'text';
    await this.run(`CREATE OR REPLACE TABLE ${table} (${column} ${SQL_TYPES[kind]})`);
    await this.append(table, [kind], inBatches(values));
  }

  /** Once is enough, and more does no harm. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.signal.removeEventListener('abort', this.#onAbort);
    this.#connection.closeSync();
    this.#instance.closeSync();
  }
}

/** Lends `work` an engine of its own, and closes it however `work` ends. */
export async function withDuck<T>(workDir: string, readable: Readable, signal: AbortSignal, work: (duck: Duck) => Promise<T>): Promise<T> {
  const duck = await Duck.open(workDir, readable, signal);
  try {
    return await work(duck);
  } finally {
    duck.close();
  }
}

/** One column, for `append`. */
function* inBatches(values: readonly string[] | Uint32Array): Generator<Columns> {
  for (let at = 0; at < values.length; at += BATCH_ROWS) yield [Array.from({ length: Math.min(BATCH_ROWS, values.length - at) }, (_, nth) => values[at + nth]!)];
}

export const SQL_TYPES: Readonly<Record<CellKind, string>> = { text: 'VARCHAR', texts: 'VARCHAR[]', integer: 'BIGINT' };

export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

export function name(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}

function encoded(cells: readonly Cell[], kind: CellKind): DuckDBValue[] {
  switch (kind) {
    case 'text': return cells as DuckDBValue[];
    case 'texts': return cells.map((cell) => (cell === null ? null : DUCKDB.listValue(cell as string[])));
    case 'integer': return cells.map((cell) => (cell === null ? null : BigInt(cell as number)));
    default: return kind satisfies never;
  }
}

function plain(value: unknown): Cell {
  return typeof value === 'bigint' ? Number(value) : (value as Cell);
}
