import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Cutting } from '../../src/ingest/cut.ts';
import { worldly } from '../../src/ingest/failure.ts';
import type { Stage } from '../../src/ingest/progress.ts';
import { readCurrent } from '../../src/sources/lake/current.ts';
import { lakeDir, segmentFiles, stagingDir } from '../../src/sources/lake/paths.ts';
import { testLake } from './lake.ts';

const IN_FOUR: Cutting = { rowsMin: 1, threads: 4, bytesMax: 1e9 };
const HELD = [Infinity, 0];
/** Everything is written anew with what it is brought to. */
const KEEPING = { smallRowsMax: Infinity, ratio: Infinity, goneShareMax: 0 };

const csv = (rows: readonly number[], version: string): string =>
  ['id,name,email,country,skills,title', ...rows.map((at) => [
    at % 7 === 0 ? '' : `k${at}`, `Ann ${version} ${at}`, at % 3 === 0 ? '' : `ann${at}@a.com`, ['DE', 'FR', '', 'US', 'JP'][at % 5], ['', 'Sql;Go', 'Rust'][at % 3], `"Chief, ""${at % 11}"""`,
  ].join(','))].join('\n');
const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, at) => from + at);

test('rows that are written apart before they are sorted make the same segments, byte for byte, as those that are looked through for each', async () => {
  const made = await Promise.all(HELD.map(async (heldBytesMax) => {
    const lake = await testLake();
    const stages: string[] = [];
    const stage: Stage = (name, _extent, work) => { stages.push(name); return work(() => undefined); };
    const order = { cutting: { ...IN_FOUR, heldBytesMax }, keeping: KEEPING, stage };
    const digests: string[][] = [];
    for (const [rows, version] of [[range(0, 9_000), 'one'], [range(6_000, 12_000), 'two']] as const) {
      await lake.ingest([await lake.file('a.csv', csv(rows, version))], order);
      const dir = lakeDir(lake.dataDir, 'contacts', 'crm');
      digests.push((await readCurrent(dir))!.segments.flatMap(({ id }) => Object.values(segmentFiles(dir, id)).map((path) => createHash('sha256').update(readFileSync(path)).digest('hex'))));
      assert.deepEqual(readdirSync(stagingDir(dir)), []);
    }
    return { stages: stages.filter((name) => name === 'parting'), digests };
  }));
  const [looked, apart] = made as [(typeof made)[0], (typeof made)[0]];
  assert.deepEqual([looked.stages, apart.stages], [[], ['parting', 'parting']]);
  assert.deepEqual(looked.digests.map(({ length }) => length), [12, 12]);
  assert.deepEqual(apart.digests, looked.digests);
});

test('an ingest that is stopped while its rows are written apart leaves what was published, and no file', async () => {
  const lake = await testLake();
  await lake.ingest([await lake.file('a.csv', csv(range(0, 30), 'old'))]);
  const before = await lake.rows();
  const stopping = new AbortController();
  const stage: Stage = (name, _extent, work) => {
    if (name !== 'parting') return work(() => undefined);
    setTimeout(() => stopping.abort(new DOMException('stopped by SIGINT', 'AbortError')), 20);
    return work(() => undefined);
  };
  const stopped = lake.ingest([await lake.file('b.csv', csv(range(0, 60_000), 'new'))], { mode: 'replace', cutting: { ...IN_FOUR, heldBytesMax: 0 }, stage, signal: stopping.signal });
  await assert.rejects(stopped, (error) => worldly(error) === 'stopped');
  const dir = lakeDir(lake.dataDir, 'contacts', 'crm');
  assert.deepEqual(readdirSync(stagingDir(dir)), []);
  assert.deepEqual(await lake.rows(), before);
  assert.deepEqual(readdirSync(join(dir, 'segments')).length, 3);
});
