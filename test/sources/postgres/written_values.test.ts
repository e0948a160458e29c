import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { vocabulary } from '../../../src/model/vocabulary.ts';
import { TableColumns } from '../../../src/sources/postgres/columns.ts';
import { literal } from '../../../src/sources/postgres/dialect.ts';
import { openPostgres } from '../../../src/sources/postgres/open.ts';
import type { ForeignSource, Search, SourceFailure } from '../../../src/sources/source.ts';
import { assertExact, including, rowsOf } from '../../contract/sources/odd_texts.ts';
import { NO_POSTGRES, PostgresServer } from '../../support/servers/postgres.ts';
import { WRITTEN_TIMES } from '../sql/written_times.ts';
import { assertWalks, CONTACTS, shown, withOddTable } from './odd_table.ts';

const COMPANIES = vocabulary('companies');
const NEVER = new AbortController().signal;

describe('columns of postgres that are no texts, where a field is one', { skip: NO_POSTGRES }, () => {
  let server: PostgresServer;
  before(async () => { server = await PostgresServer.start(); }, { timeout: 180_000 });
  after(() => server.stop());

  const withSource = (definition: string, use: (source: ForeignSource) => Promise<void>): Promise<void> => withOddTable(server, definition, { id: 'key' }, use);

  it('shows what JSON says, texts without their quotes, of lists the first, and its null as none, and none for what is no number', async () => {
    const said: readonly (readonly [json: string, text: string | null])[] = [
      ['"J\u00fcrgen \\"J\\""', 'J\u00fcrgen "J"'], ['null', null], ['12', '12'], ['true', 'true'], ['" "', null], ['["a", "b"]', 'a'], ['[null, " "]', null], ['{"a": 1}', '{"a": 1}'], ['"US"', 'US'],
    ];
    const values = said.map(([json], at) => `(${at}, E${literal(json.replaceAll('\\', '\\\\'))}, ${literal(json === '"US"' ? json : 'null')})`).join(', ');
    for (const type of ['json', 'jsonb']) {
      await withSource(`CREATE TABLE odd (key int PRIMARY KEY, full_name ${type}, country ${type}); INSERT INTO odd VALUES ${values}`, async (source) => {
        const rows = await shown(source);
        assert.deepEqual(rows.map((row) => row['full_name']), said.map(([, text]) => text), type);
        assert.equal(rows.at(-1)!['country'], 'US');
        await assertExact(source, CONTACTS, [{ filters: [], terms: [{ kind: 'word', words: ['jurgen'], negated: false }] }, { filters: [including('country', 'US')], terms: [] }]);
        await assertWalks(source);
      });
    }
    const unspeakable = String.raw`"\\ud800"`;
    await withSource(`CREATE TABLE odd (key int PRIMARY KEY, full_name json); INSERT INTO odd VALUES (1, E'${unspeakable}'), (2, '"Ann"')`, async (source) => {
      assert.deepEqual((await shown(source)).map((row) => row['full_name']), [String.raw`"\ud800"`, 'Ann']);
    });
    for (const type of ['real', 'double precision', 'numeric']) {
      await withSource(`CREATE TABLE odd (key int PRIMARY KEY, postal_code ${type}); INSERT INTO odd VALUES (1, 'NaN'), (2, '-Infinity'), (3, 10115), (4, 1.5), (5, NULL)`, async (source) => {
        assert.deepEqual((await shown(source)).map((row) => row['postal_code']), [null, null, '10115', '1.5', null], type);
      });
    }
  });

  it('rounds fractions and money where a field is a whole number, as a lake does, and finds and counts the row by that', async () => {
    const definition = `CREATE TABLE odd (key int PRIMARY KEY, money money, numeric numeric(14, 2), double float8, single real, text text, json jsonb);
      INSERT INTO odd SELECT i, v::numeric::money, v::numeric, v::float8, v::real, v, v::jsonb FROM unnest(ARRAY['1250000.55', '2.5', '-2.5', '0.49', NULL]) WITH ORDINALITY u(v, i);
      INSERT INTO odd (key, text) VALUES (6, '7.'), (7, '1,5'), (8, '999999999999999.4')`;
    await server.query(`DROP TABLE IF EXISTS odd CASCADE; ${definition}`);
    for (const column of ['money', 'numeric', 'double', 'single', 'text', 'json']) {
      const columns = { id: 'key', employee_count: column };
      // A role may have all its reals cut to six digits.
      const url = `${server.url}?options=-c%20extra_float_digits%3D0`;
      const config = { name: 'odd', dataset: 'companies', kind: 'postgres', url, table: 'public.odd', columns, compared: {}, connect_timeout_ms: 10_000 } as const;
      const source = openPostgres({ vocabulary: COMPANIES, config });
      const others = column === 'text' ? [7, null, 999_999_999_999_999] : [null, null, null];
      assert.deepEqual((await shown(source)).map((row) => row['employee_count']), [1_250_001, 3, -2, 0, null, ...others], column);
      const within = (min: number, max: number): Search => ({ filters: [{ kind: 'intervals', name: 'employee_count', include: [[min, max]], exclude: [] }], terms: [] });
      await assertExact(source, COMPANIES, [within(3, 3), within(2.5, 2.9), within(-2, 0)]);
      await source.close();
    }
  });

  it('shows the address of a host as the server writes it, and finds it so', async () => {
    const addresses = ['10.0.0.1', '10.0.0.1/24', '10.0.0.0/8', '::1', 'fe80::1/64'];
    await withSource(`CREATE TABLE odd (key int PRIMARY KEY, city inet); INSERT INTO odd SELECT i, v::inet FROM unnest(ARRAY['${addresses.join("', '")}']) WITH ORDINALITY u(v, i)`, async (source) => {
      assert.deepEqual((await shown(source)).map((row) => row['city']), addresses);
      assert.equal((await rowsOf(source, { filters: [including('city', '10.0.0.1', '::1')] })).filter(({ sure }) => sure).length, 2);
    });
  });

  it('shows no time of texts that is none, and counts none', async () => {
    const values = WRITTEN_TIMES.map(([text], at) => `(${at}, ${literal(text)})`).join(', ');
    await withSource(`CREATE TABLE odd (key int PRIMARY KEY, updated_at text); INSERT INTO odd VALUES ${values}`, async (source) => {
      assert.deepEqual((await shown(source)).map((row) => row['updated_at']), WRITTEN_TIMES.map(([, time]) => time));
      assert.equal((await source.figures(NEVER)).updatedAt, '2024-12-01T00:00:00.12Z');
      await server.query("INSERT INTO odd VALUES (98, '2025-01-01T00:00:00Z'), (99, '2025-01-01T00:00:00.5Z')");
      assert.equal((await source.figures(NEVER)).updatedAt, '2025-01-01T00:00:00.5Z');
      await server.query('DELETE FROM odd WHERE key >= 98');
      assert.equal((await source.facet('updated_at', { filters: [], terms: [] }, NEVER))!.values.length, WRITTEN_TIMES.filter(([, time]) => time !== null).length);
    });
  });

  it('asks for no infinity as a number, which a numeric of servers before 14 has not', () => {
    const columns = new TableColumns(CONTACTS, { columns: {}, compared: {} }, [{ name: 'phone', type: 'numeric', category: 'N', required: false }]);
    const compared = [...columns.over({ table: 'odd', source: 'odd' }, `SELECT ${columns.value('phone')}, d."~phone" FROM `, '').matchAll(/(\S+) NOT IN \('NaN'/g)].map(([, value]) => value);
    assert.deepEqual([...new Set(compared)], ['t."phone"::text']);
  });

  it('is told by the beginning of what the server says of a value that it cannot read, however long that is', async () => {
    const unreadable = "CREATE VIEW odd AS SELECT 1 AS key, (repeat('\"x\" ', 100000))::integer AS city";
    await withSource(unreadable, async (source) => {
      await assert.rejects(rowsOf(source), ({ code, message }: SourceFailure) => code === 'refused' && message.startsWith('22P02 invalid input syntax') && message.length < 1_000);
    });
    await server.query('DROP VIEW odd');
  });

  it('shows the first item of an array where a field has one value, and finds, counts and orders the row by it', async () => {
    const definition = `CREATE TABLE odd (key text[], email text[], phone bigint[], country varchar[]);
      INSERT INTO odd VALUES ('{k1}', '{NULL," ",Z@x.org,b@x.org}', '{}', '{de,fr}'), ('{k2}', '{}', '{4930901820,1}', NULL)`;
    await withSource(definition, async (source) => {
      assert.deepEqual((await shown(source)).map(({ id, email, phone, country }) => [id, email, phone, country]), [['odd:k1', 'z@x.org', null, 'DE'], ['odd:k2', null, '4930901820', null]]);
      for (const [name, value] of [['id', 'odd:k1'], ['email', 'z@x.org'], ['email_domain', 'x.org'], ['country', 'DE']] as const) {
        await assertExact(source, CONTACTS, [{ filters: [including(name, value)], terms: [] }]);
      }
      assert.deepEqual((await rowsOf(source, { order: 'identity' })).map(({ key }) => key), ['z@x.org', 'odd:k2']);
      await assertWalks(source);
    });
  });

  it('shows a time as a list of it where a field is one, and finds the row by it', async () => {
    const words = vocabulary('contacts', [{ name: 'seen', type: 'strings', description: 'when' }]);
    await server.query("DROP TABLE IF EXISTS odd; CREATE TABLE odd (key int PRIMARY KEY, seen date); INSERT INTO odd VALUES (1, '2024-01-31'), (2, NULL)");
    const config = { name: 'odd', dataset: 'contacts', kind: 'postgres', url: server.url, table: 'odd', columns: { id: 'key' }, compared: {}, connect_timeout_ms: 10_000 } as const;
    const source = openPostgres({ vocabulary: words, config });
    assert.deepEqual((await shown(source)).map(({ seen }) => seen), [['2024-01-31'], null]);
    await assertExact(source, words, [{ filters: [including('seen', '2024-01-31')], terms: [] }]);
    await source.close();
  });
});
