import assert from 'node:assert/strict';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { NO_CLICKHOUSE } from '../support/servers/clickhouse.ts';
import { ClickhouseCluster } from '../support/servers/clickhouse_cluster.ts';
import { NO_POSTGRES } from '../support/servers/postgres.ts';
import { PostgresShards } from '../support/servers/postgres_shards.ts';
import { pause } from '../support/runners.ts';
import { until } from '../support/until.ts';
import { RunningService, type Answer, type Json } from './service.ts';

/** A table of `ROWS` people over several servers, one of which can be lost and come back. */
type Sharded = { readonly entry: string; crash(): Promise<void>; resume(): Promise<void>; stop(): Promise<void> };

const ROWS = 1_500;
/** People of the lake; every other one is in the table too. */
const OWN = 200;
const PATIENT = { timeout_ms: 10_000 };
const COMPARED = '{ email: email, country: country }';

async function clickhouse(): Promise<Sharded> {
  const cluster = await ClickhouseCluster.start(3);
  await cluster.create('people', 'id UInt64, full_name String, email String, country String', '(country, id)');
  // Three rows share each address, and lie on different shards.
  const row = "number AS id, concat('Name ', toString(number)) AS full_name, concat('p', toString(intDiv(number, 3)), '@x.org') AS email, if(number % 2 = 0, 'US', 'DE') AS country";
  for (const [at, server] of cluster.servers.entries()) await server.query(`INSERT INTO people_local SELECT ${row} FROM (SELECT number FROM system.numbers LIMIT ${ROWS}) WHERE number % 3 = ${at}`);
  const lost = cluster.servers[2]!;
  return {
    entry: `{ name: cluster, dataset: contacts, kind: clickhouse, url: "${cluster.front.url}", table: people, compared: ${COMPARED} }`,
    crash: () => lost.crash(), resume: () => lost.resume(), stop: () => cluster.stop(),
  };
}

async function postgres(): Promise<Sharded> {
  const shards = await PostgresShards.start(2);
  await shards.create('people', 'id bigint NOT NULL, full_name text, email text COLLATE "C", country text COLLATE "C"', ['email, id', 'country, id']);
  await shards.front.query(`INSERT INTO people SELECT i, 'Name ' || i, 'p' || i / 3 || '@x.org', CASE i % 2 WHEN 0 THEN 'US' ELSE 'DE' END FROM generate_series(0, ${ROWS - 1}) i`);
  const lost = shards.servers[1]!;
  return {
    entry: `{ name: cluster, dataset: contacts, kind: postgres, url: "${shards.front.url}", table: people, compared: ${COMPARED} }`,
    crash: () => lost.crash(), resume: () => lost.resume(), stop: () => shards.stop(),
  };
}

async function serve(entry: string): Promise<RunningService> {
  const folder = await mkdtemp(join(tmpdir(), 'lds-scale-out-'));
  await writeFile(join(folder, 'config.yaml'), `sources:\n  - { name: crm, dataset: contacts, kind: lake }\n  - ${entry}\n`);
  const people = Array.from({ length: OWN }, (_, i) => `${i},${i % 2 === 0 ? `p${i}@x.org` : `own${i}@y.org`},Own ${i},US`);
  await writeFile(join(folder, 'crm.csv'), ['id,email,full_name,country', ...people].join('\n'));
  const service = await RunningService.start({ LDS_CONFIG: join(folder, 'config.yaml'), LDS_DEMO: '0', LDS_LOG_LEVEL: 'error' }, folder);
  await service.ingest('crm', join(folder, 'crm.csv'));
  return service;
}

const IDS = [...Array.from({ length: ROWS }, (_, i) => `cluster:${i}`), ...Array.from({ length: OWN }, (_, i) => `crm:${i}`)].toSorted();
const US = { type: 'contacts', filters: { country: 'US' }, ...PATIENT };
const US_TOTAL = ROWS / 2 + OWN;

/** Complete and exact, or it says in every place what is missing. True where it is complete; a shard that was lost between rows and count leaves a lower bound. */
function assertHonest({ status, json, text }: Answer, total: number): boolean {
  assert.equal(status, 200, text);
  const { status: fate } = json.sources.find(({ source }: Json) => source === 'cluster');
  if (json.partial === false) {
    assert.deepEqual([json.errors, json.warnings, fate], [[], [], 'complete']);
    assert.ok(json.total_relation === 'eq' ? json.total === total : json.total_relation === 'gte' && json.total <= total, text);
    return json.total_relation === 'eq';
  }
  assert.ok(json.errors.length === 1 && json.errors[0].startsWith('cluster:'), text);
  assert.ok(json.warnings.length === 1 && json.warnings[0].startsWith('cluster '), text);
  assert.ok(json.total_relation === 'gte' && fate !== 'complete', text);
  return false;
}

