import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Row } from '../../../src/model/field.ts';
import { vocabulary } from '../../../src/model/vocabulary.ts';
import { literal } from '../../../src/sources/clickhouse/dialect.ts';
import { openClickhouse } from '../../../src/sources/clickhouse/open.ts';
import type { ForeignSource, Search, SourceFailure } from '../../../src/sources/source.ts';
import { readRow } from '../../../src/worker/foreign/read_row.ts';
import { assertExact, including, rowsOf, walkedOf } from '../../contract/sources/odd_texts.ts';
import { ChdbServer } from '../../support/servers/chdb.ts';
import { ClickhouseServer, NO_CLICKHOUSE } from '../../support/servers/clickhouse.ts';
import { WRITTEN_TIMES } from '../sql/written_times.ts';

const NEVER = new AbortController().signal;
const CONTACTS = vocabulary('contacts');
const COMPANIES = vocabulary('companies');

type Server = { readonly url: string; query(statement: string): unknown; stop(): Promise<void> };

function openTable(server: Server, table: string, columns: Record<string, string>, dataset: 'contacts' | 'companies' = 'contacts'): ForeignSource {
  return openClickhouse({
    vocabulary: dataset === 'contacts' ? CONTACTS : COMPANIES,
    config: { name: 'odd', dataset, kind: 'clickhouse', url: server.url, table: table.includes('.') ? table : `default.${table}`, columns, compared: {}, connect_timeout_ms: 10_000 },
  });
}

async function shown(source: ForeignSource): Promise<Row[]> {
  return (await rowsOf(source)).map(({ json }) => readRow(json));
}

/** Texts that are no UTF-8 in one way or another, as their bytes in hexadecimal, among such as are. */
const BYTES = ['636166e9', '636166c3a9', 'e9', '80', '636166e9207670', '76702063e9', 'eda080', 'f4908080', 'c080', 'ff407820', '4ac39c40', '7670', '61fe62', 'efbfbd', '6361660076', 'f09f9982', '00'];

const SEARCHES: readonly Search[] = [
  ...['caf\ufffd', 'caf\u00e9', 'cafe', '\ufffd', 'vp', 'caf\ufffd vp', 'caf\0v', '\0'].flatMap((text): Search[] => [
    { filters: [including('city', text)], terms: [] }, { filters: [{ kind: 'terms', name: 'city', include: null, exclude: [text] }], terms: [] },
  ]),
  ...['caf', 'vp', 'b', 'cafe'].flatMap((word): Search[] => [
    { filters: [], terms: [{ kind: 'word', words: [word], negated: false }] },
    { filters: [], terms: [{ kind: 'prefix', words: [word], negated: true }] },
  ]),
  { filters: [], terms: [{ kind: 'phrase', words: ['caf', 'vp'], negated: false }] },
  { filters: [including('email', '\ufffd@x', 'caf\ufffd')], terms: [] },
  { filters: [including('email_domain', 'x')], terms: [] },
];

