import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ClickhouseServer, NO_CLICKHOUSE } from '../support/servers/clickhouse.ts';
import { NO_POSTGRES, PostgresServer } from '../support/servers/postgres.ts';
import type { RunningService } from './service.ts';

export type Person = { readonly id: string; readonly full_name: string; readonly email: string; readonly company_domain: string; readonly linkedin_url: string; readonly country: string; readonly city: string; readonly headline: string };
export const COLUMNS = ['id', 'full_name', 'email', 'company_domain', 'linkedin_url', 'country', 'city', 'headline'] as const;

/** A source of one kind that holds the people; a new kind joins the tests of suppression by one more of these. */
export type Suppressible = {
  readonly name: string;
  readonly skip: string | false;
  /** `entry`: its line of the configuration. `fill` gives it the people anew, as an owner would who knows nothing of suppressions. */
  open(folder: string): Promise<{ readonly entry: string; fill(service: RunningService, people: readonly Person[]): Promise<void>; stop(): Promise<void> }>;
};

const MAIN = join(import.meta.dirname, '../../src/main.js');

const csvOf = (people: readonly Person[]): string => people.map((one) => COLUMNS.map((name) => one[name]).join(',')).join('\n');

const lake: Suppressible = {
  name: 'lake',
  skip: false,
  open: (folder) => Promise.resolve({
    entry: '{ name: lake, dataset: contacts, kind: lake }',
    async fill(service, people) {
      const file = join(folder, 'people.csv');
      writeFileSync(file, `${COLUMNS.join(',')}\n${csvOf(people)}\n`);
      // Beside this process: connections that the service closes meanwhile are seen to be closed.
      await promisify(execFile)(process.execPath, [MAIN, 'ingest', file, '--dataset', 'contacts', '--source', 'lake', '--mode', 'replace'], { env: service.env });
    },
    stop: () => Promise.resolve(),
  }),
};

const postgres: Suppressible = {
  name: 'postgres',
  skip: NO_POSTGRES,
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

export const SUPPRESSIBLE: readonly Suppressible[] = [lake, postgres, clickhouse];
