import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { KEEPING_NONE } from '../../../src/ingest/rewritten.ts';
import { loadSegments } from '../../../src/pool/loader.ts';
import { Lakes, type LakesState } from '../../../src/sources/lake/lakes.ts';
import type { LoadSegments } from '../../../src/sources/lake/loading.ts';
import { testLake, type TestLake } from '../../ingest/lake.ts';
import { restored } from '../../support/restored.ts';

type Started = { readonly lakes: Lakes; readonly dataDir: string; state(): LakesState };

/** Lakes that were published before they are seen first, each as often as it is named. */
async function started(sources: readonly string[], load: LoadSegments): Promise<Started> {
  const lake = await testLake();
  for (const [nth, source] of sources.entries()) await lake.ingest([await lake.file('a.csv', `id,name,email\n1,Ann ${nth},ann@b.co\n`)], { source });
  return follow(lake, load);
}

async function follow(lake: TestLake, load: LoadSegments): Promise<Started> {
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

test('of snapshots that share segments, those too which the current one has no more, all are there for their cursors, by each segment once', async () => {
  const lake = await testLake();
  const KEEPING_ALL = { smallRowsMax: 0, ratio: 0, goneShareMax: 1 };
  for (const [id, keeping] of [[1, KEEPING_ALL], [2, KEEPING_ALL], [3, KEEPING_ALL], [4, KEEPING_NONE], [5, KEEPING_ALL]] as const) {
    await lake.ingest([await lake.file('a.csv', `id,name,email\n${id},Ann,ann@b.co\n`)], { keeping });
  }
  const loaded: string[] = [];
  const { lakes, state } = await follow(lake, (files, spoilt) => {
    loaded.push(...files.map(({ index }) => basename(index)));
    return loadSegments(files, spoilt);
  });
  await restored(state);
  assert.deepEqual(state().retained.map(({ manifest: { snapshot } }) => snapshot), [4, 3, 2, 1]);
  assert.deepEqual([loaded.length, new Set(loaded).size], [5, 5]);
  await lakes.close();
});

test('what was replaced is not served where it shares a segment with what is taken out of service while it is loaded', async () => {
  const lake = await testLake();
  for (const id of [1, 2]) await lake.ingest([await lake.file('a.csv', `id,name,email\n${id},Ann,ann@b.co\n`)], { keeping: { smallRowsMax: 0, ratio: 0, goneShareMax: 1 } });
  let spoil = (): void => {};
  let loads = 0;
  const { lakes, state } = await follow(lake, (files, spoilt) => {
    loads += 1;
    if (loads === 1) spoil = () => spoilt(files.at(-1)!);
    else spoil();
    return loadSegments(files, spoilt);
  });
  await restored(state);
  assert.deepEqual([loads, state().lakes.map(({ snapshot }) => snapshot), state().retained], [2, [null], []]);
  await lakes.close();
});
