import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { vocabulary } from '../../../src/model/vocabulary.ts';
import { openClickhouse } from '../../../src/sources/clickhouse/open.ts';
import type { ForeignSource, RowsRequest, Search } from '../../../src/sources/source.ts';
import { ClickhouseServer, NO_CLICKHOUSE } from '../../support/servers/clickhouse.ts';
import { ClickhouseCluster } from '../../support/servers/clickhouse_cluster.ts';
import { failsAs } from '../fails_as.ts';

const NEVER = new AbortController().signal;
const GERMANS: Search = { filters: [{ kind: 'terms', name: 'country', include: ['DE'], exclude: [] }], terms: [] };
const ROWS = 4_000;

function sourceOf(url: string, table = 'people'): ForeignSource {
  return openClickhouse({
    vocabulary: vocabulary('contacts'),
    config: { name: 'cluster', dataset: 'contacts', kind: 'clickhouse', url, table, columns: {}, compared: { country: 'country', email: 'email' }, connect_timeout_ms: 10_000 },
  });
}

async function fill(cluster: ClickhouseCluster): Promise<void> {
  await cluster.create('people', 'id UInt64, email String, country String', '(country, id)', 64);
  for (const [at, server] of cluster.servers.entries()) {
    await server.query(`INSERT INTO people_local SELECT number AS id, concat('p', toString(number), '@x.org') AS email, if(number % 40 < 4, 'DE', 'US') AS country
      FROM (SELECT number FROM system.numbers LIMIT ${ROWS}) WHERE number % ${cluster.servers.length} = ${at}`);
  }
}

async function rowsOf(source: ForeignSource, change: Partial<RowsRequest>): Promise<number> {
  let rows = 0;
  for await (const batch of source.rows({ ...GERMANS, order: 'identity', from: null, fields: null, rowsWanted: null, ...change }, NEVER)) {
    rows += batch.length;
    if (change.rowsWanted !== undefined) break;
  }
  return rows;
}


describe('a Distributed table', { skip: NO_CLICKHOUSE }, () => {
  let cluster: ClickhouseCluster;
  let source: ForeignSource;
  before(async () => {
    // What would lose rows without a word, were it not overruled.
    cluster = await ClickhouseCluster.start(2, { profile: '<skip_unavailable_shards>1</skip_unavailable_shards><empty_result_for_aggregation_by_empty_set>1</empty_result_for_aggregation_by_empty_set>', isLogged: true });
    await fill(cluster);
    source = sourceOf(cluster.front.url);
  }, { timeout: 180_000 });
  after(async () => {
    await source.close();
    await cluster.stop();
  });

  it('has every shard count, narrow, sort and cut for itself', async () => {
    assert.equal((await source.count(GERMANS, NEVER)).sure, ROWS / 10);
    const [counted] = await cluster.asked(cluster.servers[1]!, 'count() AS `@rows` FROM default.people_local  WHERE country IN');
    assert.deepEqual([counted!.resultRows, counted!.readRows < ROWS / 4], [1, true], counted!.query);
  });

  it('counts no match as none, though its profile would answer nothing', async () => {
    const nobody: Search = { filters: [{ kind: 'terms', name: 'country', include: ['FR'], exclude: [] }], terms: [] };
    assert.equal(await cluster.front.query("SELECT count() FROM people WHERE country = 'FR'"), '');
    assert.deepEqual(await source.count(nobody, NEVER), { sure: 0, unsure: [] });
    assert.deepEqual((await source.facet('country', nobody, NEVER))!.values, []);
  });

  it('fails while a shard is dead, though its profile would leave that shard out', async () => {
    assert.equal((await source.describe(NEVER)).trouble, null);
    await cluster.servers[1]!.crash();
    assert.equal(Number(await cluster.front.query('SELECT count() FROM people')), ROWS / 2);
    await assert.rejects(source.describe(NEVER), failsAs('unreachable'));
    await assert.rejects(source.count({ ...GERMANS }, NEVER), failsAs('unreachable'));
    await assert.rejects(rowsOf(source, { rowsWanted: 5 }), failsAs('unreachable'));
    await assert.rejects(source.facet('country', GERMANS, NEVER), failsAs('unreachable'));
    await cluster.servers[1]!.resume();
    assert.equal((await source.count({ filters: [], terms: [] }, NEVER)).sure, ROWS);
  });
});

describe('the shards of a Distributed table', { skip: NO_CLICKHOUSE }, () => {
  it('send the first rows of a page and no others, whatever the order', async () => {
    const cluster = await ClickhouseCluster.start(2, { isLogged: true });
    const source = sourceOf(cluster.front.url);
    try {
      await fill(cluster);
      for (const order of ['stored', 'identity'] as const) assert.equal(await rowsOf(source, { order, rowsWanted: 25 }), 25);
      const asked = await cluster.asked(cluster.servers[1]!, ' LIMIT 26', 4);
      // Of where its first rows stand, and then of all else of those that are among the first of both.
      const sent = asked.map(({ resultRows }) => resultRows).toSorted((a, b) => a - b);
      assert.deepEqual(sent.slice(2), [26, 26]);
      for (const rows of sent.slice(0, 2)) assert.ok(rows < 26, `${rows} rows sent`);
      for (const { query, readRows } of asked) {
        assert.match(query, /country IN .*DE.* ORDER BY .* LIMIT 26/);
        assert.ok(readRows < ROWS / 4, `${readRows} rows read`);
      }
      assert.equal(await rowsOf(source, {}), ROWS / 10);
    } finally {
      await source.close();
      await cluster.stop();
    }
  });
});

describe('a clickhouse server that is set to leave rows out', { skip: NO_CLICKHOUSE }, () => {
  it('fails where its profile would end the reading, the result or a join early', async () => {
    for (const [table, profile] of [
      ['people', '<max_result_rows>10</max_result_rows><result_overflow_mode>break</result_overflow_mode>'],
      ['people', '<max_rows_to_read>10</max_rows_to_read><read_overflow_mode>break</read_overflow_mode>'],
      ['joined', '<max_rows_in_join>10</max_rows_in_join><join_overflow_mode>break</join_overflow_mode>'],
    ] as const) {
      const server = await ClickhouseServer.start({ profile });
      const source = sourceOf(server.url, table);
      try {
        await server.query('CREATE TABLE people (id UInt64, email String, country String) ENGINE = MergeTree ORDER BY id');
        await server.query('CREATE VIEW joined AS SELECT id, email, country FROM people ANY INNER JOIN (SELECT id FROM people) USING id');
        await server.query(`INSERT INTO people FORMAT JSONEachRow`, Array.from({ length: 200_000 }, (_, id) => `{"id":${id},"email":"","country":"DE"}`).join('\n'));
        await assert.rejects(rowsOf(source, { order: 'stored' }), failsAs('refused'), profile);
      } finally {
        await source.close();
        await server.stop();
      }
    }
  });
});
