import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { FieldType } from '../../../src/model/field.ts';
import { vocabulary } from '../../../src/model/vocabulary.ts';
import { openPostgres } from '../../../src/sources/postgres/open.ts';
import type { Search } from '../../../src/sources/source.ts';
import { assertExact, including } from '../../contract/sources/odd_texts.ts';
import { NO_POSTGRES, PostgresServer } from '../../support/servers/postgres.ts';
import { assertWalks, shown } from './odd_table.ts';

type Pair<T> = readonly [one: T, two: T];

const NEVER = new AbortController().signal;
/** The longest that an extra may have. */
const LETTERS = 64;
const LONG = 'a'.repeat(LETTERS - 1);

describe('names of postgres', { skip: NO_POSTGRES }, () => {
  let server: PostgresServer;
  before(async () => { server = await PostgresServer.start(); }, { timeout: 180_000 });
  after(() => server.stop());

  /** A table with the columns `key`, `one` and `two` of this type, which are the extras of these names. */
  async function assertShown([one, two]: Pair<string>, type: FieldType, stored: string, values: Pair<string>, expected: Pair<unknown>): Promise<void> {
    await server.query(`DROP TABLE IF EXISTS odd; CREATE TABLE odd (key int PRIMARY KEY, one ${stored}, two ${stored}, email text);
      INSERT INTO odd VALUES (1, '${values[0]}', '${values[1]}', 'b@x.org'), (2, NULL, '${values[0]}', 'a@x.org'), (3, NULL, NULL, NULL)`);
    const words = vocabulary('contacts', [one, two].map((name) => ({ name, type, description: 'an extra' })));
    const config = { name: 'odd', dataset: 'contacts', kind: 'postgres', url: server.url, table: 'public.odd', columns: { id: 'key', [one]: 'one', [two]: 'two' }, compared: {}, connect_timeout_ms: 10_000 } as const;
    const source = openPostgres({ vocabulary: words, config });
    try {
      const rows = await shown(source);
      assert.deepEqual(Object.keys(rows[0]!), words.fields.map(({ name }) => name));
      assert.deepEqual(rows.map((row) => [row[one], row[two]]), [[expected[0], expected[1]], [null, expected[0]], [null, null]], type);
      await assertWalks(source);
      const searches = type === 'string' || type === 'strings'
        ? ['x', 'y'].flatMap((value) => [one, two].map((name): Search => ({ filters: [including(name, value)], terms: [] })))
        : [one, two].map((name): Search => ({ filters: [{ kind: 'intervals', name, include: [[0, 1]], exclude: [] }], terms: [] }));
      await assertExact(source, words, searches);
      const { fill } = await source.figures(NEVER);
      assert.deepEqual([fill[one], fill[two]].map((share) => Math.round(share! * 3)), [1, 2]);
      if (type === 'string') assert.deepEqual((await source.facet(two, { filters: [], terms: [] }, NEVER))!.values.toSorted(), [['x', 1], ['y', 1]]);
    } finally {
      await source.close();
    }
  }

  it('shows, finds and counts extras of the longest names, though the server cuts a name, and one more sign before it', async () => {
    for (const names of [[`${LONG}b`, `${LONG}c`], [LONG, `${LONG.slice(1)}b`]] as const) {
      await assertShown(names, 'string', 'text', ['x', 'y'], ['x', 'y']);
      await assertShown(names, 'strings', 'text[]', ['{x}', '{y}'], [['x'], ['y']]);
      await assertShown(names, 'integer', 'int', ['1', '2'], [1, 2]);
      await assertShown(names, 'timestamp', 'timestamptz', ['1970-01-01 00:00:00+00', '1970-01-01 00:00:01+00'], ['1970-01-01T00:00:00Z', '1970-01-01T00:00:01Z']);
    }
  });

  it('shows extras that are called as statements call a relation', async () => {
    for (const names of [['r', 't'], ['c', 'd'], ['u', 'i'], ['item', 'place'], ['row', 'all']] as const) await assertShown(names, 'string', 'text', ['x', 'y'], ['x', 'y']);
  });

  it('means what is built in by its names, whatever a schema before it in the path of the role calls so, and finds what a view names beside it', async () => {
    const raises = (name: string): string => `LANGUAGE plpgsql AS $$ BEGIN RAISE '${name} of another'; END $$`;
    const functions = ['lower(text)', 'btrim(text, text)', 'concat_ws(text, text, text)', 'array_to_string(text[], text)', 'unnest(text[])', 'equal(text, text)'].map((each) => each.replaceAll('text', 'pg_catalog.text'));
    await server.query(`DROP TABLE IF EXISTS odd; CREATE TABLE people (key uuid PRIMARY KEY, city text, email text, skills text[], seen date);
      INSERT INTO people SELECT gen_random_uuid(), 'City ' || i, 'P' || i || '@x.org', ARRAY['Go', 'C' || i], date '2024-01-01' + i FROM generate_series(1, 9) i;
      CREATE FUNCTION named() RETURNS text STABLE LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT max(city) FROM people); END $$;
      CREATE VIEW odd AS SELECT *, named() AS full_name FROM people; CREATE SCHEMA shadows;
      CREATE DOMAIN shadows.date AS timestamp; CREATE DOMAIN shadows.uuid AS pg_catalog.text; CREATE DOMAIN shadows.text AS pg_catalog.text;
      ${functions.map((each) => `CREATE FUNCTION shadows.${each} RETURNS ${each.startsWith('equal') ? 'boolean' : 'pg_catalog.text'} ${raises(each)};`).join(' ')}
      CREATE OPERATOR shadows.= (FUNCTION = shadows.equal, LEFTARG = pg_catalog.text, RIGHTARG = pg_catalog.text);
      CREATE ROLE shadowed LOGIN; GRANT SELECT ON odd, people TO shadowed; GRANT USAGE ON SCHEMA shadows TO shadowed; ALTER ROLE shadowed SET search_path = shadows, pg_catalog, public`);
    const words = vocabulary('contacts');
    for (const [id, url] of [['key', server.url.replace('tester:secret', 'shadowed')], ['city', `${server.url}?options=-c%20search_path%3D`]] as const) {
      const config = { name: 'odd', dataset: 'contacts', kind: 'postgres', url, table: id === 'key' ? 'odd' : 'public.people', columns: { id, updated_at: 'seen' }, compared: {}, connect_timeout_ms: 10_000 } as const;
      const source = openPostgres({ vocabulary: words, config });
      try {
        const rows = await shown(source);
        assert.deepEqual(rows.map((row) => row['updated_at']).toSorted().at(0), '2024-01-02T00:00:00Z');
        assert.equal(rows[0]!['full_name'], id === 'key' ? 'City 9' : null);
        assert.equal((rows[0]!['skills'] as string[])[0], 'Go');
        await assertWalks(source);
        await assertExact(source, words, [
          ...[['email', 'p3@x.org'], ['city', 'city 4'], ['id', String(rows[0]!['id']).toLowerCase()]].map(([name, value]): Search => ({ filters: [including(name!, value!)], terms: [] })),
          { filters: [], terms: [{ kind: 'word', words: ['c4'], negated: false }] },
        ]);
      } finally {
        await source.close();
      }
    }
  });
});
