import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import type { Cutting } from '../../../src/ingest/cut.ts';
import type { Keeping } from '../../../src/ingest/rewritten.ts';
import { ingest } from '../../support/ingested.ts';
import { ClickhouseServer, NO_CLICKHOUSE } from '../../support/servers/clickhouse.ts';
import { serveFindApi } from '../../support/servers/find_api.ts';
import { NO_POSTGRES, PostgresServer } from '../../support/servers/postgres.ts';
import { RunningService } from '../../system/service.ts';
import type { Stored } from './people.ts';

/** A source as it stands in the configuration; `null` where its server is not installed. */
export type Opened = { readonly entry: string; stop(): Promise<void> };
type Opener = (name: string, rows: readonly Stored[], folder: string) => Promise<Opened | null>;

const TEXTS = ['id', 'full_name', 'job_title', 'seniority', 'department', 'email', 'phone', 'linkedin_url', 'country', 'region', 'city', 'company_name', 'company_domain', 'industry'] as const;
/** Every few rows a segment of its own, so that one identity lies in several. */
const IN_PIECES: Cutting = { rowsMin: 1, threads: 4, bytesMax: 1e9 };
const IN_ONE: Cutting = { rowsMin: 1e9, threads: 1, bytesMax: 1e9 };

const ndjson = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
const nothing = (): Promise<void> => Promise.resolve();

/** However much of a segment is gone: it stays. */
const ALL_KEPT: Keeping = { smallRowsMax: 0, ratio: 0, goneShareMax: 1 };

/** Rows that come bit by bit: some are outdated at first, some come late, and so one identity lies in several segments, and who is gone of one may live in another. */
function changedLake(cutting: Cutting): Opener {
  return async (name, rows, folder) => {
    const isLate = (at: number): boolean => at % 3 === 0;
    const isOutdated = (at: number): boolean => at % 4 === 1;
    const steps = [
      rows.map((row, at) => (isOutdated(at) ? { ...rows[(at + 1) % rows.length]!, id: row.id } : row)).filter((_, at) => !isLate(at)),
      rows.filter((_, at) => isLate(at) || isOutdated(at)),
    ];
    for (const [nth, step] of steps.entries()) {
      const file = join(folder, `${name}-${nth}.ndjson`);
      writeFileSync(file, ndjson(step));
      await ingest(join(folder, 'data'), name, file, { cutting, keeping: ALL_KEPT });
    }
    return { entry: `{ name: ${name}, dataset: contacts, kind: lake }`, stop: nothing };
  };
}

function lake(cutting: Cutting): Opener {
  return async (name, rows, folder) => {
    const file = join(folder, `${name}.ndjson`);
    writeFileSync(file, ndjson(rows));
    await ingest(join(folder, 'data'), name, file, { cutting });
    return { entry: `{ name: ${name}, dataset: contacts, kind: lake }`, stop: nothing };
  };
}

const postgres: Opener = async (name, rows) => {
  if (NO_POSTGRES !== false) return null;
  const server = await PostgresServer.start();
  await server.query(`CREATE TABLE people (${TEXTS.map((column) => `${column} text`).join(', ')}, skills jsonb, updated_at timestamptz)`);
  await server.query('INSERT INTO people SELECT * FROM json_populate_recordset(NULL::people, $1)', [JSON.stringify(rows)]);
  return { entry: `{ name: ${name}, dataset: contacts, kind: postgres, url: "${server.url}", table: people }`, stop: () => server.stop() };
};

const clickhouse: Opener = async (name, rows) => {
  if (NO_CLICKHOUSE !== false) return null;
  const server = await ClickhouseServer.start();
  await server.query(`CREATE TABLE people (${TEXTS.map((column) => `${column} String`).join(', ')}, skills Array(String), updated_at Nullable(DateTime)) ENGINE = MergeTree ORDER BY tuple()`);
  const lines = rows.map((row) => ({
    ...Object.fromEntries(TEXTS.map((column) => [column, row[column] ?? ''])),
    skills: row.skills ?? [], updated_at: row.updated_at === null ? null : Date.parse(row.updated_at) / 1_000,
  }));
  await server.query('INSERT INTO people FORMAT JSONEachRow', ndjson(lines));
  return { entry: `{ name: ${name}, dataset: contacts, kind: clickhouse, url: "${server.url}", table: people }`, stop: () => server.stop() };
};

const parquet: Opener = async (name, rows, folder) => {
  const files = join(folder, name);
  mkdirSync(files);
  const [json, instance] = [join(folder, `${name}.json`), await DuckDBInstance.create(':memory:', { threads: '1' })];
  writeFileSync(json, ndjson(rows));
  const writer = await instance.connect();
  const columns = `{${TEXTS.map((column) => `${column}: 'VARCHAR'`).join(', ')}, skills: 'VARCHAR[]', updated_at: 'TIMESTAMP'}`;
  for (const part of [0, 1]) await writer.run(`COPY (SELECT * FROM read_json('${json}', columns = ${columns}, format = 'newline_delimited') WHERE hash(id) % 2 = ${part}) TO '${files}/${part}.parquet' (FORMAT parquet)`);
  writer.closeSync();
  instance.closeSync();
  return { entry: `{ name: ${name}, dataset: contacts, kind: parquet, path: "${files}/*.parquet" }`, stop: nothing };
};

/** An API that is no gateway: its rows come as they lie, some without an id. */
const api: Opener = async (name, rows) => {
  const server = await serveFindApi(rows.map((row, at) => (at % 3 === 0 ? { ...row, id: null } : row)) as never);
  return { entry: `{ name: ${name}, dataset: contacts, kind: http, url: "${server.url}" }`, stop: () => server.close() };
};

/** Another gateway, over two lakes and a table that share people. */
const gateway: Opener = async (name, rows, folder) => {
  const own = join(folder, name);
  mkdirSync(own);
  await lake(IN_PIECES)('left', rows.filter((_, at) => at % 3 !== 0), own);
  await lake(IN_ONE)('right', rows.filter((_, at) => at % 3 !== 1), own);
  const config = join(own, 'config.yaml');
  const table = (await parquet('table', rows.filter((_, at) => at % 3 === 2), own))!;
  writeFileSync(config, `demo: false\nsources:\n  - ${table.entry}\n`);
  const far = await RunningService.start({ LDS_CONFIG: config, LDS_DEMO: '0', LDS_LOG_LEVEL: 'warn' }, own);
  return { entry: `{ name: ${name}, dataset: contacts, kind: http, url: "${far.url}/v1/find", headers: { authorization: "Bearer ${far.key}" } }`, stop: async () => { await far.stop(true); } };
};

/** In the order of their precedence: that of the configuration, and the lake that it does not name last. */
export const OPENERS: readonly (readonly [name: string, open: Opener, declared: boolean])[] = [
  ['files', parquet, true], ['parts', changedLake(IN_PIECES), true], ['registry', postgres, true], ['partner', api, true],
  ['warehouse', clickhouse, true], ['gateway', gateway, true], ['alone', changedLake(IN_ONE), false],
];
