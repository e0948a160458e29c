import assert from 'node:assert/strict';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadSegments } from '../../../src/pool/loader.ts';
import { Lakes, type LakesState, type LoadSegments } from '../../../src/sources/lake/lakes.ts';
import { testLake } from '../../ingest/lake.ts';
import { pause } from '../../support/runners.ts';

type Followed = { readonly lakes: Lakes; readonly troubles: unknown[]; state(): LakesState };

async function following(load: LoadSegments = loadSegments): Promise<Followed & { readonly dataDir: string }> {
  const lake = await testLake();
  await lake.ingest([await lake.file('a.csv', 'id,name,email\n1,Ann,ann@b.co\n')]);
  const troubles: unknown[] = [];
  let state: LakesState = { lakes: [], retained: [] };
  const lakes = new Lakes(lake.dataDir, load, { memoryBytes: 1_000_000, mapped: true }, (next) => { state = next; }, (error) => troubles.push(error));
  await lakes.reload();
  return { lakes, troubles, state: () => state, dataDir: lake.dataDir };
}

test('a folder that cannot be read is no empty one: what was served goes on, and says so until it can', async () => {
  const { lakes, troubles, state, dataDir } = await following();
  const folder = join(dataDir, 'lake/contacts');
  await rename(folder, `${folder}.away`);
  await writeFile(folder, 'no folder');
  await lakes.reload();
  await lakes.reload();
  assert.deepEqual(state().lakes.map(({ name, snapshot, trouble }) => [name, snapshot !== null, trouble]), [['crm', true, 'its folder cannot be read at the moment']]);
  assert.equal(troubles.length, 1, 'told once');
  await rm(folder);
  await rename(`${folder}.away`, folder);
  await lakes.reload();
  assert.equal(state().lakes[0]!.trouble, null);
});

test('a source whose folder was removed is served no more, but for the cursors that were cut from it', async () => {
  const { lakes, state, dataDir } = await following();
  await rm(join(dataDir, 'lake/contacts/crm'), { recursive: true });
  await lakes.reload();
  assert.deepEqual([state().lakes.length, state().retained.length], [0, 1]);
});

test('segments that could not be loaded are a lake in trouble, and tried again', async () => {
  let failing = true;
  const { lakes, troubles, state } = await following((files, spoilt) => (failing ? Promise.reject(new Error('no thread')) : loadSegments(files, spoilt)));
  assert.deepEqual(state().lakes.map(({ snapshot, trouble }) => [snapshot, trouble]), [[null, 'its segments could not be loaded']]);
  assert.equal(troubles.length, 1);
  failing = false;
  await lakes.reload();
  assert.equal(state().lakes[0]!.snapshot, null, 'not at once');
  await pause(1_100);
  await lakes.reload();
  assert.deepEqual([state().lakes[0]!.snapshot?.manifest.snapshot, state().lakes[0]!.trouble], [1, null]);
});

test('rows that turn out spoilt take every snapshot that has them out of service', async () => {
  let spoil = (): void => {};
  const { state } = await following((files, spoilt) => {
    spoil = () => spoilt(files[0]!);
    return loadSegments(files, () => {});
  });
  spoil();
  assert.deepEqual(state().lakes.map(({ snapshot, trouble }) => [snapshot, trouble]), [[null, 'a segment was refused: rows_checksum']]);
});

test('nothing published is nothing served', async () => {
  const lake = await testLake();
  await mkdir(join(lake.dataDir, 'lake/contacts/empty'), { recursive: true });
  let told = 0;
  await new Lakes(lake.dataDir, loadSegments, { memoryBytes: 0, mapped: true }, () => { told += 1; }).reload();
  assert.equal(told, 0);
});
