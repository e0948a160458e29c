import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { ClickhouseServer, NO_CLICKHOUSE } from '../support/servers/clickhouse.ts';
import { serveFindApi } from '../support/servers/find_api.ts';
import { NO_POSTGRES, PostgresServer } from '../support/servers/postgres.ts';
import { RunningService } from './service.ts';

export type Person = {
  readonly id: string; readonly full_name: string; readonly email: string;
  readonly company_domain: string; readonly linkedin_url: string;
  readonly country: string; readonly city: string; readonly headline: string;
};
const COLUMNS = ['id', 'full_name', 'email', 'company_domain', 'linkedin_url', 'country', 'city', 'headline'] as const;

/** A source of one kind that holds the people; a new kind joins the tests of suppression by one more of these. */
type Suppressible = {
  readonly name: string;
  readonly skip: string | false;
  /** Whether it counts the facets of more rows than can be read for it. */
  readonly countsMany: boolean;
  /** `entry`: its line of the configuration. `fill` gives it the people anew, as an owner would who knows nothing of suppressions. */
  open(folder: string): Promise<{ readonly entry: string; fill(service: RunningService, people: readonly Person[]): Promise<void>; stop(): Promise<void> }>;
};

const csvOf = (people: readonly Person[]): string => people.map((one) => COLUMNS.map((name) => one[name]).join(',')).join('\n');

async function ingest(service: RunningService, folder: string, people: readonly Person[]): Promise<void> {
  const file = join(folder, 'people.csv');
  writeFileSync(file, `${COLUMNS.join(',')}\n${csvOf(people)}\n`);
  await service.ingest('lake', file, { mode: 'replace' });
}

const lake: Suppressible = {
  name: 'lake',
  skip: false,
  countsMany: true,
  open: (folder) => Promise.resolve({
    entry: '{ name: lake, dataset: contacts, kind: lake }',
    fill: (service, people) => ingest(service, folder, people),
    stop: () => Promise.resolve(),
  }),
};

const parquet: Suppressible = {
  name: 'parquet',
  skip: false,
  countsMany: true,
  async open(folder) {
    const files = join(folder, 'parquet');
    mkdirSync(files);
    const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
    const writer = await instance.connect();
    return {
      entry: `{ name: parquet, dataset: contacts, kind: parquet, path: "${files}/*.parquet" }`,
      async fill(_, people) {
        const csv = join(files, 'people.csv');
        writeFileSync(csv, `${COLUMNS.join(',')}\n${csvOf(people)}\n`);
        await writer.run(`COPY (FROM read_csv('${csv}', header = true, all_varchar = true)) TO '${files}/people.new'(FORMAT parquet)`);
        renameSync(join(files, 'people.new'), join(files, 'people.parquet'));
      },
      stop() {
        writer.closeSync();
        instance.closeSync();
        return Promise.resolve();
      },
    };
  },
};

const postgres: Suppressible = {
  name: 'postgres',
  skip: NO_POSTGRES,
  countsMany: true,
  async open() {
    const server = await PostgresServer.start();
    await server.query(`CREATE TABLE people (${COLUMNS.map((name) => `${name} text`).join(', ')})`);
    return {
      entry: `{ name: postgres, dataset: contacts, kind: postgres, url: "${server.url}", table: people }`,
      async fill(_, people) {
        const columns = COLUMNS.join(', ');
        await server.query('TRUNCATE people');
        await server.query(`INSERT INTO people (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::people, $1)`, [JSON.stringify(people)]);
      },
      stop: () => server.stop(),
    };
  },
};

const clickhouse: Suppressible = {
  name: 'clickhouse',
  skip: NO_CLICKHOUSE,
  countsMany: true,
  async open() {
    const server = await ClickhouseServer.start();
    await server.query(`CREATE TABLE people (${COLUMNS.map((name) => `${name} String`).join(', ')}) ENGINE = MergeTree ORDER BY id`);
    return {
      entry: `{ name: clickhouse, dataset: contacts, kind: clickhouse, url: "${server.url}", table: people }`,
      async fill(_, people) {
        await server.query('TRUNCATE TABLE people');
        await server.query('INSERT INTO people FORMAT CSV', csvOf(people));
      },
      stop: () => server.stop(),
    };
  },
};

/** Another gateway over a lake of its own, which knows of no suppression. */
const gateway: Suppressible = {
  name: 'gateway',
  skip: false,
  countsMany: true,
  async open(folder) {
    const own = join(folder, 'gateway');
    mkdirSync(own);
    const config = join(own, 'config.yaml');
    writeFileSync(config, 'sources:\n  - { name: lake, dataset: contacts, kind: lake }\n');
    const far = await RunningService.start({ LDS_CONFIG: config, LDS_DEMO: '0', LDS_LOG_LEVEL: 'warn' }, own);
    return {
      entry: `{ name: gateway, dataset: contacts, kind: http, url: "${far.url}/v1/find", headers: { authorization: "Bearer ${far.key}" } }`,
      fill: (_, people) => ingest(far, own, people),
      async stop() { await far.stop(); },
    };
  },
};

/** An API that is no gateway: it keeps no order, and is read whole for every page. */
const api: Suppressible = {
  name: 'api',
  skip: false,
  countsMany: false,
  async open() {
    const rows: Person[] = [];
    const server = await serveFindApi(rows);
    return {
      entry: `{ name: api, dataset: contacts, kind: http, url: "${server.url}" }`,
      fill(_, people) {
        rows.splice(0, rows.length, ...people);
        return Promise.resolve();
      },
      stop: () => server.close(),
    };
  },
};

export const SUPPRESSIBLE: readonly Suppressible[] = [lake, parquet, postgres, clickhouse, gateway, api];
