import assert from 'node:assert/strict';
import { mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { LIMITS } from '../../../src/config/limits.ts';
import { loadSegments } from '../../../src/pool/loader.ts';
import { Lakes } from '../../../src/sources/lake/lakes.ts';
import type { LoadSegments } from '../../../src/sources/lake/loading.ts';
import { acquireLock } from '../../../src/sources/lake/lock.ts';
import { lakeDir, segmentsDir, snapshotsDir, stagingDir } from '../../../src/sources/lake/paths.ts';
import { sweepUnlessWriting } from '../../../src/sources/lake/sweep.ts';
import { testLake } from '../../ingest/lake.ts';
import { restored } from '../../support/restored.ts';
import { following } from './following.ts';

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

test('a folder that cannot be read when the service starts is no empty one either', async () => {
  let folder = '';
  const { lakes, troubles, state } = await following(loadSegments, async ({ dataDir }) => {
    folder = join(dataDir, 'lake/contacts');
    await rename(folder, `${folder}.away`);
    await writeFile(folder, 'no folder');
  });
  const trouble = 'its folder cannot be read at the moment';
  assert.deepEqual(state().lakes, ['contacts', 'companies'].map((dataset) => ({ name: 'lakes', dataset, snapshot: null, trouble })));
  assert.equal(troubles.length, 1, 'told once');
  await rm(folder);
  await rename(`${folder}.away`, folder);
  await lakes.reload();
  assert.deepEqual(state().lakes.map(({ name, trouble: left }) => [name, left]), [['crm', null]]);
});

test('a source of which cannot be told what is published is in trouble, served or not, until that can be told again', async () => {
  let current = '';
  const away = async (): Promise<void> => {
    await rename(current, `${current}.away`);
    await symlink('CURRENT', current);
  };
  const { lakes, clock, troubles, state } = await following(loadSegments, async ({ dataDir }) => {
    current = join(dataDir, 'lake/contacts/crm/CURRENT');
    await away();
  });
  const look = async (): Promise<unknown> => {
    clock.shiftMs += LIMITS.lakeRetryMsMax;
    await lakes.reload();
    return state().lakes.map(({ name, snapshot, trouble }) => [name, snapshot !== null, trouble]);
  };
  const back = (): Promise<void> => rename(`${current}.away`, current);
  assert.deepEqual(await look(), [['crm', false, 'its manifest cannot be read']]);
  assert.match(String(troubles[0]), /ELOOP/);
  await back();
  assert.deepEqual(await look(), [['crm', true, null]]);
  await away();
  assert.deepEqual(await look(), [['crm', true, 'its manifest cannot be read']]);
  await back();
  assert.deepEqual(await look(), [['crm', true, null]]);
});

test('a source whose folder was removed is served no more, but for the cursors that were cut from it', async () => {
  const { lakes, state, dataDir } = await following();
  await rm(join(dataDir, 'lake/contacts/crm'), { recursive: true });
  await lakes.reload();
  assert.deepEqual([state().lakes.length, state().retained.length], [0, 1]);
});

test('a source whose folder was away for a while is served from what was loaded last, by each segment once, also to cursors', async () => {
  const { lakes, state, dataDir } = await following(loadSegments, async (lake) => {
    await lake.ingest([await lake.file('b.csv', 'id,name,email\n2,Bo,bo@b.co\n')]);
  });
  const folder = join(dataDir, 'lake/contacts/crm');
  for (let times = 0; times < 2; times += 1) {
    await rename(folder, `${dataDir}/away`);
    await lakes.reload();
    await rename(`${dataDir}/away`, folder);
    await lakes.reload();
    await restored(state);
    const snapshots = [...state().lakes.map(({ snapshot }) => snapshot!), ...state().retained];
    assert.deepEqual(snapshots.map(({ manifest: { snapshot } }) => snapshot), [2, 1]);
    assert.equal(new Set(snapshots.flatMap(({ segments }) => [...segments.keys()])).size, 2);
  }
});

test('what was published before and is put back under the service is served as it was loaded then, by each segment once', async () => {
  const { lakes, clock, state, dataDir, lake } = await following();
  const retained = (): number[] => state().retained.map(({ manifest: { snapshot } }) => snapshot);
  const publish = async (id: number): Promise<void> => {
    await lake.ingest([await lake.file(`${id}.csv`, `id,name,email\n${id},Bo,bo${id}@b.co\n`)]);
    await lakes.reload();
  };
  await publish(2);
  const current = join(dataDir, 'lake/contacts/crm/CURRENT');
  await writeFile(current, '1\n');
  await lakes.reload();
  assert.deepEqual([state().lakes[0]!.snapshot!.manifest.snapshot, retained()], [1, [2]]);
  await publish(3);
  assert.deepEqual(retained(), [2, 1]);
  const served = state().lakes[0]!.snapshot;
  for (let times = 0; times < 3; times += 1) {
    await rename(current, `${current}.away`);
    await lakes.reload();
    clock.shiftMs += LIMITS.lakeRetryMsMax;
    await rename(`${current}.away`, current);
    await lakes.reload();
  }
  assert.deepEqual([state().lakes[0]!.trouble, state().lakes[0]!.snapshot === served, retained()], [null, true, [2, 1]]);
});

test('segments that could not be loaded are a lake in trouble, and tried again', async () => {
  let failing = true;
  const { lakes, clock, troubles, state } = await following((files, spoilt) => (failing ? Promise.reject(new Error('no thread')) : loadSegments(files, spoilt)));
  assert.deepEqual(state().lakes.map(({ snapshot, trouble }) => [snapshot, trouble]), [[null, 'its segments could not be loaded']]);
  assert.equal(troubles.length, 1);
  failing = false;
  await lakes.reload();
  assert.equal(state().lakes[0]!.snapshot, null, 'not at once');
  clock.shiftMs += LIMITS.lakeRetryMsMax;
  await lakes.reload();
  assert.deepEqual([state().lakes[0]!.snapshot?.manifest.snapshot, state().lakes[0]!.trouble], [1, null]);
});

test('what is published after a snapshot that could not be loaded is taken up at once, however often that one was tried', async () => {
  let failing = false;
  const { lakes, clock, state, lake } = await following((files, spoilt) => (failing ? Promise.resolve(files.map(() => ({ ok: false, reason: 'checksum' }))) : loadSegments(files, spoilt)));
  failing = true;
  await lake.ingest([await lake.file('b.csv', 'id,name,email\n2,Bob,bob@b.co\n')]);
  for (let tries = 0; tries < 8; tries += 1) {
    clock.shiftMs += LIMITS.lakeRetryMsMax;
    await lakes.reload();
  }
  assert.deepEqual([state().lakes[0]!.snapshot?.manifest.snapshot, state().lakes[0]!.trouble], [1, 'a segment was refused: checksum']);
  failing = false;
  await lakes.reload();
  assert.equal(state().lakes[0]!.snapshot?.manifest.snapshot, 1, 'the same is not tried before its time');
  await lake.ingest([await lake.file('c.csv', 'id,name,email\n3,Cy,cy@b.co\n')]);
  await lakes.reload();
  assert.deepEqual([state().lakes[0]!.snapshot?.manifest.snapshot, state().lakes[0]!.trouble], [3, null]);
  await lakes.close();
});

test('the end of the service does not wait for what is being loaded, and is told nothing of it later', async () => {
  const { lake, dataDir, lakes: first } = await following();
  await first.close();
  let told = 0;
  let slowly: LoadSegments;
  const asked = new Promise<() => void>((isAsked) => {
    slowly = (files, spoilt) => new Promise((resolve) => { isAsked(() => resolve(loadSegments(files, spoilt))); });
  });
  const lakes = new Lakes(dataDir, slowly!, { memoryBytes: 0, mapped: true }, () => { told += 1; });
  const opened = lakes.open();
  const loaded = await asked;
  await lakes.close();
  loaded();
  await opened;
  const dir = lakeDir(lake.dataDir, 'contacts', 'crm');
  assert.deepEqual([told, (await readdir(dir)).filter((name) => /^(?:READ|LOCK)-/.test(name))], [0, []]);
});

/** The numbers of the snapshots whose segments are there. */
async function segmentsOf(dir: string): Promise<number[]> {
  return [...new Set((await readdir(segmentsDir(dir))).map((name) => parseInt(name, 10)))];
}

test('a snapshot stays on the disk for as long as it is served, also where the next one cannot be', async () => {
  let failing = false;
  const { lakes, state, lake, dataDir } = await following((files, spoilt) => (failing ? Promise.reject(new Error('no thread')) : loadSegments(files, spoilt)));
  failing = true;
  await lake.ingest([await lake.file('b.csv', 'id,name,email\n2,Bob,bob@b.co\n')]);
  await lakes.reload();
  assert.deepEqual([state().lakes[0]!.snapshot?.manifest.snapshot, state().lakes[0]!.trouble], [1, 'its segments could not be loaded']);
  const dir = lakeDir(dataDir, 'contacts', 'crm');
  await sweepUnlessWriting(dir, Date.now() + 24 * 3_600_000);
  assert.deepEqual(await segmentsOf(dir), [1, 2]);
  await lakes.close();
  await sweepUnlessWriting(dir, Date.now() + 24 * 3_600_000);
  assert.deepEqual(await segmentsOf(dir), [2]);
});

test('what cannot be swept because a writer is at work is swept when it has ended', async () => {
  const { lakes, clock, lake, dataDir } = await following();
  await lake.ingest([await lake.file('b.csv', 'id,name,email\n2,Bob,bob@b.co\n')]);
  await lakes.reload();
  const dir = lakeDir(dataDir, 'contacts', 'crm');
  const lock = await acquireLock(dir);
  clock.shiftMs = LIMITS.snapshotRetainMs;
  await lakes.reload();
  await lock.release();
  await lakes.reload();
  assert.deepEqual(await segmentsOf(dir), [1, 2], 'not at once');
  clock.shiftMs += LIMITS.lakeRetryMsMax;
  await lakes.reload();
  assert.deepEqual(await segmentsOf(dir), [2]);
  await lakes.close();
});

test('what is let go of one soon after the other leaves the disk together', async () => {
  const { lakes, clock, dataDir, lake } = await following();
  const dir = lakeDir(dataDir, 'contacts', 'crm');
  for (const id of [2, 3]) {
    await lake.ingest([await lake.file('b.csv', `id,name,email\n${id},Bob,bob@b.co\n`)]);
    await lakes.reload();
    clock.shiftMs += 5_000;
  }
  clock.shiftMs += LIMITS.snapshotRetainMs - 10_000;
  await lakes.reload();
  assert.deepEqual(await segmentsOf(dir), [2, 3], 'the first at once');
  clock.shiftMs += 5_000;
  await lakes.reload();
  assert.deepEqual(await segmentsOf(dir), [2, 3], 'the next not yet');
  clock.shiftMs += LIMITS.lakeSweepAgainMs;
  await lakes.reload();
  assert.deepEqual(await segmentsOf(dir), [3]);
  await lakes.close();
});

const HOUR_MS = 3_600_000;

test('what was replaced leaves the disk in its time also where the wall clock was put back meanwhile', async () => {
  const { lakes, clock, dataDir, lake } = await following();
  await lake.ingest([await lake.file('b.csv', 'id,name,email\n2,Bob,bob@b.co\n')]);
  await lakes.reload();
  clock.setMs = -HOUR_MS;
  clock.shiftMs += LIMITS.snapshotRetainMs;
  await lakes.reload();
  assert.deepEqual(await readdir(snapshotsDir(lakeDir(dataDir, 'contacts', 'crm'))), ['000002.json']);
  await lakes.close();
});

test('what was replaced by a clock that was a year ahead is let go of a quarter of an hour after the start, and leaves the disk', async () => {
  const { lakes, clock, state, dataDir } = await following(loadSegments, async (one) => {
    await one.ingest([await one.file('b.csv', 'id,name,email\n2,Bob,bob@b.co\n')]);
  }, -365 * 24 * HOUR_MS);
  await restored(state);
  assert.equal(state().retained.length, 1);
  clock.shiftMs += LIMITS.snapshotRetainMs;
  await lakes.reload();
  assert.equal(state().retained.length, 0);
  assert.deepEqual(await readdir(snapshotsDir(lakeDir(dataDir, 'contacts', 'crm'))), ['000002.json']);
  await lakes.close();
});

test('what a killed writer left is swept before long, though nothing is published', async () => {
  const { lakes, clock, dataDir } = await following();
  await lakes.open();
  const left = join(stagingDir(lakeDir(dataDir, 'contacts', 'crm')), 'work-0123');
  await mkdir(left, { recursive: true });
  await lakes.reload();
  assert.equal((await readdir(join(left, '..'))).length, 1, 'nobody looks all the time');
  clock.shiftMs += LIMITS.lakeSweepMs;
  await lakes.reload();
  assert.deepEqual(await readdir(join(left, '..')), []);
  await lakes.close();
});

test('nothing published is nothing served', async () => {
  const lake = await testLake();
  await mkdir(join(lake.dataDir, 'lake/contacts/empty'), { recursive: true });
  let told = 0;
  await new Lakes(lake.dataDir, loadSegments, { memoryBytes: 0, mapped: true }, () => { told += 1; }).reload();
  assert.equal(told, 0);
});
