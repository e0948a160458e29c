import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { LIMITS } from '../config/limits.ts';
import { engineMemoryBytes, literal, name, type Duck } from './duckdb.ts';
import { PLACE } from './key_table.ts';

/** No field has a name with a dash, and the name of a folder may have one as it is. */
const PART = 'row-part';

export type RowsApart = {
  /** One for each part. */
  readonly relations: readonly string[];
  /** The rows of this one are read no more. */
  drop(part: number): Promise<void>;
};

/**
 * Whether the engine holds so much that to look through the rows once for each part is slow: of what does not fit into its memory every look writes and reads
 * all again, as the rows of a part lie anywhere.
 */
export async function isCrowded(duck: Duck, parts: number, heldBytesMax = LIMITS.ingestHeldShare * engineMemoryBytes()): Promise<boolean> {
  if (parts <= LIMITS.ingestLooksMax) return false;
  const [held] = await duck.rows('SELECT sum(memory_usage_bytes + temporary_storage_bytes)::DOUBLE AS bytes FROM duckdb_memory()');
  return (held!.bytes as number) > heldBytesMax;
}

type Parting = {
  /** A query of them, with their `PLACE`. */
  readonly rows: string;
  /** The place behind the last row of each part. */
  readonly ends: readonly number[];
  readonly folder: string;
};

/** Writes rows to a folder, those of each part apart, and drops every table: nothing else is left of them. */
export async function rowsApart(duck: Duck, { rows, ends, folder }: Parting): Promise<RowsApart> {
  const cases = ends.map((end, at) => `WHEN ${name(PLACE)} < ${end} THEN ${at}`).join(' ');
  await duck.run(`COPY (SELECT *, CASE ${cases} END AS ${name(PART)} FROM (${rows})) TO ${literal(folder)} (FORMAT parquet, COMPRESSION snappy, PARTITION_BY (${name(PART)}))`);
  for (const { named } of await duck.rows('SELECT table_name AS named FROM duckdb_tables()')) await duck.run(`DROP TABLE ${name(named as string)}`);
  const folders = ends.map((_, at) => join(folder, `${PART}=${at}`));
  return {
    relations: folders.map((each) => `SELECT * FROM read_parquet(${literal(join(each, '*.parquet'))}, hive_partitioning = false)`),
    drop: (at) => rm(folders[at]!, { recursive: true }),
  };
}
