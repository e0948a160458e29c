import assert from 'node:assert/strict';
import dns, { type LookupOptions } from 'node:dns';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { LIMITS } from '../../../src/config/limits.ts';
import { literal } from '../../../src/sources/postgres/dialect.ts';
import { openPostgres } from '../../../src/sources/postgres/open.ts';
import { openReplicas } from '../../../src/sources/replicas/open.ts';
import { Tallies } from '../../../src/sources/replicas/tallies.ts';
import type { ForeignSource, FoundRow, Search, SourceFailure } from '../../../src/sources/source.ts';
import { readRow } from '../../../src/worker/foreign/read_row.ts';
import { assertExact, including, rowsOf } from '../../contract/sources/odd_texts.ts';
import { until } from '../../support/until.ts';
import { NO_POSTGRES, PostgresServer } from '../../support/servers/postgres.ts';
import { assertWalks, CONTACTS, shown, withOddTable } from './odd_table.ts';

describe('odd tables of postgres', { skip: NO_POSTGRES }, () => {
  let server: PostgresServer;
  const warnings: string[] = [];
  before(async () => {
    process.on('warning', ({ message }) => { warnings.push(message); });
    server = await PostgresServer.start();
    // What a role may begin with, and must not matter.
    await server.query("ALTER ROLE tester SET TimeZone = 'Asia/Tokyo'; ALTER ROLE tester SET DateStyle = 'German'; ALTER ROLE tester SET standard_conforming_strings = off; ALTER ROLE tester SET quote_all_identifiers = on");
  }, { timeout: 180_000 });
  after(() => server.stop());

  const withSource = (definition: string, columns: Record<string, string>, use: (source: ForeignSource) => Promise<void>): Promise<void> => withOddTable(server, definition, columns, use);

  it('compares texts by what they are, whatever the collations of the columns', async () => {
    const alike = `CREATE COLLATION IF NOT EXISTS alike (provider = icu, locale = 'und-u-ks-level1', deterministic = false)`;
    const texts = ['a', 'A', '\u00e1', 'b', 'B', 'Ab', 'aB', 'vp caf\u00e9', 'VP CAFE'];
    await withSource(`${alike}; CREATE TABLE odd (key text COLLATE alike, full_name text COLLATE alike, city text COLLATE "en-x-icu", job_title text COLLATE alike, skills text[] COLLATE alike, score text COLLATE alike, updated_at text COLLATE alike);
      INSERT INTO odd SELECT v, v, v, v, ARRAY[v, 'go'], '12', '2024-03-05' FROM unnest(ARRAY[${texts.map((text) => `'${text}'`).join(', ')}]) v`, { id: 'key' }, async (source) => {
      assert.equal((await shown(source)).length, texts.length);
      await assertWalks(source);
      await assertExact(source, CONTACTS, [...['a', 'cafe', 'vp cafe', 'b'].map((text): Search => ({ filters: [including('city', text)], terms: [] })),
        ...['vp', 'cafe', 'go'].map((word): Search => ({ filters: [], terms: [{ kind: 'word', words: [word], negated: false }] })),
        { filters: [including('id', 'odd:a', 'odd:ab')], terms: [] }]);
    });
  });

  it('walks numbers that are equal but written in two ways', async () => {
    await withSource("CREATE TABLE odd (key numeric, city text); INSERT INTO odd SELECT v, v::text FROM unnest(ARRAY[1.0, 1.00, 1, 1.000, 2.50, 2.5, 10, 1.0, 'NaN']::numeric[]) v", { id: 'key' }, async (source) => {
      assert.equal((await shown(source)).length, 9);
      await assertWalks(source);
    });
  });

  it('walks rows that share their key, in a table and in a view', async () => {
    const rows = "INSERT INTO TABLENAME SELECT i % 7, 'city ' || i, 'p' || i % 7 || '@x.org' FROM generate_series(1, 140) i";
    for (const type of ['int NOT NULL', 'text']) {
      await withSource(`CREATE TABLE odd (key ${type}, city text, email text); ${rows.replace('TABLENAME', 'odd')}`, { id: 'key' }, assertWalks);
    }
    await withSource(`DROP TABLE IF EXISTS twice; CREATE TABLE twice (key int NOT NULL, city text, email text); ${rows.replace('TABLENAME', 'twice')}; CREATE VIEW odd AS SELECT * FROM twice`, { id: 'key' }, assertWalks);
    await server.query('DROP VIEW odd');
    // The key of a table that others inherit is unique among its own rows alone.
    const heirs = ['heir', 'heiress'].map((heir) => `DROP TABLE IF EXISTS ${heir}; CREATE TABLE ${heir} (PRIMARY KEY (key)) INHERITS (odd)`);
    const filled = ['odd', 'heir', 'heiress'].map((each) => `INSERT INTO ${each} SELECT i, '${each} ' || i, i || '@x.org' FROM generate_series(1, 500) i`);
    await withSource(['CREATE TABLE odd (key int PRIMARY KEY, city text, email text)', ...heirs, ...filled, 'ANALYZE odd, heir, heiress'].join('; '), { id: 'key' }, assertWalks);
  });

  it('reads domains over domains as what they are made of, and days beyond all times as none', async () => {
    const domains = 'DROP DOMAIN IF EXISTS moment, checked CASCADE; CREATE DOMAIN moment AS timestamptz; CREATE DOMAIN checked AS moment CHECK (value > \'2000-01-01\')';
    await withSource(`${domains}; CREATE TABLE odd (key int PRIMARY KEY, seen checked); INSERT INTO odd VALUES (1, '2024-03-05 01:02:03+00')`, { id: 'key', updated_at: 'seen' }, async (source) => {
      assert.equal((await shown(source))[0]!['updated_at'], '2024-03-05T01:02:03Z');
    });
    const days = ['2024-03-05', '0001-01-01', '9999-12-31', 'infinity', '-infinity', '5874897-12-31', '10000-01-01', '4713-01-01 BC'];
    await withSource(`CREATE TABLE odd (key int PRIMARY KEY, seen date); INSERT INTO odd VALUES ${days.map((day, at) => `(${at}, '${day}')`).join(', ')}`, { id: 'key', updated_at: 'seen' }, async (source) => {
      assert.deepEqual((await shown(source)).map((row) => row['updated_at']), ['2024-03-05T00:00:00Z', '0001-01-01T00:00:00Z', '9999-12-31T00:00:00Z', ...Array<null>(5).fill(null)]);
      const within = (min: number, max: number): Search => ({ filters: [{ kind: 'intervals', name: 'updated_at', include: [[min, max]], exclude: [] }], terms: [] });
      await assertExact(source, CONTACTS, [within(-Infinity, Infinity), within(0, Infinity), within(-Infinity, 0)]);
    });
  });

  it('shows times in UTC, names as they are quoted and lists of any kind, whatever the role begins with', async () => {
    await withSource(`CREATE TABLE base ("Ke""y" uuid PRIMARY KEY, "select" timestamp, city char(10), "s k" jsonb, country text);
      INSERT INTO base VALUES ('61F0C404-5CB3-11E7-907B-A6006AD3DBA0', '2024-03-05 01:02:03.9999', 'M\u00fcnchen', E'["SQL", null, " ", "\\\\u0007"]', ' uk ');
      CREATE VIEW shown_odd AS SELECT * FROM base; CREATE TABLE odd () `, {}, async () => {});
    const columns = { id: 'Ke"y', updated_at: 'select', skills: 's k' };
    const source = openPostgres({
      vocabulary: CONTACTS, config: { name: 'odd', dataset: 'contacts', kind: 'postgres', url: server.url, table: 'shown_odd', columns, compared: {}, connect_timeout_ms: 10_000 },
    });
    const [row] = await shown(source);
    assert.deepEqual([row!['id'], row!['updated_at'], row!['city'], row!['skills'], row!['country']], ['odd:61f0c404-5cb3-11e7-907b-a6006ad3dba0', '2024-03-05T01:02:03.999Z', 'M\u00fcnchen', ['SQL', '\u0007'], 'GB']);
    await assertExact(source, CONTACTS, [{ filters: [including('city', 'munchen')], terms: [] }, { filters: [including('id', 'odd:61f0c404-5cb3-11e7-907b-a6006ad3dba0')], terms: [] }]);
    await source.close();
  });

  it('goes without a list whose JSON is no text of the server, and not without the other rows', async () => {
    const lists = [
      String.raw`["a", "\\ud83d\\ude00"]`, String.raw`["a\\u0000b"]`, String.raw`["\\\\u0000"]`, String.raw`["\\ud800"]`, String.raw`["\\udc00\\ud800"]`, '[1e400000, null, true]', '{"a": "\\\\u0000"}', '["b", "b"]', '"text"', '"SQL; Go|, C"', '7', 'null', '" "', 'true',
    ];
    await withSource(`CREATE TABLE odd (key int PRIMARY KEY, skills json, full_name text); ${lists.map((list, at) => `INSERT INTO odd VALUES (${at}, E'${list}', 'Ann')`).join('; ')}`, { id: 'key' }, async (source) => {
      assert.deepEqual((await shown(source)).map(({ skills }) => skills), [['a', '\u{1f600}'], null, ['\\u0000'], null, null, ['1e400000', 'true'], null, ['b', 'b'], ['text'], ['SQL', 'Go', 'C'], ['7'], null, null, ['true']]);
      await assertExact(source, CONTACTS, ['ann', 'text', 'sql'].map((word): Search => ({ filters: [], terms: [{ kind: 'word', words: [word], negated: false }] })));
    });
  });

  it('reads lists out of texts, of JSON too, and cuts what only looks like JSON', async () => {
    const lists: readonly (readonly [text: string, items: readonly string[] | null])[] = [
      ['["SQL","Go"]', ['SQL', 'Go']], [' [ "a, \\"b\\" ; c" , "Caf\\u00e9" ,\n"\\\\" ] ', ['a, "b" ; c', 'Caf\u00e9', '\\']], ['[]', null], ['["", null, " "]', null],
      ['[1, -2.5, true, "x"]', ['1', '-2.5', 'true', 'x']], ['["\u65e5\u672c"]', ['\u65e5\u672c']], ['SQL; Go|C, D\nE', ['SQL', 'Go', 'C', 'D', 'E']], ['', null],
      ['[draft] x, y', ['[draft] x', 'y']], ['["a" "b"]', ['["a" "b"]']], ['["a",]', ['["a"', ']']], ['["a", ["b"]]', ['["a"', '["b"]]']],
      ['[01]', ['[01]']], ['["\\x"]', ['["\\x"]']], ['["a\tb"]', ['["a\tb"]']], ['["a"]\v', ['["a"]']], ['["\\u0000"]', ['["\\u0000"]']], ['["\\ud800"]', ['["\\ud800"]']], ['["\\ud83d\\ude00"]', ['\u{1f600}']],
    ];
    const values = lists.map(([text], at) => `(${at}, E${literal(text.replaceAll('\\', '\\\\'))})`).join(', ');
    for (const type of ['text', 'varchar(99)']) {
      await withSource(`CREATE TABLE odd (key int PRIMARY KEY, skills ${type}); INSERT INTO odd VALUES ${values}, (99, NULL)`, { id: 'key' }, async (source) => {
        assert.deepEqual((await shown(source)).map(({ skills }) => skills), [...lists.map(([, items]) => items), null], type);
        await assertExact(source, CONTACTS, ['sql', 'caf\u00e9', 'b', '2'].map((word): Search => ({ filters: [], terms: [{ kind: 'word', words: [word], negated: false }] })));
      });
    }
  });

  it('is refused by name where the role may not read the table, and goes without the columns that it may not read', async () => {
    await server.query("DROP TABLE IF EXISTS odd CASCADE; CREATE TABLE odd (key bigint PRIMARY KEY, full_name text, email text); INSERT INTO odd VALUES (1, 'Jo', 'jo@example.com'); DROP ROLE IF EXISTS reader; CREATE ROLE reader");
    const source = openPostgres({
      vocabulary: CONTACTS,
      config: { name: 'odd', dataset: 'contacts', kind: 'postgres', url: `${server.url}?options=-c%20role%3Dreader`, table: 'public.odd', columns: { id: 'key' }, compared: {}, connect_timeout_ms: 10_000 },
    });
    try {
      await assert.rejects(source.describe(AbortSignal.timeout(60_000)), /the role may not read public\.odd/);
      await server.query('GRANT SELECT (key, full_name) ON odd TO reader');
      const [row] = await shown(source);
      assert.deepEqual([row?.['id'], row?.['full_name'], row?.['email']], ['odd:1', 'Jo', null]);
    } finally {
      await source.close();
    }
  });

  it('describes nothing of which no search would be served', async () => {
    const views = 'DROP MATERIALIZED VIEW IF EXISTS odd_base; CREATE MATERIALIZED VIEW odd_base AS SELECT 1 AS key WITH NO DATA; CREATE VIEW odd AS SELECT * FROM odd_base';
    await withSource(views, { id: 'key' }, async (source) => {
      await assert.rejects(source.describe(AbortSignal.timeout(60_000)), (error: SourceFailure) => error.code === 'refused' && /odd_base.* has not been populated/.test(error.message));
      await server.query('REFRESH MATERIALIZED VIEW odd_base');
      assert.equal((await source.describe(AbortSignal.timeout(60_000))).trouble, null);
    });
    await server.query('DROP VIEW odd; DROP MATERIALIZED VIEW odd_base');
  });

  it('fails for now, and refuses no search, where a pooler or a server behind it ends it or a lock is not had in time', async () => {
    const fails = (source: ForeignSource) => assert.rejects(rowsOf(source), (error: SourceFailure) => error.code === 'broken' && error.started);
    for (const [code, words] of [['08P01', 'query timeout'], ['25P03', 'terminating connection due to idle-in-transaction timeout'], ['25P04', 'terminating connection due to transaction timeout']]) {
      await server.query(`CREATE OR REPLACE FUNCTION ended() RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE '${words}' USING ERRCODE = '${code}'; END $$`);
      await withSource('CREATE VIEW odd AS SELECT 1 AS key, ended() AS full_name', { id: 'key' }, fails);
      await server.query('DROP VIEW odd');
    }
    await server.query(`ALTER ROLE tester SET lock_timeout = 100`);
    await withSource('CREATE TABLE odd (key int PRIMARY KEY)', { id: 'key' }, async (source) => {
      const holds = assert.rejects(server.query('BEGIN; LOCK TABLE odd; SELECT pg_sleep(60)'));
      await until(async () => (await server.query(`SELECT 1 FROM pg_locks WHERE relation = 'odd'::regclass AND granted AND mode = 'AccessExclusiveLock'`)).length === 1);
      try {
        await fails(source);
      } finally {
        await server.query("SELECT pg_cancel_backend(pid) FROM pg_locks WHERE relation = 'odd'::regclass AND granted AND mode = 'AccessExclusiveLock'");
        await holds;
      }
    });
    await server.query('ALTER ROLE tester RESET lock_timeout');
  });

  it('asks again for what a server rolled back, as a standby does that has to apply a change', async () => {
    await server.query(`DROP TABLE IF EXISTS odd CASCADE; CREATE TABLE applied AS SELECT clock_timestamp() AS at WHERE false;
      CREATE FUNCTION shown_since() RETURNS text STABLE LANGUAGE plpgsql AS $$ BEGIN
        IF (SELECT backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid()) < (SELECT at FROM applied) THEN
          RAISE 'canceling statement due to conflict with recovery' USING ERRCODE = '40001';
        END IF;
        RETURN 'Jo';
      END $$;
      CREATE VIEW odd AS SELECT 1 AS key, shown_since() AS full_name`);
    const tallies = new Tallies();
    const config = { name: 'odd', dataset: 'contacts', kind: 'postgres', url: server.url, table: 'public.odd', columns: { id: 'key' }, compared: {}, connect_timeout_ms: 10_000 } as const;
    const source = openReplicas([openPostgres({ vocabulary: CONTACTS, config })], tallies);
    await source.describe(AbortSignal.timeout(60_000));
    await server.query('INSERT INTO applied SELECT clock_timestamp()');
    assert.equal((await shown(source))[0]?.['full_name'], 'Jo');
    assert.equal(tallies.retries, 1);
    await source.close();
    await server.query('DROP VIEW odd; DROP FUNCTION shown_since; DROP TABLE applied');
  });

  it('refuses what it would have to sort on more of the disk than its role may take', async () => {
    await server.query("ALTER ROLE tester SET temp_file_limit = '1MB'; ALTER ROLE tester SET work_mem = '64kB'");
    const filled = "CREATE TABLE odd (key int NOT NULL, full_name text); INSERT INTO odd SELECT i, repeat('x', 500) || i FROM generate_series(1, 6000) i";
    await withSource(filled, { id: 'key' }, (source) => assert.rejects(rowsOf(source), (error: SourceFailure) => error.code === 'refused' && /temp_file_limit/.test(error.message)));
    await server.query('ALTER ROLE tester RESET temp_file_limit; ALTER ROLE tester RESET work_mem');
  });

  it('stops a statement on the server that runs it, where the name of the host leads elsewhere by now', async (t) => {
    let strangers = 0;
    const elsewhere = createServer((socket) => { strangers += 1; socket.destroy(); }).listen(server.port, '127.0.0.2');
    t.after(() => { elsewhere.close(); });
    await once(elsewhere, 'listening');
    let address = '127.0.0.1';
    t.mock.method(dns, 'lookup', (_: string, { all }: LookupOptions, found: (error: null, address: unknown, family: number) => void) => {
      found(null, all === true ? [{ address, family: 4 }] : address, 4);
    });
    await server.query('DROP TABLE IF EXISTS odd CASCADE; CREATE TABLE odd (key int PRIMARY KEY)');
    const config = { name: 'odd', dataset: 'contacts', kind: 'postgres', url: server.url.replace('127.0.0.1', 'several.example'), table: 'public.odd', columns: { id: 'key' }, compared: {}, connect_timeout_ms: 10_000 } as const;
    const source = openPostgres({ vocabulary: CONTACTS, config });
    t.after(() => source.close());
    await source.describe(AbortSignal.timeout(60_000));
    const holder = new pg.Client({ connectionString: server.url });
    await holder.connect();
    t.after(() => holder.end());
    await holder.query('BEGIN; LOCK TABLE odd');
    const caller = new AbortController();
    const stopped = assert.rejects(source.rows({ filters: [], terms: [], order: 'stored', from: null, fields: null, rowsWanted: 2 }, caller.signal).next());
    const running = async () => (await server.query(`SELECT 1 FROM pg_locks WHERE relation = 'odd'::regclass AND NOT granted`)).length;
    await until(async () => await running() === 1);
    address = '127.0.0.2';
    caller.abort();
    await stopped;
    await until(async () => await running() === 0);
    assert.equal(strangers, 0);
  });

  it('never began with a search where it had no connection left for it', async () => {
    await server.query('DROP ROLE IF EXISTS crowded; CREATE ROLE crowded LOGIN CONNECTION LIMIT 0');
    const config = { name: 'odd', dataset: 'contacts', kind: 'postgres', url: server.url.replace('tester:secret', 'crowded'), table: 'public.odd', columns: {}, compared: {} } as const;
    const source = openPostgres({ vocabulary: CONTACTS, config });
    await assert.rejects(rowsOf(source), ({ code, started }: SourceFailure) => code === 'overloaded' && !started);
    await source.close();
  });

  it('gives rows while what is counted waits, counts for as long as the call lasts, and also while its figures are made', async () => {
    // A text that is told only while nobody holds the lock.
    await server.query(`DROP TABLE IF EXISTS odd CASCADE; CREATE TYPE held AS (shown text);
      CREATE FUNCTION told(held) RETURNS text STABLE LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock_shared(7); RETURN $1.shown; END $$;
      CREATE CAST (held AS text) WITH FUNCTION told(held);
      CREATE TABLE odd (key int PRIMARY KEY, full_name text, city held, company_name held, country held);
      INSERT INTO odd VALUES (1, 'Jo', ROW('Bonn'), ROW('acme'), ROW('US'))`);
    const config = { name: 'odd', dataset: 'contacts', kind: 'postgres', url: server.url, table: 'public.odd', columns: { id: 'key' }, compared: {} } as const;
    const source = openPostgres({ vocabulary: CONTACTS, config: { ...config, concurrency: 1, connect_timeout_ms: 1_000 } });
    await source.describe(AbortSignal.timeout(60_000));
    const holder = new pg.Client(server.url);
    await holder.connect();
    await holder.query('SELECT pg_advisory_lock(7)');
    const somebodyWaits = async () => (await server.query("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")).length > 0;
    const search: Search = { filters: [], terms: [] };
    const facets = Promise.all(['city', 'company_name', 'country'].map((name) => source.facet(name, search, AbortSignal.timeout(60_000))));
    facets.catch(() => {});
    await until(somebodyWaits);
    const rows = source.rows({ ...search, order: 'stored', from: null, fields: ['full_name'], rowsWanted: 2 }, AbortSignal.timeout(60_000));
    assert.deepEqual((await rows.next()).value?.map(({ json }: FoundRow) => readRow(json)['full_name']), ['Jo']);
    await rows.return(undefined);
    // Longer than a connection may take to be made.
    await setTimeout(1_200);
    await holder.query('SELECT pg_advisory_unlock(7)');
    assert.deepEqual((await facets).map((counts) => counts?.values), [[['Bonn', 1]], [['acme', 1]], [['US', 1]]]);
    await holder.query('SELECT pg_advisory_lock(7)');
    const figures = source.figures(AbortSignal.timeout(60_000));
    figures.catch(() => {});
    await until(somebodyWaits);
    assert.deepEqual(await source.count(search, AbortSignal.timeout(60_000)), { sure: 1, unsure: [] });
    await holder.end();
    assert.equal((await figures).rows, 1);
    await source.close();
    await server.query('DROP TYPE held CASCADE');
  });

  it('names the columns of the configuration that are missing, of fields and of what is compared', async () => {
    await server.query('DROP TABLE IF EXISTS odd CASCADE; CREATE TABLE odd (key int PRIMARY KEY, city text, city_folded text)');
    const config = { name: 'odd', dataset: 'contacts', kind: 'postgres', url: server.url, table: 'public.odd', columns: { id: 'key', email: 'mail' }, connect_timeout_ms: 10_000 } as const;
    const source = openPostgres({ vocabulary: CONTACTS, config: { ...config, compared: { city: 'city_folded', country: 'country_code' } } });
    const { trouble } = await source.describe(AbortSignal.timeout(60_000));
    assert.equal(trouble, 'columns that the configuration names are missing: those of email, country (compared)');
    await source.close();
  });

  it('knows every column of a table that has as many as there may be', async () => {
    const columns = Array.from({ length: 1_598 }, (_, at) => `c${at} boolean`).join(', ');
    await withSource(`CREATE TABLE odd (key int PRIMARY KEY, ${columns}, full_name text); INSERT INTO odd (key, full_name) VALUES (1, 'Jo')`, { id: 'key' }, async (source) => {
      assert.equal((await shown(source))[0]?.['full_name'], 'Jo');
    });
  });

  it('reads wide rows few at a time', async () => {
    const wide = "CREATE TABLE odd (key int PRIMARY KEY, headline text); INSERT INTO odd SELECT i, CASE WHEN i > 3000 THEN repeat('x', 131072) END FROM generate_series(1, 3300) i";
    await withSource(wide, { id: 'key' }, async (source) => {
      const sizes: [rows: number, bytes: number][] = [];
      for await (const batch of source.rows({ filters: [], terms: [], order: 'stored', from: null, fields: null, rowsWanted: null }, AbortSignal.timeout(60_000))) {
        sizes.push([batch.length, batch.reduce((sum, { json }) => sum + json.length, 0)]);
      }
      assert.equal(sizes.reduce((sum, [rows]) => sum + rows, 0), 3_300);
      assert.equal(Math.max(...sizes.map(([rows]) => rows)), LIMITS.foreignBatchRows);
      const [, ...afterFirst] = sizes.filter(([rows, bytes]) => bytes > 65_536 * rows);
      assert.ok(afterFirst.length > 0 && afterFirst.every(([, bytes]) => bytes <= LIMITS.foreignBatchBytes), JSON.stringify(afterFirst));
    });
  });

  it('is unreachable while the certificate that its url names is not there', async () => {
    const config = { name: 'odd', dataset: 'contacts', kind: 'postgres', url: `${server.url}?sslmode=verify-full&sslrootcert=/nowhere/ca.pem`, table: 'public.odd', columns: {}, compared: {} } as const;
    const source = openPostgres({ vocabulary: CONTACTS, config });
    const unreachable = (error: unknown): boolean => (error as SourceFailure).code === 'unreachable';
    for (let times = 0; times < 3; times += 1) await assert.rejects(rowsOf(source), unreachable);
    await source.close();
  });

  it('begins its sessions without a warning of the driver, which an operator would read on every start', async () => {
    await withSource("CREATE TABLE odd (key bigint PRIMARY KEY); INSERT INTO odd VALUES (1)", { id: 'key' }, async (source) => {
      assert.equal((await shown(source)).length, 1);
    });
    assert.deepEqual(warnings, []);
  });
});
