import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Filter } from '../../../src/model/filter.ts';
import { vocabulary } from '../../../src/model/vocabulary.ts';
import { Connections } from '../../../src/sources/postgres/connect.ts';
import { readColumns, readPartitions } from '../../../src/sources/postgres/describe.ts';
import { openPostgres } from '../../../src/sources/postgres/open.ts';
import { countStatement, phasesOf, rowsStatement, type PostgresTable } from '../../../src/sources/postgres/query.ts';
import type { ForeignSource, RowsRequest, Search } from '../../../src/sources/source.ts';
import type { Statement } from '../../../src/sources/postgres/dialect.ts';
import { NO_POSTGRES } from '../../support/servers/postgres.ts';
import { PostgresShards } from '../../support/servers/postgres_shards.ts';
import { failsAs } from '../fails_as.ts';

const NEVER = new AbortController().signal;
const WORDS = vocabulary('contacts');
const MAPPING = { columns: {}, compared: { country: 'country', city: 'city_folded', email: 'email', linkedin_url: 'linkedin_url' } };
const ALL: Search = { filters: [], terms: [] };
const GERMANS: Search = { filters: [{ kind: 'terms', name: 'country', include: ['DE'], exclude: [] }], terms: [] };

async function withSource(url: string, use: (source: ForeignSource) => Promise<void>): Promise<void> {
  const source = openPostgres({ vocabulary: WORDS, config: { name: 'registry', dataset: 'contacts', kind: 'postgres', url, table: 'people', ...MAPPING, connect_timeout_ms: 10_000 } });
  try {
    await use(source);
  } finally {
    await source.close();
  }
}

