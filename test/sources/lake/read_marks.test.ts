import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { LIMITS } from '../../../src/config/limits.ts';
import { lakeDir, segmentFiles, stagingDir } from '../../../src/sources/lake/paths.ts';
import { publish } from '../../../src/sources/lake/publish.ts';
import { ReadMarks } from '../../../src/sources/lake/read_marks.ts';
import { sweepUnlessWriting } from '../../../src/sources/lake/sweep.ts';
import { exists, stagedSegment } from './staged.ts';

const dataDir = await mkdtemp(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'lds-marks-'));
after(() => rm(dataDir, { recursive: true }));

const HOUR_MS = 3_600_000;
const fail = (error: unknown): void => assert.fail(error as Error);

/** A lake of the snapshots 1, 2, 3, each of a segment of its own, and what a sweep a day later leaves of them. */
async function lakeOfThree(source: string): Promise<{ readonly dir: string; left(): Promise<string[]> }> {
  const dir = lakeDir(dataDir, 'contacts', source);
  await mkdir(stagingDir(dir), { recursive: true });
  const ids = ['a', 'b', 'c'];
  for (const id of ids) await publish(dir, { dataset: 'contacts', source, demo: false, extras: [], segments: [await stagedSegment(dir, id)] });
  return {
    dir,
    async left() {
      await sweepUnlessWriting(dir, Date.now() + 24 * HOUR_MS);
      const there = await Promise.all(ids.map((id) => exists(segmentFiles(dir, id).rows)));
      return ids.filter((_, at) => there[at]);
    },
  };
}

const marksIn = async (dir: string): Promise<string[]> => (await readdir(dir)).filter((name) => name.startsWith('READ-'));

test('what a living process reads is left, however old, with its manifest; nothing else is', async () => {
  const { dir, left } = await lakeOfThree('read');
  const marks = new ReadMarks(fail);
  await marks.make({ dir, snapshot: 1 });
  assert.deepEqual(await left(), ['a', 'c']);
  assert.deepEqual(await readdir(join(dir, 'snapshots')), ['000001.json', '000003.json']);
  await marks.close();
  assert.deepEqual(await left(), ['c']);
  assert.deepEqual(await marksIn(dir), []);
});

test('who sweeps makes no folder that is gone', async () => {
  const dir = lakeDir(dataDir, 'contacts', 'gone');
  assert.deepEqual([await sweepUnlessWriting(dir, Date.now()), existsSync(dir)], [[], false]);
});

test('what is marked while others are let go of stays marked', async () => {
  const { dir } = await lakeOfThree('meanwhile');
  const marks = new ReadMarks(fail);
  await marks.make({ dir, snapshot: 1 });
  const kept = marks.keep([{ dir, snapshot: 2 }]);
  await marks.make({ dir, snapshot: 3 });
  await kept;
  assert.deepEqual((await marksIn(dir)).map((name) => name.split('-')[1]), ['2', '3']);
  await marks.close();
});

test('a snapshot that two read is left until both are done', async () => {
  const { dir, left } = await lakeOfThree('twice');
  const [one, other] = [new ReadMarks(fail), new ReadMarks(fail)];
  for (const marks of [one, other]) await marks.make({ dir, snapshot: 2 });
  await one.close();
  assert.deepEqual(await left(), ['b', 'c']);
  await other.close();
  assert.deepEqual(await left(), ['c']);
});

test('the marks of a dead process count for nothing and are removed', async () => {
  const { dir, left } = await lakeOfThree('dead');
  const process = spawn(globalThis.process.execPath, [join(import.meta.dirname, 'marking.js'), dir, '1'], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(process.stdout, 'data');
  assert.deepEqual(await left(), ['a', 'c']);
  process.kill('SIGKILL');
  await once(process, 'close');
  assert.equal((await marksIn(dir)).length, 1);
  assert.deepEqual(await left(), ['c']);
  assert.deepEqual(await marksIn(dir), []);
});

test('the mark of a process of another machine or container counts for as long as it touches it', async () => {
  const { dir, left } = await lakeOfThree('elsewhere');
  const file = join(dir, 'READ-2-0a1b2c3d-7-12345-00c0ffee00c0ffee');
  await writeFile(file, '');
  assert.deepEqual(await left(), ['b', 'c']);
  const longAgo = new Date(Date.now() - LIMITS.lockTrustMs - 5_000);
  await utimes(file, longAgo, longAgo);
  assert.deepEqual(await left(), ['c']);
});

test('a mark of what was never there, or is gone, hinders nobody', async () => {
  const { dir, left } = await lakeOfThree('nothing');
  const marks = new ReadMarks(fail);
  await marks.make({ dir, snapshot: 9 });
  assert.deepEqual(await left(), ['c']);
  await marks.close();
});

test('a mark that went with its folder is made anew where the source is', async () => {
  const { dir } = await lakeOfThree('anew');
  const marks = new ReadMarks(fail);
  await marks.make({ dir, snapshot: 3 });
  await rm(dir, { recursive: true });
  await marks.keep([{ dir, snapshot: 3 }]);
  assert.equal(await exists(dir), false, 'no folder is made for a mark');
  const { left } = await lakeOfThree('anew');
  await marks.make({ dir, snapshot: 1 });
  await marks.make({ dir, snapshot: 3 });
  assert.deepEqual([(await marksIn(dir)).length, await left()], [2, ['a', 'c']]);
  await marks.close();
});

test('a folder that takes no mark is told of once, and tried again', async () => {
  const { dir, left } = await lakeOfThree('full');
  const troubles: unknown[] = [];
  const marks = new ReadMarks((error) => troubles.push(error));
  const place = { dir: join(dir, 'CURRENT'), snapshot: 1 };
  for (let tries = 0; tries < 3; tries += 1) await marks.keep([place]);
  assert.equal(troubles.length, 1);
  await rm(place.dir);
  await mkdir(place.dir);
  await marks.keep([place]);
  assert.deepEqual([(await marksIn(place.dir)).length, troubles.length], [1, 1]);
  await marks.close();
  await rm(place.dir, { recursive: true });
  await writeFile(place.dir, '3\n');
  assert.deepEqual(await left(), ['c']);
});
