import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { vocabulary } from '../../../src/model/vocabulary.ts';
import { TableColumns } from '../../../src/sources/postgres/columns.ts';
import { openPostgres } from '../../../src/sources/postgres/open.ts';
import { phasesOf, rowsStatement, type PostgresTable } from '../../../src/sources/postgres/query.ts';
import type { RowsRequest, Search } from '../../../src/sources/source.ts';
import { readRow } from '../../../src/worker/foreign/read_row.ts';
import { including, rowsOf } from '../../contract/sources/odd_texts.ts';
import { NO_POSTGRES, PostgresServer } from '../../support/servers/postgres.ts';

describe('a postgres table with the indexes that the documentation names', { skip: NO_POSTGRES }, () => {
  let server: PostgresServer;
  let table: PostgresTable;

  before(async () => {
    server = await PostgresServer.start();
    await server.query(`
      CREATE TABLE people (person_id bigint PRIMARY KEY, email_lower text, country_code text, city text);
      INSERT INTO people SELECT i, 'p' || md5(i::text) || '@x.org', CASE WHEN i % 100 = 0 THEN 'DE' ELSE 'US' END, 'Berlin' FROM generate_series(1, 20000) i;
      CREATE INDEX by_country ON people (country_code COLLATE "C");
      CREATE INDEX by_email ON people (email_lower COLLATE "C");
      ANALYZE people`);
    const columns = ['person_id bigint N true', 'email_lower text S false', 'country_code text S false', 'city text S false'].map((line) => {
      const [name, type, category, required] = line.split(' ');
      return { name: name!, type: type!, category: category!, required: required === 'true' };
    });
    const mapping = { columns: { id: 'person_id', email: 'email_lower', country: 'country_code' }, compared: { country: 'country_code', email: 'email_lower' } };
    table = { source: 'registry', table: '"people"', partitions: null, columns: new TableColumns(vocabulary('contacts'), mapping, columns) };
  }, { timeout: 180_000 });
  after(() => server.stop());

  async function planOf(request: Partial<RowsRequest>, fromKey: string | null, searched = table): Promise<string> {
    const whole: RowsRequest = { filters: [], terms: [], order: 'stored', from: null, fields: null, rowsWanted: 26, ...request };
    const { text, values } = rowsStatement(searched, whole, { phase: phasesOf(searched, whole.order)[0]!, fromKey, rowsMax: 26 });
    return (await server.query(`EXPLAIN ${text}`, [...values])).map((line) => Object.values(line).join()).join('\n');
  }

  it('walks its primary key where it is searched alone', async () => {
    for (const from of [null, '17000']) assert.match(await planOf({}, from), /Index Scan using people_pkey/);
    assert.match(await planOf({}, '17000'), /Index Cond: \(person_id >= /);
  });

  it('walks the index of the identity where it is searched with others', async () => {
    for (const from of [null, 'pf']) assert.match(await planOf({ order: 'identity' }, from), /Index Scan using by_email/);
  });

  it('finds ids by its primary key', async () => {
    const plan = await planOf({ filters: [{ kind: 'terms', name: 'id', include: ['registry:17', 'registry:99999999999', 'other:1', 'registry:01', 'registry:x'], exclude: [] }] }, null);
    assert.match(plan, /Index Cond: \(person_id = ANY \('\{17,99999999999\}'::bigint\[\]\)\)/);
  });

  it('finds ids that are UUIDs by its primary key', async () => {
    await server.query("CREATE TABLE keyed (key uuid PRIMARY KEY, city text); INSERT INTO keyed SELECT md5(i::text)::uuid, 'Berlin' FROM generate_series(1, 20000) i; ANALYZE keyed");
    const config = { name: 'keyed', dataset: 'contacts', kind: 'postgres', url: server.url, table: 'keyed', columns: { id: 'key' }, compared: {}, connect_timeout_ms: 10_000 } as const;
    const source = openPostgres({ vocabulary: vocabulary('contacts'), config });
    const [{ key }] = await server.query("SELECT md5('17')::uuid::text AS key") as [{ key: string }];
    const ids = [key, `{${key}}`, key.replaceAll('-', ''), "'", '7'].map((each) => `keyed:${each}`);
    const asked = including('id', ...ids, `other:${key}`);
    assert.deepEqual((await rowsOf(source, { filters: [asked] })).map(({ json, sure }) => [readRow(json)['id'], sure]), [[`keyed:${key}`, true]]);
    const others: Search = { filters: [{ kind: 'terms', name: 'id', include: null, exclude: ids }], terms: [] };
    assert.deepEqual(await source.count(others, AbortSignal.timeout(60_000)), { sure: 19_999, unsure: [] });
    await source.close();
    const columns = new TableColumns(vocabulary('contacts'), config, [{ name: 'key', type: 'uuid', category: 'U', required: true }]);
    assert.match(await planOf({ filters: [asked] }, null, { source: 'keyed', table: '"keyed"', partitions: null, columns }), new RegExp(`Index Cond: \\(key = '${key}'::uuid\\)`));
  });

  it('narrows by the index of a compared column', async () => {
    const plan = await planOf({ order: 'identity', filters: [{ kind: 'terms', name: 'country', include: ['DE'], exclude: [] }] }, null);
    assert.match(plan, /by_country/);
  });

  it('walks an index of a compared column and the key where that has one value, and sorts nothing', async () => {
    await server.query(`CREATE TABLE abroad AS SELECT person_id, email_lower, city, substr('DEFRITESPLNLBEATCHSE', 1 + 2 * (person_id % 10)::integer, 2) AS country_code FROM people;
      CREATE INDEX by_country_and_key ON abroad (country_code COLLATE "C", person_id); ANALYZE abroad`);
    const asked = (...include: readonly string[]): Promise<string> =>
      planOf({ filters: [{ kind: 'terms', name: 'country', include, exclude: [] }] }, '17000', { ...table, table: '"abroad"' });
    const plan = await asked('DE');
    assert.match(plan, /Index Scan using by_country_and_key[^]*Index Cond: \(\(\(country_code\)::text = 'DE'::text\) AND \(person_id >= /);
    assert.doesNotMatch(plan, /Sort/);
    assert.match(await asked('DE', 'FR'), /'\{DE,FR\}'/);
  });
});
