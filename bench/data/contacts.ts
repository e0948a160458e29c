import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DuckDBDataChunk, DuckDBInstance, VARCHAR, BIGINT, type DuckDBConnection } from '@duckdb/node-api';
import { companiesSql, contactsSql } from './contacts_sql.ts';
import { dimensions, type Table } from './dimensions.ts';

/** Changes whenever other rows come of the same seed and size: what was made before is then made anew. */
const VERSION = 1;
export const DEFAULT_SEED = 1;
const ROWS_PER_COMPANY = 25;
const COMPANIES_MIN = 600;
const CHUNK_ROWS = 2_048;

export type DataSize = { readonly rows: number; readonly seed: number };
export type ContactFiles = DataSize & { /** Everything that is made of these rows lies here. */ readonly folder: string; readonly parquet: string; readonly csv: string };

/** Where data is kept between runs: `LDS_BENCH_DIR`, else the folder for temporary files. */
function benchFolder({ rows, seed }: DataSize): string {
  return join(process.env['LDS_BENCH_DIR'] ?? join(tmpdir(), 'lds-bench'), `contacts-${VERSION}-${rows}-${seed}`);
}

/** The contacts of a size and a seed as Parquet and CSV, made once. */
export async function contactFiles(size: DataSize): Promise<ContactFiles> {
  const folder = benchFolder(size);
  const files = { ...size, folder, parquet: join(folder, 'contacts.parquet'), csv: join(folder, 'contacts.csv') };
  if (!existsSync(files.csv)) await makeFiles(files);
  return files;
}

async function makeFiles({ folder, parquet, csv, ...size }: ContactFiles): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await contactsParquet(size, `${parquet}.part`);
  renameSync(`${parquet}.part`, parquet);
  await withDuck(folder, async (connection) => {
    await connection.run(`COPY (SELECT * FROM read_parquet('${parquet}')) TO '${csv}.part' (FORMAT csv, HEADER)`);
  });
  renameSync(`${csv}.part`, csv);
}

/** Writes the contacts of a size and a seed to a file, whose folder must be there. */
export async function contactsParquet({ rows, seed }: DataSize, path: string): Promise<void> {
  await withDuck(dirname(path), async (connection) => {
    for (const table of dimensions(Math.max(COMPANIES_MIN, Math.floor(rows / ROWS_PER_COMPANY)))) await load(connection, table);
    await connection.run(companiesSql(seed));
    await connection.run(`COPY (${contactsSql(rows, seed)}) TO '${path}' (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)`);
  });
}

/** An engine in memory that may spill to a folder of its own below `folder`. */
export async function withDuck<T>(folder: string, work: (connection: DuckDBConnection) => Promise<T>, path = ':memory:'): Promise<T> {
  const spill = join(folder, 'spill');
  const instance = await DuckDBInstance.create(path, { temp_directory: spill });
  const connection = await instance.connect();
  try {
    return await work(connection);
  } finally {
    connection.closeSync();
    instance.closeSync();
    rmSync(spill, { recursive: true, force: true });
  }
}

export async function load(connection: DuckDBConnection, { name, columns, rows }: Table): Promise<void> {
  const kinds = Object.values(columns);
  await connection.run(`CREATE TABLE ${name} (${Object.entries(columns).map(([column, type]) => `${column} ${type}`).join(', ')})`);
  const appender = await connection.createAppender(name);
  for (let at = 0; at < rows.length; at += CHUNK_ROWS) {
    const part = rows.slice(at, at + CHUNK_ROWS);
    const chunk = DuckDBDataChunk.create(kinds.map((kind) => (kind === 'VARCHAR' ? VARCHAR : BIGINT)), part.length);
    chunk.setColumns(kinds.map((kind, column) => part.map((row) => (kind === 'BIGINT' ? BigInt(row[column] as number) : row[column]!))));
    appender.appendDataChunk(chunk);
  }
  appender.closeSync();
}
