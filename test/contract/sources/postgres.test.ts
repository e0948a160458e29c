import { describe } from 'node:test';
import { openPostgres } from '../../../src/sources/postgres/open.ts';
import { NO_POSTGRES, PostgresServer } from '../../support/servers/postgres.ts';
import { people, type Person } from './people.ts';
import { sourceSuite, WORDS, type Hosted } from './source_suite.ts';

const COLUMNS = `key %, full_name text, job_title varchar(200), seniority text, email text, phone text, linkedin_url text, country char(8), city text, company_name text,
  skills text[], updated_at timestamptz, score smallint`;

async function host(keyType: string, rows: readonly Person[]): Promise<Hosted> {
  const server = await PostgresServer.start();
  await server.query(`CREATE TABLE people (${COLUMNS.replace('%', keyType)})`);
  await server.query('INSERT INTO people SELECT * FROM jsonb_populate_recordset(NULL::people, $1::jsonb)', [JSON.stringify(rows)]);
  const source = openPostgres({
    vocabulary: WORDS,
    config: { name: 'crm', dataset: 'contacts', kind: 'postgres', url: server.url, table: 'public.people', columns: { id: 'key', lead_score: 'score' }, compared: {} },
  });
  return { source, name: 'crm', close: async () => { await source.close(); await server.stop(); } };
}

describe('a postgres table', { skip: NO_POSTGRES }, () => {
  describe('with a text key', () => sourceSuite(() => host('text PRIMARY KEY', people())));
  describe('with a key of numbers, some missing', () => sourceSuite(() => host('bigint', people().map((person, i) => ({ ...person, key: i % 9 === 0 ? null! : String(i) }))), { runs: 40 }));
});
