import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { vocabulary } from '../../../src/model/vocabulary.ts';
import type { ForeignSource, Search } from '../../../src/sources/source.ts';
import { readRow } from '../../../src/worker/foreign/read_row.ts';
import { assertExact, including, rowsOf, walkedOf } from '../../contract/sources/odd_texts.ts';
import { ChdbServer } from '../../support/servers/chdb.ts';
import { ClickhouseServer, NO_CLICKHOUSE } from '../../support/servers/clickhouse.ts';
import { openOdd, withOddTable, type Server } from './odd_table.ts';

const NEVER = new AbortController().signal;
const CONTACTS = vocabulary('contacts');

function oddTypes(start: () => Promise<Server>, isNew: boolean): void {
  let server: Server;
  before(async () => { server = await start(); }, { timeout: 180_000 });
  after(() => server.stop());

  const withTable = (columns: string, rows: string, mapped: Record<string, string>, use: (source: ForeignSource) => Promise<void>): Promise<void> =>
    withOddTable(server, { dataset: 'contacts', columns, rows, mapped }, use);

  async function assertTimes(source: ForeignSource, expected: readonly string[]): Promise<void> {
    assert.deepEqual((await rowsOf(source)).map(({ json }) => readRow(json)['updated_at']), expected);
    const around = expected.map((time) => Date.parse(time)).flatMap((ms) => [[ms, ms], [-Infinity, ms - 1], [ms + 1, Infinity]] as const);
    await assertExact(source, CONTACTS, around.map((interval): Search => ({ filters: [{ kind: 'intervals', name: 'updated_at', include: [interval], exclude: [] }], terms: [] })));
    assert.equal((await source.figures(NEVER)).updatedAt, expected.toSorted().at(-1));
  }

  it('walks rows that differ in the sign of a zero alone', async () => {
    for (const [type, zero] of [['Float64', '-0.0, 0.0'], ['Nullable(Float32)', '-0.0, 0.0'], ['Array(Float64)', '[-0.0], [0.0]']] as const) {
      const rows = `SELECT 'k', 'p@x.org', arrayElement([${zero}], intDiv(number, 3) % 2 + 1) FROM (SELECT number FROM system.numbers LIMIT 24)`;
      await withTable(`key String, email String, city ${type}`, rows, { id: 'key' }, async (source) => {
        for (const order of ['stored', 'identity'] as const) {
          const [whole, walked] = [await rowsOf(source, { order }), await walkedOf(source, order)].map((found) => found.map(({ json }) => readRow(json)['city']));
          assert.deepEqual(walked, whole, `${type} ${order}`);
          assert.deepEqual(whole, whole!.toSorted(), `${type} ${order}`);
        }
      });
    }
  });

  it('shows days to the end of their type', async () => {
    const days = isNew ? ['2106-02-07', '2106-02-08', '2149-06-06', '1970-01-01'] : ['2038-01-20', '2105-12-31', '1970-01-01'];
    const rows = days.map((day, at) => `(${at}, '${day}')`).join(', ');
    await withTable('id UInt8, updated_at Nullable(Date)', `VALUES ${rows}`, {}, (source) => assertTimes(source, days.map((day) => `${day}T00:00:00Z`)));
  });

  it('shows the first time of an array where the field is one, and finds the row by it', async () => {
    const [autumn, winter] = ['1729987200', '1672531200'];
    // In an hour that the clocks of Berlin show twice.
    const types = [
      ['Array(Date)', "'2024-10-27'", "'2023-01-01'"], ["Array(DateTime('Europe/Berlin'))", autumn, winter],
      ...isNew ? [["Array(Nullable(DateTime64(3, 'Europe/Berlin')))", `toDateTime64(${autumn}, 3)`, `toDateTime64(${winter}, 3)`]] : [],
    ];
    for (const [type, first, second] of types) {
      await withTable(`id UInt8, updated_at ${type}`, `VALUES (1, [${first}, ${second}]), (2, []), (3, [${second}])`, {}, async (source) => {
        const times = ['2024-10-27T00:00:00Z', null, '2023-01-01T00:00:00Z'];
        assert.deepEqual((await rowsOf(source)).map(({ json }) => readRow(json)['updated_at']), times, type);
        const until = (ms: number): Search => ({ filters: [{ kind: 'intervals', name: 'updated_at', include: [[-Infinity, ms]], exclude: [] }], terms: [] });
        await assertExact(source, CONTACTS, [until(Date.UTC(2023, 0, 1)), until(Date.UTC(2024, 9, 27) - 1), until(Date.UTC(2024, 9, 27))]);
        assert.equal((await source.figures(NEVER)).updatedAt, times[0], type);
      });
    }
  });

  it('leaves out of a list what is no number', async () => {
    for (const type of ['Array(Float64)', 'Array(Nullable(Float32))']) {
      await withTable(`id UInt8, skills ${type}, city ${type}`, 'VALUES (1, [1.5, nan, 2], [inf, 7]), (2, [nan], [-inf])', {}, async (source) => {
        assert.deepEqual((await rowsOf(source)).map(({ json }) => readRow(json)).map(({ skills, city }) => [skills, city]), [[['1.5', '2'], '7'], [null, null]], type);
      });
    }
  });

  it('shows decimals as they are, or not at all where the server loses their digits', async () => {
    const written = ['-9999999999999999999999999999.9999999999', '12345678901234567890.5', '-0.5'];
    await withTable('id UInt8, city Nullable(Decimal(38, 10)), skills Array(Decimal(38, 10))', `VALUES ${written.map((each, at) => `(${at}, '${each}', ['${each}'])`).join(', ')}, (3, NULL, [])`, {}, async (source) => {
      const expected = isNew ? written : [null, '12345678901234567890.5000000000', '-0.5000000000'];
      const found = (await rowsOf(source)).map(({ json }) => readRow(json)).map(({ city, skills }) => [city, skills]);
      assert.deepEqual(found, [...expected.map((each) => [each, each === null ? null : [each]]), [null, null]]);
      await assertExact(source, CONTACTS, [{ filters: [including('city', written[0]!)], terms: [] }, { filters: [including('city', isNew ? '-0.5' : '-0.5000000000')], terms: [] }]);
    });
  });

  it('shows texts of a fixed length without what fills them up, and no shorter', async () => {
    await withTable('key FixedString(4), city Nullable(FixedString(4))', "SELECT arrayElement(['a', 'a\\0b', 'a\\0c'], number + 1), 'x\\0y' FROM (SELECT number FROM system.numbers LIMIT 3)", { id: 'key' }, async (source) => {
      const shown = (await walkedOf(source, 'stored')).map(({ json }) => readRow(json)).map(({ id, city }) => [id, city]);
      assert.deepEqual(shown, [['odd:a', 'x\0y'], ['odd:a\0b', 'x\0y'], ['odd:a\0c', 'x\0y']]);
      await assertExact(source, CONTACTS, [{ filters: [including('id', 'odd:a\0b')], terms: [] }, { filters: [including('city', 'x\0y')], terms: [] }]);
    });
  });

  it('filters lists that are made of times', async () => {
    const extras = [{ name: 'days', type: 'strings', description: 'days' }] as const;
    await withOddTable(server, { dataset: 'contacts', columns: 'id UInt8, days Date', rows: "VALUES (1, '2024-03-05'), (2, '2024-03-06')", mapped: {}, extras }, async (source) => {
      assert.equal((await source.describe(NEVER)).filters['days'], 'residual');
      await assertExact(source, vocabulary('contacts', extras), [{ filters: [including('days', '2024-03-05')], terms: [] }]);
    });
  });

  it('searches tables whose smallest column is worked out, and views that say of a field that it is null', async () => {
    await withTable('id UInt32, email String, flag UInt8 ALIAS id * 2', "(id, email) VALUES (1, 'a@x.org'), (2, '')", { city: 'flag' }, async (source) => {
      assert.equal((await source.describe(NEVER)).trouble, null);
      await assertExact(source, CONTACTS, [{ filters: [including('id', 'other:1')], terms: [] }, { filters: [including('city', '4')], terms: [] }, { filters: [], terms: [] }]);
      await server.query('DROP TABLE IF EXISTS told');
      await server.query('CREATE VIEW told AS SELECT id, email, NULL AS city FROM odd');
      const view = openOdd(server, { dataset: 'contacts', table: 'told', mapped: {} });
      await assertExact(view, CONTACTS, [{ filters: [including('city', 'ulm')], terms: [] }, { filters: [{ kind: 'terms', name: 'city', include: null, exclude: ['ulm'] }], terms: [] }]);
      assert.deepEqual((await view.facet('city', { filters: [], terms: [] }, NEVER))!.values, []);
      await view.close();
    });
  });

  if (isNew) {
    it('shows times of every fineness to the end of their type', async () => {
      const times = ['1969-12-31 23:59:59.9995', '1900-01-01 00:00:00', '2299-12-31 23:59:59.9999'];
      const expected = ['1969-12-31T23:59:59.999Z', '1900-01-01T00:00:00Z', '2299-12-31T23:59:59.999Z'];
      const rows = times.map((time, at) => `(${at}, '${time}')`).join(', ');
      for (const digits of [7, 8]) await withTable(`id UInt8, updated_at Nullable(DateTime64(${digits}, 'UTC'))`, `VALUES ${rows}`, {}, (source) => assertTimes(source, expected));
    });

    it('walks rows of shapes and vectors, and writes none for what is no number', async () => {
      const rows = "SELECT 'k', arrayElement([(1, 2)::Point, (3, 4)::Point], number % 2 + 1), [number % 3, 1], arrayElement([1.5, nan, inf], number % 3 + 1) FROM numbers(12)";
      await withTable('key String, city Geometry, region QBit(Float32, 2), phone BFloat16', rows, { id: 'key' }, async (source) => {
        for (const order of ['stored', 'identity'] as const) {
          const [whole, walked] = [await rowsOf(source, { order }), await walkedOf(source, order)].map((found) => found.map(({ json }) => readRow(json)));
          assert.deepEqual(walked, whole, order);
          assert.deepEqual(whole!.map(({ city, region, phone }) => `${city} ${region} ${phone}`).toSorted().slice(0, 3), ['(1,2) [0,1] 1.5', '(1,2) [0,1] 1.5', '(1,2) [1,1] null']);
        }
      });
    });
  }
}

describe('odd types of clickhouse', { skip: NO_CLICKHOUSE }, () => oddTypes(() => ClickhouseServer.start(), false));
describe('odd types of clickhouse 26', () => oddTypes(() => ChdbServer.start(), true));
