import assert from 'node:assert/strict';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ClickhouseServer, NO_CLICKHOUSE } from '../support/servers/clickhouse.ts';
import { NO_POSTGRES, PostgresServer } from '../support/servers/postgres.ts';
import { pause } from '../support/runners.ts';
import { until } from '../support/until.ts';
import { RunningService, type Json } from './service.ts';

const CANARY = 'canary-7f3e';

/** 300 people in a lake, 300 in a table; a hundred are in both. */
async function serve(url: string): Promise<RunningService> {
  const folder = await mkdtemp(join(tmpdir(), 'lds-foreign-'));
  const config = join(folder, 'config.yaml');
  await writeFile(config, `sources:
  - { name: crm, dataset: contacts, kind: lake }
  - { name: registry, dataset: contacts, kind: postgres, url: "${url}", table: people, columns: { id: key, full_name: name }, connect_timeout_ms: 5000 }
`);
  const rows = Array.from({ length: 300 }, (_, i) => `c${i},p${i}@x.org,Crm ${i},${i % 2 === 0 ? 'US' : 'DE'},Berlin`);
  await writeFile(join(folder, 'crm.csv'), ['id,email,full_name,country,city', ...rows].join('\n'));
  const service = await RunningService.start({ LDS_CONFIG: config, LDS_DEMO: '0', LDS_LOG_LEVEL: 'warn' }, folder);
  await service.ingest('crm', join(folder, 'crm.csv'));
  return service;
}

const names = ({ json }: { json: Json }): [string, string, string | null][] => json.sources.map((one: Json) => [one.source, one.status, one.reason]);
const ALL = { type: 'contacts', limit: 1_000 };

