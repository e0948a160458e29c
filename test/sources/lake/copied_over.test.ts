import assert from 'node:assert/strict';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { eraseRows } from '../../../src/ingest/rewrite.ts';
import { loadSegments } from '../../../src/pool/loader.ts';
import { Lakes, type LakesState } from '../../../src/sources/lake/lakes.ts';
import { lakeDir } from '../../../src/sources/lake/paths.ts';
import { testLake } from '../../ingest/lake.ts';
import { people, range } from '../../ingest/layered.ts';
import { SMALL } from '../../ingest/small.ts';

const HEADER = 'id,name,email\n';
const ANN = '1,Ann,ann@b.co\n';

/** A lake of one source, published once. */
async function published(rows: string): Promise<string> {
  const lake = await testLake();
  await lake.ingest([await lake.file('a.csv', HEADER + rows)]);
  return lake.dataDir;
}

test('a source that was made anew elsewhere is served once it is copied over, also where its CURRENT came before the manifest of the same number', async () => {
  const dataDir = await published(ANN);
  let state: LakesState = { lakes: [], retained: [], held: [], restoring: [] };
  const lakes = new Lakes(dataDir, loadSegments, { memoryBytes: 1_000_000, mapped: true }, (next) => { state = next; }, (error) => assert.fail(error as Error));
  await lakes.reload();
  const from = lakeDir(await published(`${ANN}2,Bo,bo@b.co\n`), 'contacts', 'crm');
  const rows = (): number => state.lakes[0]!.snapshot!.manifest.segments.reduce((sum, segment) => sum + segment.rows, 0);
  for (const [part, served] of [['CURRENT', 1], ['segments', 1], ['snapshots', 2]] as const) {
    await cp(join(from, part), join(lakeDir(dataDir, 'contacts', 'crm'), part), { recursive: true });
    await lakes.reload();
    assert.deepEqual([part, rows(), state.lakes[0]!.trouble], [part, served, null]);
  }
  assert.equal(state.retained.length, 1, 'cursors go on');
  await lakes.close();
});

test('a source from which was erased elsewhere is served once it is copied over, also where its segments are some of those of another snapshot of the same number', async () => {
  const lake = await testLake();
  const grown = async (dataDir: string, version: string, ids: readonly number[]): Promise<unknown> => lake.ingest([await people(lake, version, ids)], { dataDir, mode: 'append', keeping: SMALL });
  await grown(lake.dataDir, 'first', range(0, 20));
  await grown(lake.dataDir, 'second', range(20, 25));
  const there = await testLake();
  await cp(join(lake.dataDir, 'lake'), join(there.dataDir, 'lake'), { recursive: true });
  await grown(lake.dataDir, 'third', range(30, 32));
  let state: LakesState = { lakes: [], retained: [], held: [], restoring: [] };
  const lakes = new Lakes(lake.dataDir, loadSegments, { memoryBytes: 1_000_000, mapped: true }, (next) => { state = next; }, (error) => assert.fail(error as Error));
  await lakes.reload();
  const served = (): readonly number[] => state.lakes[0]!.snapshot!.manifest.segments.map(({ rows }) => rows);
  assert.deepEqual(served(), [20, 5, 2]);
  const { signal, stage, dataDir } = there.order([]);
  const erasure = { dataDir, source: 'crm', extras: { contacts: [], companies: [] }, rowForm: null, signal, stage, keeping: SMALL };
  await eraseRows(erasure, await there.file('ids.txt', range(20, 25).join('\n')));
  await cp(join(dataDir, 'lake'), join(lake.dataDir, 'lake'), { recursive: true });
  await lakes.reload();
  assert.deepEqual(served(), [20]);
  await lakes.close();
});
