import { describe } from 'node:test';
import { openSource } from '../../../src/sources/open.ts';
import { NO_POSTGRES, PostgresServer } from '../../support/servers/postgres.ts';
import { PostgresShards } from '../../support/servers/postgres_shards.ts';
import { people, type Person } from './people.ts';
import { sourceSuite, WORDS, type Hosted } from './source_suite.ts';

const COLUMNS = `key %, full_name text, job_title varchar(200), seniority text, email text, phone text, linkedin_url text, country char(8), city text, company_name text,
  skills text[], updated_at timestamptz, score smallint`;

async function host(keyType: string, rows: readonly Person[]): Promise<Hosted> {
  const server = await PostgresServer.start();
  await server.query(`CREATE TABLE people (${COLUMNS.replace('%', keyType)})`);
  await server.query('INSERT INTO people SELECT * FROM jsonb_populate_recordset(NULL::people, $1::jsonb)', [JSON.stringify(rows)]);
  const source = openSource({
    vocabulary: WORDS,
    config: { name: 'crm', dataset: 'contacts', kind: 'postgres', url: server.url, table: 'public.people', columns: { id: 'key', lead_score: 'score' }, compared: {}, connect_timeout_ms: 10_000 },
  });
  return { source, name: 'crm', close: async () => { await source.close(); await server.stop(); } };
}

/** The same over two servers, each text by its bytes so that what can be is worked out over there. */
async function hostShards(rows: readonly Person[]): Promise<Hosted> {
  const shards = await PostgresShards.start(2);
  await shards.create('people', COLUMNS.replace('key %', 'id text NOT NULL').replace(/\b(text|varchar\(200\))(?=,| NOT)/g, '$1 COLLATE "C"'), ['email, id']);
  await shards.front.query('INSERT INTO people SELECT * FROM jsonb_populate_recordset(NULL::people, $1::jsonb)', [JSON.stringify(rows.map(({ key, ...row }) => ({ id: key, ...row })))]);
  const source = openSource({
    vocabulary: WORDS,
    config: { name: 'crm', dataset: 'contacts', kind: 'postgres', url: shards.front.url, table: 'public.people', columns: { lead_score: 'score' }, compared: {}, connect_timeout_ms: 10_000 },
  });
  return { source, name: 'crm', close: async () => { await source.close(); await shards.stop(); } };
}

describe('a postgres table', { skip: NO_POSTGRES }, () => {
  describe('with a text key', () => sourceSuite(() => host('text PRIMARY KEY', people())));
  describe('with a key of numbers, some missing', () => sourceSuite(() => host('bigint', people().map((person, i) => ({ ...person, key: i % 9 === 0 ? null! : String(i) }))), { runs: 40 }));
  describe('over two servers', () => sourceSuite(() => hostShards(people()), { runs: 40 }));
});
