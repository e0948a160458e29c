import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { LIMITS } from '../../../src/config/limits.ts';
import { acquireLock, LockHeldError } from '../../../src/sources/lake/lock.ts';
import { lakeDir, segmentFiles, segmentsDir, stagingDir } from '../../../src/sources/lake/paths.ts';
import { publish, readCurrent, readLakes } from '../../../src/sources/lake/publish.ts';
import { sweep, sweepUnlessWriting } from '../../../src/sources/lake/sweep.ts';
import { exists, stagedSegment } from './staged.ts';

const dataDir = await mkdtemp(join(tmpdir(), 'lds-publish-'));
after(() => rm(dataDir, { recursive: true }));

const newLake = async (source: string): Promise<string> => {
  const dir = lakeDir(dataDir, 'contacts', source);
  await mkdir(stagingDir(dir), { recursive: true });
  return dir;
};

const publishOne = async (dir: string, id: string) =>
  publish(dir, { dataset: 'contacts', source: 'crm', demo: false, extras: [], kept: [], added: [await stagedSegment(dir, id)] });

test('a published snapshot is the current one, with its files under their names', async () => {
  const dir = await newLake('named');
  assert.equal(await readCurrent(dir), null);
  await publishOne(dir, 'a');
  const second = await publishOne(dir, 'b');
  assert.deepEqual(await readCurrent(dir), second);
  assert.equal(second.snapshot, 2);
  for (const path of Object.values(segmentFiles(dir, 'b'))) assert.ok(await exists(path));
  assert.deepEqual(await readdir(stagingDir(dir)), []);
  assert.ok((await readLakes(dataDir)).some(({ place }) => place.source === 'named'));
});

test('a source that was never published is no lake', async () => {
  await newLake('unpublished');
  assert.ok((await readLakes(dataDir)).every(({ place }) => place.source !== 'unpublished'));
});

test('a replaced snapshot stays readable for as long as its cursors live, and is then swept', async () => {
  const dir = await newLake('swept');
  await publishOne(dir, 'a');
  const current = await publishOne(dir, 'b');
  const replacedAtMs = Date.parse(current.createdAt);
  await sweep(dir, replacedAtMs + LIMITS.snapshotRetainMs - 1);
  assert.ok(await exists(segmentFiles(dir, 'a').index));
  await sweep(dir, replacedAtMs + LIMITS.snapshotRetainMs);
  assert.equal(await exists(segmentFiles(dir, 'a').index), false);
  assert.ok(await exists(segmentFiles(dir, 'b').index));
  assert.deepEqual(await readdir(join(dir, 'snapshots')), ['000002.json']);
});

test('what an unfinished writer left is swept, and nothing that is served', async () => {
  const dir = await newLake('leftovers');
  await publishOne(dir, 'a');
  await writeFile(join(segmentsDir(dir), 'half.rows'), 'x');
  await writeFile(join(stagingDir(dir), 'work'), 'x');
  await writeFile(join(dir, 'CURRENT.tmp'), '9');
  await writeFile(join(dir, 'snapshots', '000009.json'), '{');
  assert.equal((await sweepUnlessWriting(dir, Date.now())).length, 4);
  assert.equal((await readCurrent(dir))?.snapshot, 1);
});

test('a second writer of a source is refused with the name of the first, and a dead one does not block', async () => {
  const dir = await newLake('locked');
  const lock = await acquireLock(dir);
  await assert.rejects(acquireLock(dir), (error) => error instanceof LockHeldError && error.pid === process.pid);
  assert.deepEqual(await sweepUnlessWriting(dir, Date.now()), [], 'a source with a writer at work is not swept');
  await lock.release();
  await writeFile(join(dir, `LOCK-${process.pid}-1`), '');
  await (await acquireLock(dir)).release();
  assert.deepEqual((await readdir(dir)).filter((name) => name.startsWith('LOCK')), [], 'the file of an earlier process with this number is gone');
});

test('a live process elsewhere holds its lock until it dies', async () => {
  const dir = await newLake('foreign');
  const { holder, ready } = child('hold', dir);
  await ready;
  await assert.rejects(acquireLock(dir), (error) => error instanceof LockHeldError && error.pid === holder.pid);
  holder.kill('SIGKILL');
  await new Promise((resolve) => { holder.once('close', resolve); });
  await (await acquireLock(dir)).release();
});

test('a writer killed at any moment leaves the old or the new snapshot, whole', async () => {
  const dir = await newLake('killed');
  await publishOne(dir, 'seed');
  let published = 0;
  for (let round = 0; round < 20; round += 1) {
    const before = (await readCurrent(dir))!.snapshot;
    const { holder, ready } = child('publish', dir);
    await ready;
    await new Promise((resolve) => { setTimeout(resolve, round * 1.3); });
    holder.kill('SIGKILL');
    await new Promise((resolve) => { holder.once('close', resolve); });
    const current = (await readCurrent(dir))!;
    assert.ok(current.snapshot >= before);
    published += current.snapshot - before;
    for (const { id } of current.segments) {
      for (const path of Object.values(segmentFiles(dir, id))) assert.ok(await exists(path), `${path} of snapshot ${current.snapshot}`);
    }
    await sweepUnlessWriting(dir, Date.now());
  }
  assert.ok(published > 0, 'some publications went through before their process was killed');
});

function child(task: 'hold' | 'publish', dir: string) {
  const holder = spawn(process.execPath, [join(import.meta.dirname, 'writer.js'), task, dir], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ready = new Promise<void>((resolve) => { holder.stdout.once('data', () => resolve()); });
  return { holder, ready };
}
