import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { openSource } from '../../../src/sources/open.ts';
import { people, type Person } from './people.ts';
import { sourceSuite, WORDS, type Hosted } from './source_suite.ts';

const COLUMNS = `key: '%', full_name: 'VARCHAR', job_title: 'VARCHAR', seniority: 'VARCHAR', email: 'VARCHAR', phone: 'VARCHAR', linkedin_url: 'VARCHAR', country: 'VARCHAR', city: 'VARCHAR',
  company_name: 'VARCHAR', skills: 'VARCHAR[]', updated_at: 'TIMESTAMP', score: 'SMALLINT'`;

/** The people as `to` writes them, where `*` stands for a query that gives them. */
async function host(keyType: string, rows: readonly Person[], path: string, write: (folder: string) => readonly string[]): Promise<Hosted> {
  const folder = await mkdtemp(join(tmpdir(), 'lds-parquet-suite-'));
  await mkdir(join(folder, 'parts'));
  const lines = join(folder, 'people.ndjson');
  await writeFile(lines, rows.map((row) => JSON.stringify({ ...row, updated_at: row.updated_at?.replace('Z', '') ?? null })).join('\n'));
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(`CREATE TABLE people AS SELECT * FROM read_json('${lines}', format = 'newline_delimited', columns = {${COLUMNS.replace('%', keyType)}})`);
  for (const statement of write(folder)) await connection.run(statement);
  connection.closeSync();
  instance.closeSync();
  const source = openSource({
    vocabulary: WORDS,
    config: { name: 'crm', dataset: 'contacts', kind: 'parquet', path: join(folder, path), columns: { id: 'key', lead_score: 'score' }, compared: {} },
  });
  return { source, name: 'crm', close: async () => { await source.close(); await rm(folder, { recursive: true }); } };
}

const keyless = (rows: readonly Person[]): Person[] => rows.map((person, i) => ({ ...person, key: (i % 9 === 0 ? null : i) as never }));

describe('parquet files', () => {
  describe('with a text key, one file', () => sourceSuite(() => host('VARCHAR', people(), 'people.parquet', (folder) => [`COPY people TO '${folder}/people.parquet' (ROW_GROUP_SIZE 128)`]), { runs: 40 }));
  describe('with a key of numbers, some missing, in folders by country', () => sourceSuite(
    () => host('BIGINT', keyless(people()), 'by/**/*.parquet', (folder) => [`COPY people TO '${folder}/by' (FORMAT parquet, PARTITION_BY (country))`]), { runs: 25 }));
  describe('of different columns, in one folder', () => sourceSuite(
    () => host('VARCHAR', people(), 'parts', (folder) => [
      `COPY (SELECT * REPLACE (timezone('UTC', updated_at) AS updated_at) FROM people WHERE score IS NOT NULL) TO '${folder}/parts/a''b[1].parquet'`,
      `COPY (SELECT * EXCLUDE (score) REPLACE (timezone('UTC', updated_at) AS updated_at) FROM people WHERE score IS NULL) TO '${folder}/parts/{z}*.parquet'`,
    ]), { runs: 25 }));
});
