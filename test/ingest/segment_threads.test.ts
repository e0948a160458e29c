import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Cutting } from '../../src/ingest/cut.ts';
import type { Stage } from '../../src/ingest/progress.ts';
import { buildInThreads } from '../../src/ingest/segment_threads.ts';
import { lakeDir, stagingDir } from '../../src/sources/lake/paths.ts';
import { readCurrent } from '../../src/sources/lake/current.ts';
import { testLake } from './lake.ts';

const CUTTING: Cutting = { rowsMin: 1, threads: 3, bytesMax: 1e9 };
const people = (version: string, rows: number): string =>
  `id,name,email,country\n${Array.from({ length: rows }, (_, at) => `${at},Ann ${version},ann${at}@a.com,${['DE', 'FR', 'US'][at % 3]}`).join('\n')}\n`;

test('several segments are built at once, tell every row once as it goes through, and are published together in serving order', async () => {
  const lake = await testLake();
  const through = new Map<string, number>();
  const stage: Stage = (name, _extent, work) => work((rows) => { through.set(name, (through.get(name) ?? 0) + rows); });
  await lake.ingest([await lake.file('a.csv', people('one', 9_000))], { cutting: CUTTING, stage });
  assert.deepEqual([through.get('sorting'), through.get('indexing')], [9_000, 9_000]);
  const { segments } = (await readCurrent(lakeDir(lake.dataDir, 'contacts', 'crm')))!;
  assert.deepEqual(segments.map(({ rows, countries }) => ({ rows, countries })), ['DE', 'FR', 'US'].map((country) => ({ rows: 3_000, countries: { [country]: 3_000 } })));
  assert.deepEqual(segments.map(({ id }) => id).sort(), segments.map(({ id }) => id));
  assert.equal((await lake.rows()).size, 9_000);
});

test('an ingest that is stopped while its segments are built leaves what was published, and no file', async () => {
  const lake = await testLake();
  await lake.ingest([await lake.file('a.csv', people('old', 30))], { cutting: CUTTING });
  const stopping = new AbortController();
  const stage: Stage = (name, _extent, work) => work(() => { if (name === 'indexing') stopping.abort(new DOMException('stopped by SIGINT', 'AbortError')); });
  const stopped = lake.ingest([await lake.file('b.csv', people('new', 30_000))], { cutting: CUTTING, stage, signal: stopping.signal });
  await assert.rejects(stopped, { name: 'AbortError' });
  assert.deepEqual(new Set([...(await lake.rows()).values()].map((row) => row.last_name)), new Set(['old']));
  assert.deepEqual(await readdir(stagingDir(lakeDir(lake.dataDir, 'contacts', 'crm'))), []);
});

test('one segment that cannot be built fails the whole with its own error', async () => {
  const lake = await testLake();
  const head = { dataset: 'contacts', source: 'crm', extras: [] } as const;
  const orders = ['a', 'b', 'c'].map((part) => {
    const path = (ending: string): string => join(lake.dataDir, `${part}.${ending}`);
    return { head, files: { index: path('index'), rows: path('rows'), truth: path('parquet') }, form: 'text', rankGaps: null } as const;
  });
  const building = { threads: 2, signal: new AbortController().signal, advance: () => undefined };
  await assert.rejects(buildInThreads(orders, building), /ENOENT.*[ab]\.parquet/);
  assert.deepEqual((await readdir(lake.dataDir)).filter((name) => name.startsWith('c.')), []);
});
