import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { until } from '../support/until.ts';
import { RunningService, type Json } from './service.ts';

const CANARY = 'canary-9c2d';
const ALL = { type: 'contacts', limit: 1_000 };
const FILES = { only: ['files'] };

describe('a search over a lake and parquet files', () => {
  let folder: string;
  let exports: string;
  let instance: DuckDBInstance;
  let writer: DuckDBConnection;
  let service: RunningService;

  /** 300 people in a lake, 300 in files by country; a hundred are in both. */
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lds-parquet-system-'));
    exports = join(folder, CANARY);
    instance = await DuckDBInstance.create(':memory:', { threads: '1' });
    writer = await instance.connect();
    for (const [country, odd] of [['US', 0], ['DE', 1]] as const) {
      await mkdir(join(exports, `country=${country}`), { recursive: true });
      await writer.run(`COPY (SELECT i AS key, 'File ' || i AS name, 'P' || i || '@X.org' AS email, '+4930' || i AS phone, 'München' AS city FROM range(200, 500) t(i) WHERE i % 2 = ${odd}) TO '${join(exports, `country=${country}`, 'people.parquet')}'`);
    }
    await writer.run(`COPY (SELECT i AS id, 'q' || i || '@y.org' AS email, repeat('x', 500) AS headline FROM range(300000) t(i)) TO '${join(folder, 'many.parquet')}'`);
    await writeFile(join(folder, 'config.yaml'), `sources:
  - { name: crm, dataset: contacts, kind: lake }
  - { name: files, dataset: contacts, kind: parquet, path: "${exports}/**/*.parquet", columns: { id: key, full_name: name } }
  - { name: many, dataset: contacts, kind: parquet, path: "${folder}/many.parquet", memory_mb: 128, threads: 1 }
`);
    const rows = Array.from({ length: 300 }, (_, i) => `c${i},p${i}@x.org,Crm ${i},${i % 2 === 0 ? 'US' : 'DE'},Berlin`);
    await writeFile(join(folder, 'crm.csv'), ['id,email,full_name,country,city', ...rows].join('\n'));
    service = await RunningService.start({ LDS_CONFIG: join(folder, 'config.yaml'), LDS_DEMO: '0', LDS_LOG_LEVEL: 'warn' }, folder);
    await service.ingest('crm', join(folder, 'crm.csv'));
    await until(async () => (await service.find(TWO)).json.total === 500, 20_000);
  }, { timeout: 300_000 });
  after(async () => {
    await service.stop();
    writer.closeSync();
    instance.closeSync();
    await rm(folder, { recursive: true, force: true });
  });

  const TWO = { ...ALL, sources: { ignore: ['many'] }, timeout_ms: 10_000 };

  /** Nothing of the files is in any answer. */
  function assertClean(text: string): void {
    for (const secret of [CANARY, 'people.parquet', '.parquet"', 'read_parquet', 'duckdb', 'DuckDB', 'SELECT', folder]) assert.ok(!text.includes(secret), `${secret} in ${text}`);
  }

  it('shows one row per identity across sources, and counts, filters and facets what the files hold', async () => {
    const answer = await service.find({ ...TWO, facets: ['country'] });
    const { json } = answer;
    assert.deepEqual([json.returned, json.total, json.total_relation, json.partial, json.warnings], [500, 500, 'eq', false, []]);
    const both = json.results.find((row: Json) => row.email === 'p250@x.org');
    assert.deepEqual([both.id, both.full_name, both.phone, both.sources], ['crm:c250', 'Crm 250', '+4930250', ['crm', 'files']]);
    const one = (await service.find({ ...ALL, sources: FILES, filters: { country: 'US', city: 'MUNCHEN', has_phone: true }, limit: 10, timeout_ms: 10_000 })).json;
    assert.deepEqual([one.total, one.total_relation, one.returned], [150, 'eq', 10]);
    assert.deepEqual(one.sources[0].filters, { pushed: ['country', 'city'], residual: ['has_phone'], unsupported: [] });
    assert.equal((await service.find({ ...ALL, sources: FILES, filters: { industry: 'x' }, strict: true })).json.error, 'unsupported_filter');
    assertClean(answer.text);
  });

  it('keeps one order over pages: a cursor never skips or repeats a row, and holds no path', async () => {
    for (const sources of [FILES, TWO.sources]) {
      const whole = (await service.find({ ...TWO, sources })).json.results.map(({ id }: Json) => id);
      const walked: string[] = [];
      for (let cursor: string | null = null; ;) {
        const { json } = await service.find({ type: 'contacts', limit: 77, sources, timeout_ms: 10_000, ...(cursor === null ? {} : { cursor }) });
        walked.push(...json.results.map(({ id }: Json) => id));
        cursor = json.next_cursor;
        if (cursor === null) break;
        assertClean(Buffer.from(cursor, 'base64url').toString('latin1'));
      }
      assert.deepEqual(walked, whole);
    }
  });

  it('streams every row, tells of the source among the others', async () => {
    const lines = await service.lines({ type: 'contacts', dedupe: true, sources: TWO.sources });
    assert.deepEqual([lines.at(-1)['@end'].returned, lines.at(-1)['@end'].partial], [500, false]);
    const described = async (): Promise<Json> => (await service.call('GET', '/v1/sources')).json.sources.find(({ name }: Json) => name === 'files');
    await until(async () => (await described()).rows !== null, 20_000);
    const files = await described();
    assert.deepEqual([files.rows, files.status, files.countries, files.fill.phone, files.filters.city], [300, 'ok', { US: 150, DE: 150 }, 1, 'pushed']);
  });

  it('gives what it can of files that are torn, says so, and is whole again when they are', async () => {
    await writeFile(join(exports, 'country=US', 'more.parquet'), 'PAR1 but torn');
    const full = { ...TWO, limit: 77, count: 'none' };
    await until(async () => (await service.find(full)).json.partial, 20_000);
    const status = async (): Promise<string> => (await service.call('GET', '/v1/sources')).json.sources.find(({ name }: Json) => name === 'files').status;
    await until(async () => await status() === 'degraded', 20_000);
    const torn = await service.find(TWO);
    assert.deepEqual([torn.status, torn.json.returned, torn.json.total_relation, torn.json.errors], [200, 500, 'approx', ['files: a part of the source cannot be read']]);
    assert.deepEqual(torn.json.sources.map(({ source, status }: Json) => [source, status]), [['crm', 'complete'], ['files', 'partial']]);
    assertClean(torn.text);
    for (const body of [{ ...TWO, limit: 77 }, full, { ...TWO, sources: FILES, limit: 77 }]) {
      const page = (await service.find(body)).json;
      assert.deepEqual([page.returned, page.partial, page.errors], [77, true, ['files: a part of the source cannot be read']], 'a full page says so too');
      assert.notEqual(page.next_cursor, null);
    }
    await rm(join(exports, 'country=US', 'more.parquet'));
    await until(async () => !(await service.find(TWO)).json.partial && await status() === 'ok', 20_000);
  });

  it('is unreachable while its files are gone, and back by itself', async () => {
    await rename(exports, `${exports}-away`);
    await until(async () => (await service.find({ ...ALL, sources: FILES })).status === 502, 20_000);
    const partial = await service.find(TWO);
    assert.deepEqual([partial.status, partial.json.returned, partial.json.partial], [200, 300, true]);
    assertClean(partial.text + (await service.call('GET', '/health', { key: null })).text + (await service.call('GET', '/v1/sources')).text);
    await rename(`${exports}-away`, exports);
    await until(async () => (await service.find(TWO)).json.returned === 500, 20_000);
  });

  it('holds a stream back with its reader, answers pages meanwhile, and ends in time amid a scan', async () => {
    const controller = new AbortController();
    const answer = await fetch(`${service.url}/v1/find`, {
      method: 'POST', headers: { authorization: `Bearer ${service.key}`, accept: 'application/x-ndjson' }, signal: controller.signal,
      body: JSON.stringify({ type: 'contacts', sources: { only: ['many'] } }),
    });
    await answer.body!.getReader().read();
    for (let page = 0; page < 5; page += 1) {
      const { json } = await service.find({ ...ALL, limit: 5, sources: { only: ['files', 'many'] }, dedupe: false, timeout_ms: 20_000 });
      assert.deepEqual([json.returned, json.partial], [5, false]);
    }
    const late = await service.find({ type: 'contacts', sources: { only: ['many'] }, query: 'nobody', filters: { email: { exclude: ['z'], include: ['nobody@nowhere.org'] } }, timeout_ms: 10 });
    assert.equal(late.status, 200);
    controller.abort();
    assert.equal((await service.find(TWO)).json.returned, 500);
  });
});