describe('a search over a lake and a postgres table', { skip: NO_POSTGRES }, () => {
  let server: PostgresServer;
  let service: RunningService;

  before(async () => {
    server = await PostgresServer.start([`cluster_name=${CANARY}`]);
    await server.query(`CREATE TABLE people (key bigint PRIMARY KEY, name text, email text, phone text, country text, city text)`);
    await server.query(`INSERT INTO people SELECT i, 'Registry ' || i, 'P' || i || '@X.org', '+4930' || i, CASE i % 2 WHEN 0 THEN 'us' ELSE 'de' END, 'München' FROM generate_series(200, 499) i`);
    service = await serve(server.url);
    await until(async () => (await service.find(ALL)).json.total === 500, 10_000);
  }, { timeout: 300_000 });
  after(async () => {
    await service.stop();
    await server.stop();
  });

  /** Nothing of the provider is in any answer. */
  function assertClean(text: string): void {
    for (const secret of [CANARY, String(server.port), 'secret', 'people', 'ECONNREFUSED', '57P0', 'SELECT', 'postgres:']) assert.ok(!text.includes(secret), `${secret} in ${text}`);
  }

  it('shows one row per identity across sources, the first source standing and the others filling its blanks', async () => {
    const { json } = await service.find(ALL);
    assert.deepEqual([json.returned, json.total, json.total_relation, json.partial, json.warnings], [500, 500, 'eq', false, []]);
    const both = json.results.find((row: Json) => row.email === 'p250@x.org');
    assert.deepEqual([both.id, both.full_name, both.phone, both.sources], ['crm:c250', 'Crm 250', '+4930250', ['crm', 'registry']]);
    const own = json.results.find((row: Json) => row.email === 'p450@x.org');
    assert.deepEqual([own.id, own.source, own.sources, own.country], ['registry:450', 'registry', ['registry'], 'US']);
  });

  it('keeps one order over pages of every size: a cursor never skips or repeats a row', async () => {
    const whole = (await service.find(ALL)).json.results.map(({ id }: Json) => id);
    for (const dedupe of [true, false]) {
      const walked: string[] = [];
      for (let cursor: string | null = null; ;) {
        const { json } = await service.find({ type: 'contacts', limit: 77, dedupe, ...(cursor === null ? {} : { cursor }) });
        walked.push(...json.results.map(({ id }: Json) => id));
        cursor = json.next_cursor;
        if (cursor === null) break;
      }
      if (dedupe) assert.deepEqual(walked, whole);
      else assert.deepEqual([walked.length, new Set(walked).size], [600, 600]);
    }
  });

  it('pushes filters down and tells so, counts in the source, and compares words as the lake does', async () => {
    const { json } = await service.find({ type: 'contacts', filters: { country: 'US', city: 'MUNCHEN', has_phone: true }, sources: { only: ['registry'] }, limit: 10 });
    assert.deepEqual([json.total, json.total_relation, json.returned], [150, 'eq', 10]);
    assert.deepEqual(json.sources[0].filters, { pushed: ['country', 'city'], residual: ['has_phone'], unsupported: [] });
    const cut = (await service.find({ type: 'contacts', filters: { country: 'US', city: 'MUNCHEN', has_phone: true }, fields: ['email'], sources: { only: ['registry'] }, limit: 1 })).json;
    assert.deepEqual([cut.total, cut.results.map((row: Json) => Object.keys(row))], [150, [['id', 'source', 'email']]]);
    assert.equal((await service.find({ type: 'contacts', query: 'registry', filters: { country: 'DE' } })).json.total, 150);
    assert.equal((await service.find({ type: 'contacts', filters: { industry: 'x' }, strict: true })).json.error, 'unsupported_filter');
  });

  it('adds up facets across sources', async () => {
    const { json } = await service.find({ ...ALL, dedupe: false, facets: ['city', 'country', 'has_phone'] });
    assert.deepEqual(json.facets.city, [{ value: 'Berlin', count: 300 }, { value: 'München', count: 300 }]);
    assert.deepEqual(json.facets.country, [{ value: 'DE', count: 300 }, { value: 'US', count: 300 }]);
    assert.deepEqual(json.facets.has_phone, [{ value: 'false', count: 300 }, { value: 'true', count: 300 }]);
  });

  it('streams every row, and takes a stream up again from its cursor', async () => {
    for (const dedupe of [true, false]) {
      const lines = await service.lines({ type: 'contacts', dedupe });
      const end = lines.at(-1)['@end'];
      assert.deepEqual([end.returned, end.total, end.partial], dedupe ? [500, 500, false] : [600, 600, false]);
      const first = await service.lines({ type: 'contacts', dedupe, limit: 260 });
      const rest = await service.lines({ type: 'contacts', dedupe, cursor: first.at(-1)['@end'].next_cursor });
      const ids = [...first, ...rest].map((line) => line.id).filter((id) => id !== undefined);
      assert.deepEqual([ids.length, new Set(ids).size], dedupe ? [500, 500] : [600, 600]);
    }
  });

  it('tells of the source among the others, and counts its scans', async () => {
    const { sources, totals } = (await service.call('GET', '/v1/sources')).json;
    const registry = sources.find(({ name }: Json) => name === 'registry');
    assert.deepEqual([registry.rows, registry.status, registry.countries, registry.fill.phone, registry.filters.city], [300, 'ok', { US: 150, DE: 150 }, 1, 'pushed']);
    assert.equal(totals.contacts, 600);
    const admin = await service.createKey('operator@localhost', 'unlimited', 'admin');
    const metrics = await service.call('GET', '/metrics', { key: admin });
    if (metrics.status === 200) assert.match(metrics.text, /lds_scans_total\{source="registry",runs_in="worker"\} [1-9]/);
  });

  it('answers on time with the rows of the others while a source hangs, and says whose are missing', async () => {
    server.signal('SIGSTOP');
    try {
      const begunMs = performance.now();
      // Longer than a busy machine holds the rows of the others up.
      const answer = await service.find({ ...ALL, timeout_ms: 2_000 });
      assert.ok(performance.now() - begunMs < 12_000);
      assert.deepEqual([answer.status, answer.json.returned, answer.json.partial, answer.json.total_relation], [200, 300, true, 'gte']);
      assert.deepEqual(names(answer), [['crm', 'complete', null], ['registry', 'failed', 'timed out']]);
      assert.equal(answer.json.warnings.length, 1);
      assert.deepEqual(answer.json.errors, ['registry: timed out']);
      assert.equal((await service.find({ ...ALL, sources: { only: ['registry'] }, timeout_ms: 100 })).status, 200);
    } finally {
      server.signal('SIGCONT');
    }
    await until(async () => (await service.find(ALL)).json.partial === false);
  });

  it('survives the death of a source: partial answers, a 502 where it alone was asked, a walk that loses no row, and healing by itself', async () => {
    const whole = (await service.find(ALL)).json.results.map(({ id }: Json) => id) as string[];
    const { json: first } = await service.find({ type: 'contacts', limit: 50 });
    await server.crash();
    const refused = await service.find({ type: 'contacts', sources: { only: ['registry'] } }, { headers: { accept: 'application/x-ndjson' } });
    assert.deepEqual([refused.status, refused.json.error], [502, 'sources_unreachable']);
    const partial = await service.find({ type: 'contacts', limit: 50, cursor: first.next_cursor });
    assert.deepEqual([partial.status, partial.json.partial], [200, true]);
    assert.deepEqual(names(partial).map(([source, status]) => [source, status === 'complete']), [['crm', true], ['registry', false]]);
    assertClean(partial.text);
    await until(async () => (await service.call('GET', '/v1/sources')).json.sources[1].status === 'down' || (await service.find({ type: 'contacts' }), false));
    const skipped = await service.find({ type: 'contacts' });
    assert.deepEqual(names(skipped)[1], ['registry', 'skipped', 'unreachable']);
    assert.deepEqual([skipped.json.partial, skipped.json.warnings.length, skipped.json.errors.length], [true, 1, 1]);
    const alone = await service.find({ type: 'contacts', sources: { only: ['registry'] } });
    assert.deepEqual([alone.status, alone.json.error], [502, 'sources_unreachable']);
    assertClean(skipped.text + alone.text + (await service.call('GET', '/health', { key: null })).text + (await service.call('GET', '/v1/sources')).text);

    await server.resume();
    await until(async () => (await service.find(ALL)).json.partial === false);
    const walked = [...first.results, ...partial.json.results].map(({ id }: Json) => id as string);
    for (let cursor = partial.json.next_cursor; cursor !== null;) {
      const { json } = await service.find({ type: 'contacts', limit: 500, cursor });
      walked.push(...json.results.map(({ id }: Json) => id as string));
      cursor = json.next_cursor;
    }
    assert.equal(new Set(walked).size, walked.length);
    assert.deepEqual(whole.filter((id) => !walked.includes(id)), []);
  });

  it('ends a walk whose place is none in the order that the table has by now, and begins it again without a cursor', async () => {
    const admin = await service.createKey('operator@localhost', 'unlimited', 'admin');
    for (const [sources, change, back] of [
      [{ only: ['registry'] }, 'ALTER COLUMN key TYPE text', 'ALTER COLUMN key TYPE bigint USING key::bigint'],
      [{}, 'RENAME COLUMN email TO mail', 'RENAME COLUMN mail TO email'],
    ] as const) {
      const walk = { type: 'contacts', limit: 250, sources, dedupe: true, timeout_ms: 10_000 };
      const { next_cursor: cursor } = (await service.find(walk)).json;
      await server.query(`ALTER TABLE people ${change}`);
      try {
        await until(async () => {
          const { status, json } = await service.find({ ...walk, cursor });
          if (status === 200) assert.equal(json.partial, true);
          else assert.deepEqual([status, json.error], [400, 'stale_cursor']);
          return status === 400;
        });
        const stream = await service.find({ ...walk, cursor }, { headers: { accept: 'application/x-ndjson' } });
        assert.match(stream.text, /"error":"stale_cursor"/);
        assert.deepEqual((await service.find(walk)).json.warnings.filter((warning: string) => warning.includes('did not finish')), []);
      } finally {
        await server.query(`ALTER TABLE people ${back}`);
      }
      // A column that came refuses nothing: it would be seen when the source is described the next time.
      await until(async () => (await service.call('POST', '/admin/sources/registry/reload', { key: admin }), (await service.find(ALL)).json.total === 500));
    }
  });

  it('stops the query on the server when the reader of a stream leaves, or the deadline strikes', async () => {
    // Left alone a query of it would take a minute.
    await server.query(`CREATE OR REPLACE VIEW slow AS SELECT p.*, pg_sleep(0.2)::text AS headline FROM people p`);
    const running = async (): Promise<number> => (await server.query(`SELECT 1 FROM pg_stat_activity WHERE application_name = 'lead-data-service' AND state = 'active'`)).length;
    await server.query('BEGIN; ALTER TABLE people RENAME TO people_before; ALTER VIEW slow RENAME TO people; COMMIT');
    try {
      await service.find({ type: 'contacts', sources: { only: ['registry'] }, timeout_ms: 150, count: 'none' });
      await until(async () => await running() === 0);
      const controller = new AbortController();
      const stream = fetch(`${service.url}/v1/find`, {
        method: 'POST', headers: { authorization: `Bearer ${service.key}`, accept: 'application/x-ndjson' }, signal: controller.signal,
        body: JSON.stringify({ type: 'contacts', sources: { only: ['registry'] }, filters: { has_phone: true } }),
      }).then((answer) => answer.text());
      await until(async () => await running() > 0);
      controller.abort();
      await assert.rejects(stream);
      await until(async () => await running() === 0);
    } finally {
      await server.query('BEGIN; ALTER VIEW people RENAME TO slow; ALTER TABLE people_before RENAME TO people; COMMIT');
    }
  });
});