/** All rows by pages; where pages are partial it goes on all the same, as their cursors allow. */
async function walk(service: RunningService, body: Json, onPage: (partial: boolean) => Promise<void> = async () => {}): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = null; ;) {
    const { status, json, text } = await service.find({ type: 'contacts', limit: 200, ...PATIENT, ...body, ...(cursor === null ? {} : { cursor }) });
    if (status !== 502) {
      assert.equal(status, 200, text);
      ids.push(...json.results.map(({ id }: Json) => id));
      cursor = json.next_cursor;
      if (cursor === null) return ids;
    }
    await onPage(status === 502 || json.partial);
  }
}

function isOneSource(make: () => Promise<Sharded>): void {
  let sharded: Sharded;
  let service: RunningService;
  before(async () => {
    sharded = await make();
    service = await serve(sharded.entry);
    await until(async () => (await service.find({ ...US, dedupe: false })).json.total === US_TOTAL, 60_000, 'that all rows are there');
  }, { timeout: 180_000 });
  after(async () => {
    await service?.stop();
    await sharded?.stop();
  });

  it('gives every row once, by pages in both orders and as a stream, with exact totals', async () => {
    const walked = await walk(service, { dedupe: false });
    assert.deepEqual(walked.toSorted(), IDS);
    const alone = await walk(service, { sources: { only: ['cluster'] } });
    assert.deepEqual([alone.length, new Set(alone).size], [ROWS, ROWS]);
    // Of each person whom both have the row of the lake stands, for all three rows of the table.
    const both = new Set(Array.from({ length: OWN / 2 }, (_, i) => 2 * i).flatMap((i) => [`cluster:${3 * i}`, `cluster:${3 * i + 1}`, `cluster:${3 * i + 2}`]));
    assert.deepEqual((await walk(service, {})).toSorted(), IDS.filter((id) => !both.has(id)));
    const lines = await service.lines({ type: 'contacts', sources: { only: ['cluster'] }, dedupe: true });
    assert.deepEqual(lines.slice(0, -2).map(({ id }: Json) => id).filter((id: string) => id !== undefined).toSorted(), alone.toSorted());
    assert.ok(assertHonest(await service.find({ ...US, dedupe: false }), US_TOTAL));
  });

  it('goes partial and says so while a shard is dead, loses no row of a walk over it, and is whole again by itself', async () => {
    const seen = { complete: 0, partial: 0, skipped: 0 };
    const loaded = new AbortController();
    const load = Promise.all(Array.from({ length: 2 }, async () => {
      while (!loaded.signal.aborted) {
        const answer = await service.find({ ...US, dedupe: false, limit: 20 });
        seen[assertHonest(answer, US_TOTAL) ? 'complete' : 'partial'] += 1;
        if (answer.json.sources[1].status === 'skipped') seen.skipped += 1;
        await pause(25);
      }
    }));
    let page = 0;
    let partialPages = 0;
    const walked = await walk(service, { dedupe: false }, async (partial) => {
      page += 1;
      if (partial) partialPages += 1;
      if (page === 3) {
        await sharded.crash();
        await until(async () => seen.skipped > 0, 60_000, 'that the breaker opens');
        // A probe finds the shard still dead, and leaves it open.
        await pause(600);
        assert.equal((await service.find({ ...US, limit: 1 })).json.sources[1].status, 'skipped');
        assert.equal((await service.call('GET', '/v1/sources')).json.sources.find(({ name }: Json) => name === 'cluster').status, 'down');
      }
      if (partialPages === 2) {
        await sharded.resume();
        partialPages += 1;
      }
      if (partial) await pause(50);
    });
    assert.ok(partialPages >= 2);
    assert.deepEqual(walked.toSorted(), IDS);
    loaded.abort();
    await load;
    assert.ok(seen.complete > 0 && seen.partial > 0, JSON.stringify(seen));
    for (let calls = 0; calls < 20; calls += 1) assert.ok(assertHonest(await service.find({ ...US, dedupe: false }), US_TOTAL));
    assert.equal((await service.call('GET', '/v1/sources')).json.sources.find(({ name }: Json) => name === 'cluster').status, 'ok');
  });
}

describe('a table over a clickhouse cluster of three', { skip: NO_CLICKHOUSE }, () => isOneSource(clickhouse));
describe('a table over two postgres servers', { skip: NO_POSTGRES }, () => isOneSource(postgres));
