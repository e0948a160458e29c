import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { vocabulary } from '../../../src/model/vocabulary.ts';
import { TableColumns } from '../../../src/sources/postgres/columns.ts';
import { phasesOf, rowsStatement, type PostgresTable } from '../../../src/sources/postgres/query.ts';
import type { RowsRequest } from '../../../src/sources/source.ts';
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

  async function planOf(request: Partial<RowsRequest>, fromKey: string | null): Promise<string> {
    const whole: RowsRequest = { filters: [], terms: [], order: 'stored', from: null, fields: null, rowsWanted: 26, ...request };
    const { text, values } = rowsStatement(table, whole, { phase: phasesOf(table, whole.order)[0]!, fromKey, rowsMax: 26 });
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

  it('narrows by the index of a compared column', async () => {
    const plan = await planOf({ order: 'identity', filters: [{ kind: 'terms', name: 'country', include: ['DE'], exclude: [] }] }, null);
    assert.match(plan, /by_country/);
  });
});