describe('a source that is down at the start', { skip: NO_POSTGRES }, () => {
  it('does not stop the start, and is served once it is there', async () => {
    const server = await PostgresServer.start();
    await server.query('CREATE TABLE people (key bigint PRIMARY KEY, name text, email text, country text)');
    await server.query(`INSERT INTO people VALUES (1, 'Ann', 'ann@x.org', 'US')`);
    await server.crash();
    const service = await serve(server.url);
    try {
      assert.equal((await service.find({ type: 'contacts', sources: { only: ['registry'] } })).status, 502);
      await server.resume();
      for (let tries = 0; (await service.find({ type: 'contacts', sources: { only: ['registry'] } })).status === 502; tries += 1) {
        assert.ok(tries < 200);
        await pause(50);
      }
      assert.equal((await service.find({ type: 'contacts', sources: { only: ['registry'] } })).json.results[0].id, 'registry:1');
    } finally {
      await service.stop();
      await server.stop();
    }
  });
});

describe('a search over tables of two engines', { skip: NO_POSTGRES || NO_CLICKHOUSE }, () => {
  it('merges them in one order, page by page and as a stream, and tells of the one that died', async () => {
    const [registry, warehouse] = await Promise.all([PostgresServer.start(), ClickhouseServer.start()]);
    await registry.query(`CREATE TABLE people (id bigint PRIMARY KEY, full_name text, email text, linkedin_url text, country text)`);
    await registry.query(`INSERT INTO people SELECT i, 'Registry ' || i, CASE WHEN i % 3 <> 0 THEN 'p' || i || '@x.org' END, CASE WHEN i % 3 = 0 THEN 'https://www.linkedin.com/in/p' || i END, 'US' FROM generate_series(0, 199) i`);
    await warehouse.query(`CREATE TABLE people (id UInt32, full_name String, email String, linkedin_url String, phone String) ENGINE = MergeTree ORDER BY id`);
    await warehouse.query(`INSERT INTO people SELECT number, concat('Warehouse ', toString(number)), if(number % 3 != 0, concat('P', toString(number), '@X.ORG'), ''),
      if(number % 3 = 0, concat('https://www.linkedin.com/in/p', toString(number)), ''), '+49' FROM system.numbers WHERE number >= 100 LIMIT 200`);
    const folder = await mkdtemp(join(tmpdir(), 'lds-foreign-'));
    await writeFile(join(folder, 'config.yaml'), `sources:
  - { name: registry, dataset: contacts, kind: postgres, url: "${registry.url}", table: people }
  - { name: warehouse, dataset: contacts, kind: clickhouse, url: "${warehouse.url}", table: people, timeout_ms: 1000 }
`);
    const service = await RunningService.start({ LDS_CONFIG: join(folder, 'config.yaml'), LDS_DEMO: '0', LDS_LOG_LEVEL: 'error' }, folder);
    try {
      // On a busy machine the start does not wait for them.
      await until(async () => (await service.find(ALL)).json.partial === false);
      const { json } = await service.find(ALL);
      assert.deepEqual([json.returned, json.total, json.total_relation, json.warnings], [300, 300, 'eq', []]);
      const both = json.results.filter(({ sources }: Json) => sources.length === 2);
      assert.equal(both.length, 100);
      assert.ok(both.every(({ source, phone, full_name: name }: Json) => source === 'registry' && phone === '+49' && name.startsWith('Registry')));
      const walked: string[] = [];
      for (let cursor: string | null = null; ;) {
        const page: Json = (await service.find({ type: 'contacts', limit: 37, ...(cursor === null ? {} : { cursor }) })).json;
        walked.push(...page.results.map(({ id }: Json) => id));
        cursor = page.next_cursor;
        if (cursor === null) break;
      }
      assert.deepEqual(walked, json.results.map(({ id }: Json) => id));
      assert.equal((await service.lines({ type: 'contacts' })).at(-1)['@end'].returned, 400);
      await warehouse.crash();
      const partial = await service.find(ALL);
      assert.deepEqual([partial.status, partial.json.returned, partial.json.partial], [200, 200, true]);
      assert.equal(names(partial)[1]![1], 'failed');
      assert.doesNotMatch(partial.text, /ECONN|DB::|127\.0\.0\.1|people/);
    } finally {
      await service.stop();
      await Promise.all([registry.stop(), warehouse.stop()]);
    }
  });
});
