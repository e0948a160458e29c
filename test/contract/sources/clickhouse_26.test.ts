import { describe } from 'node:test';
import { openSource } from '../../../src/sources/open.ts';
import { ChdbServer } from '../../support/servers/chdb.ts';
import { people } from './people.ts';
import { sourceSuite, WORDS, type Hosted } from './source_suite.ts';

const COLUMNS = `key String, full_name Nullable(String), job_title LowCardinality(Nullable(String)), seniority Nullable(String), email Nullable(String), phone String,
  linkedin_url Nullable(String), country LowCardinality(String), city String, company_name Nullable(String), skills Array(String), updated_at Nullable(DateTime), score Nullable(Int16)`;

async function host(): Promise<Hosted> {
  const server = await ChdbServer.start();
  server.query(`CREATE TABLE people (${COLUMNS}) ENGINE = MergeTree ORDER BY key`);
  const lines = people().map((row) => JSON.stringify({
    ...row, phone: row.phone ?? '', city: row.city ?? '', country: row.country ?? '', skills: row.skills ?? [],
    updated_at: row.updated_at === null ? null : Math.floor(Date.parse(row.updated_at) / 1_000),
  }));
  server.query(`INSERT INTO people FORMAT JSONEachRow ${lines.join('\n')}`);
  const source = openSource({
    vocabulary: WORDS,
    config: { name: 'crm', dataset: 'contacts', kind: 'clickhouse', url: server.url, table: 'people', columns: { id: 'key', lead_score: 'score' }, compared: {}, connect_timeout_ms: 10_000 },
  });
  return { source, name: 'crm', close: async () => { await source.close(); await server.stop(); } };
}

describe('a table of clickhouse 26', () => sourceSuite(host, { runs: 40 }));
