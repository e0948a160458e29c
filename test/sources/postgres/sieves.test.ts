import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { LIMITS } from '../../../src/config/limits.ts';
import { fold } from '../../../src/lib/fold.ts';
import { vocabulary } from '../../../src/model/vocabulary.ts';
import { literal, POSTGRES } from '../../../src/sources/postgres/dialect.ts';
import { openPostgres } from '../../../src/sources/postgres/open.ts';
import type { ForeignSource, Search } from '../../../src/sources/source.ts';
import { assertExact, including } from '../../contract/sources/odd_texts.ts';
import { NO_POSTGRES, PostgresServer } from '../../support/servers/postgres.ts';
import { LISTS, OF_LISTS, searchesOf, TEXTS } from '../sql/sieved_texts.ts';
import { CONTACTS, shown, withOddTable } from './odd_table.ts';

const NEVER = new AbortController().signal;

describe('what is looked for in the stored texts of a postgres table before values are made of them', { skip: NO_POSTGRES }, () => {
  let server: PostgresServer;
  before(async () => { server = await PostgresServer.start(); }, { timeout: 180_000 });
  after(() => server.stop());

  const withTexts = (columns: string, texts: readonly string[], made: string, use: (source: ForeignSource) => Promise<void>): Promise<void> => {
    const rows = texts.map((text, at) => `(${at}, ${literal(text)})`).join(', ');
    return withOddTable(server, `CREATE TABLE odd (id int PRIMARY KEY, ${columns}); INSERT INTO odd SELECT i, ${made} FROM (VALUES ${rows}) v(i, text)`, {}, use);
  };

  it('leaves out no row whose value holds it', async () => {
    await withTexts('city text, email text', TEXTS, "text, CASE WHEN i % 7 = 0 THEN text ELSE 'a' || i || '@' || replace(text, ' ', '') END", async (source) => {
      assert.deepEqual((await shown(source)).map(({ city }) => city), TEXTS.map((text) => text.trim() || null));
      await assertExact(source, CONTACTS, searchesOf(LIMITS.sievedTextsMax));
    });
  });

  it('holds for lists, and for those that are texts, with escapes of JSON or without', async () => {
    await withTexts('skills text, city text[]', LISTS, 'text, ARRAY[NULL, text]', (source) => assertExact(source, CONTACTS, OF_LISTS));
    await withTexts('skills text[], city text[]', TEXTS, "ARRAY[text, 'Bonn'], ARRAY[' ', text, 'Bonn']", (source) => assertExact(source, CONTACTS, OF_LISTS));
    await withTexts('skills jsonb, city json', TEXTS, 'jsonb_build_array(text), json_build_array(NULL, text)', (source) => assertExact(source, CONTACTS, OF_LISTS));
  });

  it('knows of countries as they are written', async () => {
    const codes = ['DE', ' de ', 'de\u00a0', 'UK', 'gb', 'Gb\n', 'XX', 'D', 'DEU', '\u0131t', 'IT', '\u00df', 'SS', '', 'D E'];
    await withTexts('country text', codes, 'text', async (source) => {
      assert.deepEqual((await shown(source)).flatMap(({ country }) => country), ['DE', 'DE', 'DE', 'GB', 'GB', 'GB', null, null, null, null, 'IT', null, 'SS', null, null]);
      const asked = [['GB'], ['DE', 'IT'], ['SS'], ['XX'], ['UK']];
      await assertExact(source, CONTACTS, asked.flatMap((include): Search[] => [
        { filters: [including('country', ...include)], terms: [] }, { filters: [{ kind: 'terms', name: 'country', include: null, exclude: include }], terms: [] },
      ]));
    });
  });

  it('is told of rows without a text that they hold no word', async () => {
    await withTexts('skills jsonb, city numeric', ['1', '2', '3'], 'NULL, NULL', async (source) => {
      assert.deepEqual(await source.count({ filters: [], terms: [{ kind: 'word', words: ['москва'], negated: false }] }, NEVER), { sure: 0, unsure: [] });
    });
  });

  it('has names of its own beside those of any field', async () => {
    const extras = ['at', 'sure', 'code', 'key', 'native', 'apart'].map((name) => ({ name, type: 'timestamp' as const, description: name }));
    await server.query(`DROP TABLE IF EXISTS odd CASCADE; CREATE TABLE odd (id int PRIMARY KEY, country text, ${extras.map(({ name }) => `${name} timestamptz`).join(', ')});
      INSERT INTO odd VALUES (1, 'de', ${extras.map((_, at) => `'2024-01-0${at + 1}'`).join(', ')})`);
    const words = vocabulary('contacts', extras);
    const source = openPostgres({
      vocabulary: words, config: { name: 'odd', dataset: 'contacts', kind: 'postgres', url: server.url, table: 'public.odd', columns: {}, compared: {}, connect_timeout_ms: 10_000 },
    });
    const [row] = await shown(source);
    assert.deepEqual(extras.map(({ name }) => row![name]), extras.map((_, at) => `2024-01-0${at + 1}T00:00:00Z`));
    await assertExact(source, words, [{ filters: [including('country', 'DE')], terms: [] }]);
    await source.close();
  });

  it('shows which fields its rows have', async () => {
    await withTexts('city text, skills text, email text[], phone bigint', LISTS, 'NULLIF(text, \'\'), text, ARRAY[text], NULLIF(i % 3, 0)', async (source) => {
      const rows = await shown(source);
      const { fill } = await source.figures(NEVER);
      for (const field of ['city', 'skills', 'email', 'phone'] as const) {
        const having = rows.filter((row) => { const value = row[field]; return Array.isArray(value) ? value.length > 0 : value != null; }).length;
        assert.ok(having > 0 && having < rows.length && Math.abs(fill[field]! - having / rows.length) < 0.001, `${field}: ${fill[field]}, ${having} of ${rows.length}`);
      }
    });
  });

  it('knows of every sign that folds to letters or digits of ASCII', async () => {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    const signs = 'SELECT chr(i) AS sign FROM generate_series(128, 1114111) i WHERE i NOT BETWEEN 55296 AND 57343';
    const told = async (text: string): Promise<string[]> => (await client.query(`SELECT sign FROM (${signs}) s WHERE NOT ${POSTGRES.sieving!.mayFoldToAscii(text)}`)).rows.map(({ sign }: { readonly sign: string }) => sign);
    const apart = await told('sign');
    assert.ok(apart.length > 40_000 && ['Ж', 'λ', 'א', 'か', '京', '한'].every((sign) => apart.includes(sign)), `${apart.length}`);
    assert.deepEqual(apart.filter((sign) => /[a-z0-9]/.test(fold(sign))), []);
    const between = await told("'a' || sign || 'b'");
    assert.ok(between.includes('京') && between.includes('ア'), `${between.length}`);
    assert.deepEqual(between.filter((sign) => fold(`a${sign}b`) === 'ab'), []);
    await client.end();
  });
});