describe('a table over postgres servers', { skip: NO_POSTGRES }, () => {
  let shards: PostgresShards;
  let connections: Connections;
  let table: PostgresTable;

  before(async () => {
    shards = await PostgresShards.start(2);
    const columns = 'id bigint NOT NULL, full_name text, email text COLLATE "C", linkedin_url text COLLATE "C", country text COLLATE "C", city text, city_folded text COLLATE "C", updated_at timestamptz';
    await shards.create('people', columns, ['email, id', 'linkedin_url, id', 'country, id']);
    await shards.front.query(`INSERT INTO people SELECT i, 'Name ' || i, CASE WHEN i % 2 = 0 THEN 'p' || i || '@x.org' END, 'https://www.linkedin.com/in/p' || i, 'US', 'Berlin', 'berlin', now() FROM generate_series(1, 2000) i`);
    await shards.front.query('CREATE VIEW shown AS SELECT * FROM people; ANALYZE people');
    connections = new Connections({ url: shards.front.url, connectMs: 10_000, connections: 2 });
    table = { source: 'registry', table: '"people"', columns: await readColumns(connections, 'people', WORDS, MAPPING, NEVER), partitions: await readPartitions(connections, 'people', NEVER) };
  }, { timeout: 180_000 });
  after(async () => {
    await connections?.close();
    await shards?.stop();
  });

  /** What each shard is sent, and what the front does to it. */
  async function planOf({ text, values }: Statement, how = ''): Promise<{ plan: string; remote: string[] }> {
    const plan = (await shards.front.query(`EXPLAIN (${how} VERBOSE, COSTS OFF) ${text}`, [...values])).map((line) => Object.values(line).join()).join('\n');
    return { plan, remote: [...plan.matchAll(/Remote SQL: (.*)/g)].map(([, sql]) => sql!) };
  }

  function planOfRows(request: Partial<RowsRequest>, phase: number, fromKey: string | null): ReturnType<typeof planOf> {
    const whole: RowsRequest = { filters: [], terms: [], order: 'stored', from: null, fields: ['full_name'], rowsWanted: 26, ...request };
    return planOf(rowsStatement(table, whole, { phase: phasesOf(table, whole.order)[phase]!, fromKey, rowsMax: 26 }));
  }

  it('is read from each shard in the order of the page, from the place where the page begins, and merged', async () => {
    for (const [order, from, by, place] of [['stored', '100', /ORDER BY id ASC/, /id >= 100/], ['identity', 'p1', /ORDER BY email ASC NULLS LAST, id ASC/, /email >= 'p1'/]] as const) {
      const { plan, remote } = await planOfRows({ order }, 0, from);
      assert.equal(remote.length, 2, plan);
      for (const sql of remote) for (const part of [by, place]) assert.match(sql, part);
      assert.match(plan, /Merge Append/);
      assert.doesNotMatch(plan, /-> +(Incremental )?Sort\b|Filter:/);
    }
  });

  it('leaves the rows of other classes of identity on the shards', async () => {
    const { plan, remote } = await planOfRows({ order: 'identity' }, 1, 'https://x');
    assert.ok(remote.length === 2 && remote.every((sql) => sql.includes("linkedin_url >= 'https://x'") && sql.includes('email IS NULL')), plan);
    assert.doesNotMatch(plan, /Filter:/);
  });

  it('sends each filter on a compared column, a time or a number to the shards, its exclusion too', async () => {
    const terms = (name: string, include: string[] | null, exclude: string[] = []): Filter => ({ kind: 'terms', name, include, exclude });
    for (const [filter, sent] of [
      [terms('country', ['US', 'DE']), /country = ANY \('{US,DE}'/],
      [terms('country', ['DE']), /country = 'DE'/],
      [terms('city', null, ['berlin']), /CASE WHEN \(city_folded = 'berlin'(?:::text)?\) THEN false ELSE true END/],
      [terms('email', ['p1@x.org', 'p2@x.org']), /email = ANY/],
      [{ kind: 'intervals', name: 'updated_at', include: [[0, 1e12]], exclude: [] } as Filter, /updated_at >= '1970-01-01 00:00:00\+00'/],
    ] as const) {
      const rows = await planOfRows({ filters: [filter] }, 0, null);
      const count = await planOf(countStatement(table, { filters: [filter], terms: [] }));
      for (const { plan, remote } of [rows, count]) {
        assert.doesNotMatch(plan, /Filter:/);
        assert.ok(remote.length === 2 && remote.every((sql) => sent.test(sql)), plan);
      }
      assert.ok(count.remote.every((sql) => sql.startsWith('SELECT count(*), 0')), count.plan);
    }
  });

  it('is counted on the shards, all at once: one row comes from each', async () => {
    const { plan, remote } = await planOf(countStatement(table, GERMANS), 'ANALYZE, TIMING OFF, SUMMARY OFF,');
    assert.deepEqual([remote.length, plan.match(/Async Foreign Scan \(actual rows=1 loops=1\)/g)?.length], [2, 2], plan);
    await withSource(shards.front.url, async (source) => {
      assert.deepEqual([(await source.count(GERMANS, NEVER)).sure, (await source.count(ALL, NEVER)).sure], [0, 2_000]);
      assert.equal((await source.count({ filters: [{ kind: 'terms', name: 'id', include: ['registry:7', 'registry:1999'], exclude: [] }], terms: [] }, NEVER)).sure, 2);
    });
  });

  it('is counted exactly when other partitions have come or gone since it was looked at', async () => {
    await withSource(shards.front.url, async (source) => {
      const count = async (): Promise<number> => (await source.count({ ...ALL }, NEVER)).sure;
      assert.equal(await count(), 2_000);
      await shards.front.query('ALTER TABLE people DETACH PARTITION people_1');
      const left = await count();
      await shards.front.query('ALTER TABLE people ATTACH PARTITION people_1 FOR VALUES WITH (MODULUS 2, REMAINDER 1)');
      assert.ok(left > 0 && left < 2_000);
      assert.equal(await count(), 2_000);
    });
  });

  it('is counted as the whole that a role may see, where it may not read the partitions, or a policy hides rows of the whole', async () => {
    await shards.front.query(`CREATE ROLE reader LOGIN; GRANT SELECT ON people TO reader;
      CREATE USER MAPPING FOR reader SERVER shard0 OPTIONS (user 'tester', password 'secret', password_required 'false'); CREATE USER MAPPING FOR reader SERVER shard1 OPTIONS (user 'tester', password 'secret', password_required 'false')`);
    const count = async (): Promise<number> => {
      let sure = -1;
      await withSource(shards.front.url.replace('tester', 'reader'), async (source) => { ({ sure } = await source.count(ALL, NEVER)); });
      return sure;
    };
    assert.equal(await count(), 2_000);
    await shards.front.query('GRANT SELECT ON people_0, people_1 TO reader; CREATE POLICY few ON people FOR SELECT TO reader USING (id <= 10); ALTER TABLE people ENABLE ROW LEVEL SECURITY');
    try {
      assert.equal(await count(), 10);
    } finally {
      await shards.front.query('ALTER TABLE people DISABLE ROW LEVEL SECURITY');
    }
    assert.equal(await count(), 2_000);
  });

  it('is known to be down when one of them is, through a view too', async () => {
    await readColumns(connections, 'shown', WORDS, MAPPING, NEVER);
    await shards.servers[1]!.crash();
    for (const name of ['people', 'shown']) await assert.rejects(readColumns(connections, name, WORDS, MAPPING, NEVER), failsAs('unreachable'));
    await shards.servers[1]!.resume();
    await readColumns(connections, 'shown', WORDS, MAPPING, NEVER);
  });
});
