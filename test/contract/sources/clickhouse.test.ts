import { describe } from 'node:test';
import { openSource } from '../../../src/sources/open.ts';
import { ClickhouseServer, NO_CLICKHOUSE } from '../../support/servers/clickhouse.ts';
import { people, type Person } from './people.ts';
import { sourceSuite, WORDS, type Hosted } from './source_suite.ts';

const COLUMNS = `key %, full_name Nullable(String), job_title Nullable(String), seniority Nullable(String), email Nullable(String), phone String, linkedin_url Nullable(String),
  country Nullable(FixedString(10)), city String, company_name Nullable(String), skills Array(String), updated_at Nullable(DateTime), score Nullable(Int16)`;

async function host(keyType: string, rows: readonly Person[]): Promise<Hosted> {
  const server = await ClickhouseServer.start();
  await server.query(`CREATE TABLE people (${COLUMNS.replace('%', keyType)}) ENGINE = MergeTree ORDER BY tuple()`);
  const lines = rows.map((row) => JSON.stringify({
    ...row, phone: row.phone ?? '', city: row.city ?? '', skills: row.skills ?? [],
    updated_at: row.updated_at === null ? null : Math.floor(Date.parse(row.updated_at) / 1_000),
  }));
  await server.query('INSERT INTO people FORMAT JSONEachRow', lines.join('\n'));
  const source = openSource({
    vocabulary: WORDS,
    config: { name: 'crm', dataset: 'contacts', kind: 'clickhouse', url: server.url, table: 'default.people', columns: { id: 'key', lead_score: 'score' }, compared: {}, connect_timeout_ms: 10_000 },
  });
  return { source, name: 'crm', close: async () => { await source.close(); await server.stop(); } };
}

describe('a clickhouse table', { skip: NO_CLICKHOUSE }, () => {
  describe('with a text key', () => sourceSuite(() => host('String', people())));
  describe('with a key of numbers, some missing', () => sourceSuite(
    () => host('Nullable(UInt64)', people().map((person, i) => ({ ...person, key: (i % 9 === 0 ? null : i) as never }))),
    { runs: 30 }
  ));
});
