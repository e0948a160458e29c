import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { vocabulary } from '../../../src/model/vocabulary.ts';
import { openClickhouse } from '../../../src/sources/clickhouse/open.ts';
import { sortSettings } from '../../../src/sources/clickhouse/sorting.ts';
import { ClickhouseServer, NO_CLICKHOUSE } from '../../support/servers/clickhouse.ts';

const MEMORY_BYTES = 300_000_000;
const ROWS = 500_000;
const INSERTED_ROWS = 100_000;
const HEADLINE = 'word '.repeat(100).trim();
/** In an order that the table does not lie in: the texts as they are stored, and as they are shown. */
const STATEMENT = 'SELECT id, headline, lower(headline) FROM people ORDER BY id';

describe('more rows of a clickhouse table than one statement may hold', { skip: NO_CLICKHOUSE }, () => {
  let server: ClickhouseServer;
  before(async () => {
    assert.ok(2 * ROWS * HEADLINE.length > 1.5 * MEMORY_BYTES);
    server = await ClickhouseServer.start({ memoryBytes: MEMORY_BYTES });
    await server.query('CREATE TABLE people (id UInt64, headline String) ENGINE = MergeTree ORDER BY tuple() SETTINGS index_granularity = 256');
    for (let first = 0; first < ROWS; first += INSERTED_ROWS) {
      await server.query(`INSERT INTO people SELECT intHash32(number) AS id, '${HEADLINE}' FROM system.numbers LIMIT ${first}, ${INSERTED_ROWS}`);
    }
  }, { timeout: 180_000 });
  after(() => server.stop());

  it('come in the order of their keys, which the server alone refuses them in', async () => {
    await assert.rejects(server.query(`${STATEMENT} FORMAT Null`), /Memory limit/);
    const source = openClickhouse({
      vocabulary: vocabulary('contacts'),
      config: { name: 'crm', dataset: 'contacts', kind: 'clickhouse', url: server.url, table: 'default.people', columns: {}, compared: {}, connect_timeout_ms: 10_000 },
    });
    try {
      let [rows, last] = [0, -1];
      for await (const batch of source.rows({ filters: [], terms: [], order: 'stored', from: null, fields: null, rowsWanted: null }, new AbortController().signal)) {
        for (const { key } of batch) {
          assert.ok(Number(key) >= last, `${key} behind ${last}`);
          last = Number(key);
          rows += 1;
        }
      }
      assert.equal(rows, ROWS);
    } finally {
      await source.close();
    }
  });
});

describe('the settings by which a clickhouse server sorts all rows', () => {
  const blocks = { max_block_size: '8192' };
  const settings = (...held: readonly (readonly [string, string])[]): object => sortSettings(new Map(held));

  it('bound what a sort holds by what a statement may hold, and have it take few rows at a time', () => {
    assert.deepEqual(settings(['max_memory_usage', '10000000000'], ['max_bytes_before_external_sort', '0']), { max_bytes_before_external_sort: '2500000000', max_block_size: '8192' });
  });

  it('are left to a profile that says how it sorts, or bounds no statement', () => {
    assert.deepEqual(settings(['max_memory_usage', '10000000000'], ['max_bytes_before_external_sort', '500000000']), blocks);
    assert.deepEqual(settings(['max_memory_usage', '10000000000'], ['max_bytes_before_external_sort', '0'], ['max_bytes_ratio_before_external_sort', '0.5']), blocks);
    assert.deepEqual(settings(['max_memory_usage', '0'], ['max_bytes_before_external_sort', '0']), blocks);
    assert.deepEqual(settings(), blocks);
  });
});
