import { join } from 'node:path';
import { Duck } from '../../src/ingest/duckdb.ts';
import type { Row } from '../../src/model/field.ts';
import type { TestLake } from './lake.ts';

/** Some fields of all rows, in the order of their values. */
export const cellsOf = (rows: Map<string, Row>, ...fields: readonly string[]): unknown[][] => [...rows.values()].map((row) => fields.map((field) => row[field] ?? null)).sort();

/** A Parquet file of what a query gives. */
export async function parquetFile(lake: TestLake, sql: string, name = 'a.parquet'): Promise<string> {
  const file = join(lake.dataDir, name);
  const duck = await Duck.open(lake.dataDir, { folders: [], files: [] }, new AbortController().signal);
  await duck.run(`COPY (${sql}) TO '${file}' (FORMAT parquet)`);
  duck.close();
  return file;
}