function oddTables(start: () => Promise<Server>, isNew: boolean): void {
  let server: Server;
  before(async () => { server = await start(); }, { timeout: 180_000 });
  after(() => server.stop());

  async function withTable(columns: string, rows: string, use: (name: string) => Promise<void>): Promise<void> {
    await server.query('DROP TABLE IF EXISTS odd');
    await server.query(`CREATE TABLE odd (${columns}) ENGINE = MergeTree ORDER BY tuple()`);
    await server.query(`INSERT INTO odd ${rows}`);
    await use('odd');
  }

  it('shows bytes that are no UTF-8 as valid JSON, finds by what it shows, and loses no row of a walk by them', async () => {
    const stored = [...BYTES, ...BYTES.slice(0, 6)];
    const list = stored.map((hex) => `'${hex}'`).join(', ');
    await withTable('key String, email String, city String', `SELECT unhex(h), unhex(h), unhex(h) FROM (SELECT arrayJoin([${list}]) AS h)`, async (table) => {
      const source = openTable(server, table, { id: 'key' });
      const rows = await shown(source);
      assert.equal(rows.length, stored.length);
      await assertExact(source, CONTACTS, SEARCHES);
      for (const order of ['stored', 'identity'] as const) {
        const whole = await rowsOf(source, { order });
        assert.deepEqual((await walkedOf(source, order)).map(({ json }) => json).toSorted(), whole.map(({ json }) => json).toSorted(), order);
      }
      await source.close();
    });
  });

  it('reads columns whatever they are called', async () => {
    const called = { id: 'rows', name: 'value', country: 'code', city: 'count', employee_count: 'x', industry: 'wei`rd "name\\', keywords: 'y', description: 'd', founded_year: 'latest' };
    const columns = '`rows` UInt32, `value` String, `code` String, `count` String, `x` UInt16, `wei\\`rd "name\\\\` String, `y` Array(String), `d` String, `latest` UInt16';
    await withTable(columns, "SELECT 7, 'Acme', 'de', 'Berlin', 12, 'steel', ['a'], 'makes', 1999", async (table) => {
      const source = openTable(server, table, called, 'companies');
      const [row] = await shown(source);
      assert.deepEqual(
        [row!['id'], row!['name'], row!['country'], row!['city'], row!['employee_count'], row!['industry'], row!['keywords'], row!['founded_year']],
        ['odd:7', 'Acme', 'DE', 'Berlin', 12, 'steel', ['a'], 1999],
      );
      const figures = await source.figures(NEVER);
      assert.deepEqual([figures.rows, figures.countries, figures.fill['industry']], [1, { DE: 1 }, 1]);
      assert.equal((await source.count({ filters: [including('city', 'berlin')], terms: [] }, NEVER)).sure, 1);
      for (const name of ['country', 'industry', 'employee_count', 'founded_year']) assert.equal((await source.facet(name, { filters: [], terms: [] }, NEVER))!.values.length, 1, name);
      await source.close();
    });
  });

  it('reads numbers exactly up to 2^53, and none beyond', async () => {
    const numbers = "['9007199254740991', '9007199254740992', '-9223372036854775808', '12', '-3']";
    await withTable('id Int64, n Int64', `SELECT number, toInt64([${numbers.slice(1, -1)}][number + 1]) FROM (SELECT number FROM system.numbers LIMIT 5)`, async (table) => {
      const source = openTable(server, table, { employee_count: 'n' }, 'companies');
      assert.deepEqual((await shown(source)).map((row) => row['employee_count']), [9_007_199_254_740_991, null, null, 12, -3]);
      const within = (min: number, max: number): Search => ({ filters: [{ kind: 'intervals', name: 'employee_count', include: [[min, max]], exclude: [] }], terms: [] });
      await assertExact(source, COMPANIES, [within(-Infinity, Infinity), within(-3.5, 11.9), within(9_007_199_254_740_990, 9_007_199_254_740_991), within(12, 12),
        ...[['odd:3'], ['odd:0', 'odd:4', 'other:1', 'odd:01', 'odd:x', 'odd:-9', 'odd:99999999999999999999']].map((ids): Search => ({ filters: [including('id', ...ids)], terms: [] }))]);
      await source.close();
    });
    const texts = ['12', ' 12.0 ', '12.5', '1e3', '999999999999999', '1000000000000000', '-7', '', 'NaN', '12.', '12.49', '-2.5', '123456789012345.67'];
    await withTable('id UInt8, n Nullable(String), f Nullable(Float64), d Decimal(18, 2)', `SELECT number + 1, [${texts.map((text) => `'${text}'`).join(', ')}][number + 1], [3.0, 2.5, nan, inf, 1e15][number + 1], toDecimal64(number, 2) + toDecimal64('0.60', 2) FROM (SELECT number FROM system.numbers LIMIT ${texts.length})`, async (table) => {
      const source = openTable(server, table, { employee_count: 'n', founded_year: 'f', revenue_usd: 'd' }, 'companies');
      const rows = await shown(source);
      assert.deepEqual(rows.map((row) => row['employee_count']), [12, 12, 13, null, 999_999_999_999_999, null, -7, null, null, 12, 12, -2, 123_456_789_012_346]);
      assert.deepEqual(rows.slice(0, 4).map((row) => row['founded_year']), [3, 3, null, null]);
      assert.deepEqual(rows.map((row) => row['revenue_usd']), texts.map((_, at) => at + 1));
      const within = (min: number, max: number): Search => ({ filters: [{ kind: 'intervals', name: 'employee_count', include: [[min, max]], exclude: [] }], terms: [] });
      await assertExact(source, COMPANIES, [within(13, 13), within(12, 12.5), within(-2, 0)]);
      await source.close();
    });
  });

  it('shows the first item of an array where a field has one value, and finds, counts and orders the row by it', async () => {
    const values = ["['k1'], ['k2']", "['', ' ', 'Z@x.org', 'b@x.org'], emptyArrayString()", '[NULL, 4930901820], [NULL, 1]', "['de', 'fr'], emptyArrayString()"];
    const rows = `SELECT ${values.map((value) => `[${value}][number + 1]`).join(', ')} FROM (SELECT number FROM system.numbers LIMIT 2)`;
    await withTable('id Array(String), email Array(String), phone Array(Nullable(UInt64)), country Array(LowCardinality(String))', rows, async (table) => {
      const source = openTable(server, table, {});
      const seen = (await shown(source)).map(({ id, email, phone, country }) => [id, email, phone, country]);
      assert.deepEqual(seen.toSorted(), [['odd:k1', 'z@x.org', '4930901820', 'DE'], ['odd:k2', null, '1', null]]);
      for (const [name, value] of [['id', 'odd:k1'], ['email', 'z@x.org'], ['email_domain', 'x.org'], ['country', 'DE']] as const) {
        await assertExact(source, CONTACTS, [{ filters: [including(name, value)], terms: [] }]);
      }
      assert.deepEqual((await rowsOf(source, { order: 'identity' })).map(({ key }) => key), ['z@x.org', 'odd:k2']);
      for (const order of ['stored', 'identity'] as const) assert.equal((await walkedOf(source, order)).length, 2);
      await source.close();
    });
  });

  it('writes none for what is no number', async () => {
    await withTable('id UInt8, f Nullable(Float64), g Float32', 'SELECT number, [12345.0, 2.5, nan, inf, NULL][number + 1], [1.0, -inf, 0.5, nan, 7][number + 1] FROM (SELECT number FROM system.numbers LIMIT 5)', async (table) => {
      const source = openTable(server, table, { postal_code: 'f', phone: 'g' }, 'companies');
      assert.deepEqual((await shown(source)).map((row) => [row['postal_code'], row['phone']]), [['12345', '1'], ['2.5', null], [null, '0.5'], [null, null], [null, '7']]);
      await source.close();
    });
  });

  it('walks rows that share a whole number as their key, as duplicates that are yet to be merged do, and gives each once', async () => {
    await server.query('DROP TABLE IF EXISTS odd');
    await server.query('CREATE TABLE odd (key UInt32, city String, email String, version UInt32) ENGINE = ReplacingMergeTree(version) ORDER BY key');
    await server.query('SYSTEM STOP MERGES');
    // Two keys share each email; from the hundredth on most keys are there several times.
    for (const version of [0, 1, 2, 3]) {
      const rows = `SELECT number AS key, toString(cityHash64(number, ${version})), concat('p', toString(intDiv(number, 2) + 1000), '@x.org'), ${version} FROM (SELECT number FROM system.numbers LIMIT 150)`;
      await server.query(`INSERT INTO odd ${rows} WHERE ${version} = 0 OR number >= 100 AND number % 4 >= ${version}`);
    }
    for (const order of ['stored', 'identity'] as const) {
      const [whole, walked] = await Promise.all([(source: ForeignSource) => rowsOf(source, { order }), (source: ForeignSource) => walkedOf(source, order)].map(async (read) => {
        const source = openTable(server, 'odd', { id: 'key' });
        const rows = await read(source);
        await source.close();
        return rows.map(({ json }) => json);
      }));
      assert.equal(new Set(whole).size, 223);
      assert.deepEqual(walked, whole, order);
    }
    await server.query('SYSTEM START MERGES');
  });

  it('counts no value of a facet that no row has', async () => {
    await withTable('key String, city String', "VALUES ('a', ' ')", async (table) => {
      const source = openTable(server, table, { id: 'key' });
      for (const name of ['city', 'country', 'seniority']) assert.deepEqual((await source.facet(name, { filters: [], terms: [] }, NEVER))!.values, [], name);
      const nobody: Search = { filters: [including('city', 'nowhere')], terms: [] };
      for (const name of ['city', 'has_email', 'has_linkedin']) assert.deepEqual((await source.facet(name, nobody, NEVER))!.values, [], name);
      await source.close();
    });
  });

  it('goes without columns that hold the states of aggregates, and names their fields', async () => {
    await withTable('id UInt8, seen AggregateFunction(max, String), city String', "SELECT toUInt8(7), maxState('Jo'), 'Bonn'", async (table) => {
      const source = openTable(server, table, { full_name: 'seen' });
      assert.match((await source.describe(NEVER)).trouble!, /missing: those of full_name$/);
      assert.deepEqual((await shown(source)).map((row) => [row['id'], row['full_name'], row['city']]), [['odd:7', null, 'Bonn']]);
      await source.close();
    });
  });

  it('reads dates, enums, identifiers and lists of nulls, in a view too', async () => {
    const columns = `key UUID, seniority Enum8('vp' = 1, 'head' = 2), updated Date, skills Array(Nullable(String)), city FixedString(8), country ${isNew ? 'LowCardinality(Nullable(String))' : 'Nullable(String)'}`;
    await withTable(columns, "SELECT toUUID('61F0C404-5CB3-11E7-907B-A6006AD3DBA0'), 'vp', toDate('2024-03-05'), ['SQL', NULL, ' '], 'Berlin', NULL", async () => {
      await server.query('DROP TABLE IF EXISTS shown');
      await server.query('CREATE VIEW shown AS SELECT * FROM odd');
      const source = openTable(server, 'shown', { id: 'key', updated_at: 'updated' });
      const [row] = await shown(source);
      assert.deepEqual([row!['id'], row!['seniority'], row!['updated_at'], row!['skills'], row!['city'], row!['country']], ['odd:61f0c404-5cb3-11e7-907b-a6006ad3dba0', 'vp', '2024-03-05T00:00:00Z', ['SQL'], 'Berlin', null]);
      const day = Date.UTC(2024, 2, 5);
      const on = (min: number, max: number): Search => ({ filters: [{ kind: 'intervals', name: 'updated_at', include: [[min, max]], exclude: [] }], terms: [] });
      await assertExact(source, CONTACTS, [
        on(day, day), on(day + 1, day + 5), on(day - 1, day - 1),
        { filters: [including('seniority', 'vp')], terms: [] },
        { filters: [including('city', 'berlin')], terms: [] },
      ]);
      await source.close();
      await server.query('DROP TABLE shown');
    });
  });

  it('reads enums that may be null, whatever a null is kept as', async () => {
    const columns = "key UInt8, seniority Nullable(Enum8('vp' = 1, 'head' = 2)), country Nullable(Enum8('uk' = 3)), city Nullable(Enum16('it\\'s = 7, (x)' = -32768, 'Bonn' = 32767)), skills Array(Nullable(Enum8('SQL' = 1)))";
    await withTable(columns, "VALUES (1, 'vp', NULL, 'it\\'s = 7, (x)', []), (2, NULL, 'uk', NULL, ['SQL', NULL]), (3, 'head', 'uk', 'Bonn', [NULL]), (4, NULL, NULL, NULL, [])", async (table) => {
      const source = openTable(server, table, { id: 'key' });
      const expected = [['vp', null, 'it\'s = 7, (x)', null], [null, 'GB', null, ['SQL']], ['head', 'GB', 'Bonn', null], [null, null, null, null]];
      assert.deepEqual((await shown(source)).map(({ seniority, country, city, skills }) => [seniority, country, city, skills]), expected);
      const filters = [including('skills', 'sql'), including('seniority', 'vp'), including('country', 'GB'), including('city', 'bonn')];
      await assertExact(source, CONTACTS, filters.map((filter): Search => ({ filters: [filter], terms: [] })));
      assert.deepEqual((await source.facet('seniority', { filters: [], terms: [] }, NEVER))?.values.toSorted(), [['head', 1], ['vp', 1]]);
      await source.close();
    });
  });

  it('shows no time of texts that is none, and counts none', async () => {
    const texts = WRITTEN_TIMES.map(([text]) => literal(text)).join(', ');
    await withTable('id UInt8, updated_at String', `SELECT number, [${texts}][number + 1] FROM (SELECT number FROM system.numbers LIMIT ${WRITTEN_TIMES.length})`, async (table) => {
      const source = openTable(server, table, {});
      assert.deepEqual((await shown(source)).map((row) => row['updated_at']), WRITTEN_TIMES.map(([, time]) => time));
      assert.equal((await source.facet('updated_at', { filters: [], terms: [] }, NEVER))!.values.length, WRITTEN_TIMES.filter(([, time]) => time !== null).length);
      await server.query(`INSERT INTO ${table} VALUES (98, '2025-01-01T00:00:00Z'), (99, '2025-01-01T00:00:00.5Z')`);
      assert.equal((await source.figures(NEVER)).updatedAt, '2025-01-01T00:00:00.5Z');
      await source.close();
    });
  });

  it('is found under any name that needs quotes there', async () => {
    for (const [database, table] of [['leads-prod', 'people 2024'], ['Übersicht', '2024-personen']] as const) {
      await server.query(`CREATE DATABASE IF NOT EXISTS \`${database}\``);
      await server.query(`CREATE TABLE \`${database}\`.\`${table}\` (id UInt8, city String) ENGINE = MergeTree ORDER BY id`);
      await server.query(`INSERT INTO \`${database}\`.\`${table}\` VALUES (1, 'Bonn'), (2, 'Ulm')`);
      const source = openTable(server, `${database}.${table}`, {});
      assert.deepEqual((await shown(source)).map((row) => row['city']), ['Bonn', 'Ulm']);
      assert.equal((await source.figures(NEVER)).rows, 2);
      await source.close();
    }
  });

  it('reads lists out of texts, of JSON too, and cuts what only looks like JSON', async () => {
    const lists: readonly (readonly [text: string, items: readonly string[] | null])[] = [
      ['["SQL","Go"]', ['SQL', 'Go']], [' [ "a, \\"b\\" ; c" , "Caf\\u00e9" ,\n"\\\\" ] ', ['a, "b" ; c', 'Café', '\\']], ['[]', null], ['["", null, " "]', null],
      ['[1, -2.5, true, "x"]', ['1', '-2.5', 'true', 'x']], ['["日本"]', ['日本']], ['SQL; Go|C, D\nE', ['SQL', 'Go', 'C', 'D', 'E']], ['', null],
      ['[draft] x, y', ['[draft] x', 'y']], ['["a" "b"]', ['["a" "b"]']], ['["a",]', ['["a"', ']']], ['["a", ["b"]]', ['["a"', '["b"]]']],
    ];
    const quoted = lists.map(([text]) => literal(text)).join(', ');
    for (const type of ['String', 'Nullable(String)']) {
      await withTable(`id UInt8, skills ${type}`, `SELECT number, [${quoted}][number + 1] FROM (SELECT number FROM system.numbers LIMIT ${lists.length})`, async (table) => {
        const source = openTable(server, table, {});
        assert.deepEqual((await shown(source)).map((row) => row['skills']), lists.map(([, items]) => items), type);
        await assertExact(source, CONTACTS, ['sql', 'café', 'b', '2'].map((word): Search => ({ filters: [], terms: [{ kind: 'word', words: [word], negated: false }] })));
        await source.close();
      });
    }
  });

  if (isNew) {
    it('shows times to the millisecond, rounded down, and dates before 1970', async () => {
      const times = ['1969-12-31 23:59:59.999500', '1969-12-31 23:59:59.000000', '2024-01-31 09:30:00.123999', '2024-01-31 09:30:00.000000', '1900-01-01 00:00:00.000001'];
      const list = times.map((time) => `'${time}'`).join(', ');
      await withTable("id UInt8, t6 DateTime64(6, 'Asia/Tokyo'), t3 DateTime64(3), d Date32", `SELECT number, toDateTime64([${list}][number + 1], 6, 'UTC'), toDateTime64([${list}][number + 1], 3, 'UTC'), toDate32('1950-03-05') FROM numbers(5)`, async (table) => {
        const expected = ['1969-12-31T23:59:59.999Z', '1969-12-31T23:59:59Z', '2024-01-31T09:30:00.123Z', '2024-01-31T09:30:00Z', '1900-01-01T00:00:00Z'];
        for (const column of ['t6', 't3']) {
          const source = openTable(server, table, { updated_at: column });
          assert.deepEqual((await shown(source)).map((row) => row['updated_at']), expected, column);
          const around = expected.map((time) => Date.parse(time)).flatMap((ms) => [[ms, ms], [ms + 1, ms + 1], [-Infinity, ms]] as const);
          await assertExact(source, CONTACTS, around.map((interval): Search => ({ filters: [{ kind: 'intervals', name: 'updated_at', include: [interval], exclude: [] }], terms: [] })));
          await source.close();
        }
        const source = openTable(server, table, { updated_at: 'd' });
        assert.equal((await shown(source))[0]!['updated_at'], '1950-03-05T00:00:00Z');
        await source.close();
      });
    });

    it('shows times of microseconds that lie beyond those of nanoseconds', async () => {
      await withTable("id UInt8, updated_at DateTime64(6, 'UTC')", "VALUES (1, '2299-12-31 23:59:59.999999'), (2, '1900-01-01 00:00:00.000001'), (3, '2299-12-31 23:59:59')", async (table) => {
        const source = openTable(server, table, {});
        assert.deepEqual((await shown(source)).map((row) => row['updated_at']), ['2299-12-31T23:59:59.999Z', '1900-01-01T00:00:00Z', '2299-12-31T23:59:59Z']);
        assert.equal((await source.figures(NEVER)).updatedAt, '2299-12-31T23:59:59.999Z');
        await source.close();
      });
    });

    it('walks rows of types that the server puts in no order, and goes without columns that are only ever written', async () => {
      await withTable('key String, full_name JSON, city Variant(String, UInt64), region String EPHEMERAL, skills Dynamic', `(key, full_name, city, region, skills) SELECT toString(number % 3), '{"a": 1}', 'Berlin', 'x', 'go' FROM numbers(9)`, async (table) => {
        const source = openTable(server, table, { id: 'key' });
        assert.deepEqual((await shown(source)).map(({ city, region, skills }) => [city, region, skills]), Array.from({ length: 9 }, () => ['Berlin', null, ['go']]));
        for (const order of ['stored', 'identity'] as const) assert.equal((await walkedOf(source, order)).length, 9);
        await source.close();
      });
    });

    it('is no source where its profile cuts every answer, the one that tells of that too, and is one where it says that none is cut', async () => {
      await withTable('id UInt8, city String', "SELECT number, 'Berlin' FROM numbers(50)", async (table) => {
        for (const setting of ['limit = 1', 'limit = 40', 'offset = 1', 'limit = 40, offset = 0', 'limit = 0', 'offset = 0']) {
          const source = openTable(server, table, {});
          await server.query(`SET ${setting}`);
          try {
            if (/^\w+ = 0$/.test(setting)) assert.equal((await source.describe(NEVER)).trouble, null, setting);
            else await assert.rejects(source.describe(NEVER), (error: SourceFailure) => error.code === 'refused' && error.message.endsWith('limit or offset is set'), setting);
          } finally {
            await server.query('SET limit = DEFAULT');
            await server.query('SET offset = DEFAULT');
            await source.close();
          }
        }
      });
    });

    it('is known to be down when a server that its rows lie on is', async () => {
      await server.query("CREATE TABLE far (id UInt8, city String) AS remote('127.0.0.1:1', default.people)");
      const source = openTable(server, 'far', {});
      await assert.rejects(source.describe(NEVER));
      await source.close();
    });
  }
}

describe('odd tables of clickhouse', { skip: NO_CLICKHOUSE }, () => oddTables(() => ClickhouseServer.start(), false));
describe('odd tables of clickhouse 26', () => oddTables(() => ChdbServer.start(), true));
