import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { loadSegments } from '../../../src/pool/loader.ts';
import { Lakes, type LakesState } from '../../../src/sources/lake/lakes.ts';
import type { LoadSegments } from '../../../src/sources/lake/loading.ts';
import { testLake } from '../../ingest/lake.ts';
import { layeredLake, people, range } from '../../ingest/layered.ts';
import { SMALL } from '../../ingest/small.ts';
import { restored } from '../../support/restored.ts';

type Started = { readonly lakes: Lakes; readonly dataDir: string; state(): LakesState };

/** Lakes that were published before they are seen first, each as often as it is named. */
async function started(sources: readonly string[], load: LoadSegments): Promise<Started> {
  const lake = await testLake();
  const file = await lake.file('a.csv', 'id,name,email\n1,Ann,ann@b.co\n');
  for (const source of sources) await lake.ingest([file], { source });
  let state: LakesState = { lakes: [], retained: [], held: [], restoring: [] };
  const lakes = new Lakes(lake.dataDir, load, { memoryBytes: 1_000_000, mapped: true }, (next) => { state = next; }, (error) => assert.fail(error as Error));
  await lakes.reload();
  return { lakes, dataDir: lake.dataDir, state: () => state };
}

test('what was replaced is loaded one after the other, when all that is current is served', async () => {
  const asked: string[] = [];
  let [loading, most] = [0, 0];
  const { lakes, state } = await started(['crm', 'crm', 'web', 'web'], (files, spoilt) => {
    most = Math.max(most, loading += 1);
    asked.push(...files.map(({ index }) => `${index.split('/').at(-3)!}@${parseInt(basename(index), 10)}`));
    return loadSegments(files, spoilt).finally(() => { loading -= 1; });
  });
  assert.deepEqual(state().restoring.map(({ name }) => name), ['crm', 'web']);
  await restored(state);
  assert.deepEqual([asked, most], [['crm@2', 'web@2', 'crm@1', 'web@1'], 1]);
  assert.deepEqual(state().retained.map(({ manifest: { source, snapshot } }) => [source, snapshot]), [['crm', 1], ['web', 1]]);
  await lakes.close();
});

test('what is put back while it is loaded for cursors is served by each segment once', async () => {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => { release = resolve; });
  let replacedAsked = (): void => {};
  const isReplacedAsked = new Promise<void>((resolve) => { replacedAsked = resolve; });
  let loads = 0;
  const { lakes, state, dataDir } = await started(['crm', 'crm'], async (files, spoilt) => {
    loads += 1;
    if (loads !== 2) return loadSegments(files, spoilt);
    replacedAsked();
    return released.then(() => loadSegments(files, spoilt));
  });
  await isReplacedAsked;
  await writeFile(join(dataDir, 'lake/contacts/crm/CURRENT'), '1\n');
  await lakes.reload();
  release();
  await restored(state);
  const snapshots = [...state().lakes.map(({ snapshot }) => snapshot!), ...state().retained];
  assert.deepEqual([loads, snapshots.map(({ manifest: { snapshot } }) => snapshot)], [3, [1, 2]]);
  await lakes.close();
});

test('what was replaced is all there for its cursors, though snapshots share segments that the current one has not, and each segment is loaded once', async () => {
  const { lake } = await layeredLake();
  await lake.ingest([await people(lake, 'fourth', range(48, 54))], { keeping: SMALL });
  const asked: string[] = [];
  let state: LakesState = { lakes: [], retained: [], held: [], restoring: [] };
  const lakes = new Lakes(lake.dataDir, (files, spoilt) => {
    asked.push(...files.map(({ index }) => basename(index)));
    return loadSegments(files, spoilt);
  }, { memoryBytes: 1_000_000, mapped: true }, (next) => { state = next; }, (error) => assert.fail(error as Error));
  await lakes.reload();
  await restored(() => state);
  const snapshots = [...state.lakes.map(({ snapshot }) => snapshot!), ...state.retained];
  assert.deepEqual(snapshots.map(({ manifest: { snapshot, segments } }) => [snapshot, ...segments.map(({ id }) => parseInt(id, 10))]), [[4, 1, 4], [3, 1, 2, 3], [2, 1, 2], [1, 1]]);
  assert.deepEqual(snapshots.map(({ segments }) => [...segments.values()].map(({ gone }) => gone.length)), [[13, 0], [11, 1, 0], [10, 0], [0]]);
  assert.equal(new Set(asked).size, asked.length);
  for (const id of new Set(asked.map((name) => name.replace('.index', '')))) {
    assert.equal(new Set(snapshots.flatMap(({ segments }) => segments.get(id)?.index ?? [])).size, 1, id);
  }
  await lakes.close();
});
