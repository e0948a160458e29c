import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { after, test, type TestContext } from 'node:test';
import { writing } from '../../../src/cli/rewriting.ts';
import { LIMITS } from '../../../src/config/limits.ts';
import { acquireLock, LockHeldError } from '../../../src/sources/lake/lock.ts';
import { readGone, writeGone } from '../../../src/sources/lake/gone.ts';
import { gonePath, lakeDir, segmentFiles, segmentsDir, stagingDir } from '../../../src/sources/lake/paths.ts';
import { readCurrent, readLakes } from '../../../src/sources/lake/current.ts';
import { publish, UnsettledError, type KeptSegment } from '../../../src/sources/lake/publish.ts';
import { sweepUnlessWriting } from '../../../src/sources/lake/sweep.ts';
import { livingFor } from './dying.ts';
import { exists, stagedSegment } from './staged.ts';

// In memory where there is such a folder: many hundreds of waits for a disk add nothing to what is shown here.
const dataDir = await mkdtemp(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'lds-publish-'));
after(() => rm(dataDir, { recursive: true }));

const newLake = async (source: string): Promise<string> => {
  const dir = lakeDir(dataDir, 'contacts', source);
  await mkdir(stagingDir(dir), { recursive: true });
  return dir;
};

const publishOne = async (dir: string, id: string) =>
  publish(dir, { dataset: 'contacts', source: basename(dir), demo: false, extras: [], segments: [await stagedSegment(dir, id)] });

/** The only segment of before, with one row gone by a list of this name. */
async function keptSegment(dir: string, list: string): Promise<KeptSegment> {
  const { segments: [entry] } = (await readCurrent(dir))!;
  const gone = join(stagingDir(dir), `${list}.gone`);
  return { entry: { ...entry!, gone: await writeGone(gone, list, Uint32Array.of(7)) }, gone };
}

/** Puts a segment beside the first one, of which a row goes. */
const publishBeside = async (dir: string, id: string) =>
  publish(dir, { dataset: 'contacts', source: basename(dir), demo: false, extras: [], segments: [await keptSegment(dir, `${id}-list`), await stagedSegment(dir, id)] });

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
  await sweepUnlessWriting(dir, replacedAtMs + LIMITS.snapshotRetainMs - 1);
  assert.ok(await exists(segmentFiles(dir, 'a').index));
  await sweepUnlessWriting(dir, replacedAtMs + LIMITS.snapshotRetainMs);
  assert.equal(await exists(segmentFiles(dir, 'a').index), false);
  assert.ok(await exists(segmentFiles(dir, 'b').index));
  assert.deepEqual(await readdir(join(dir, 'snapshots')), ['000002.json']);
});

test('a list of what is gone is swept with the last snapshot that names it, and a segment that stays is not', async () => {
  const dir = await newLake('swept-lists');
  await publishOne(dir, 'a');
  await publishBeside(dir, 'b');
  const { createdAt } = await publishBeside(dir, 'c');
  const there = (): Promise<string[]> => readdir(segmentsDir(dir));
  await sweepUnlessWriting(dir, Date.parse(createdAt) + LIMITS.snapshotRetainMs - 1);
  assert.deepEqual((await there()).filter((name) => name.endsWith('.gone')), ['b-list.gone', 'c-list.gone']);
  await sweepUnlessWriting(dir, Date.parse(createdAt) + LIMITS.snapshotRetainMs);
  assert.deepEqual((await there()).sort(), ['a.index', 'a.parquet', 'a.rows', 'c-list.gone', 'c.index', 'c.parquet', 'c.rows']);
  assert.deepEqual([...await readGone(dir, (await readCurrent(dir))!.segments[0]!.gone)], [7]);
});

test('who comes to write while a gateway deletes the files of a replaced snapshot is not kept waiting for it', async () => {
  const dir = await newLake('deleting');
  await publishOne(dir, 'a');
  const { createdAt } = await publishOne(dir, 'b');
  const deleted: string[] = [];
  await sweepUnlessWriting(dir, Date.parse(createdAt) + LIMITS.snapshotRetainMs, null, async (paths) => {
    const lock = await acquireLock(dir);
    assert.deepEqual(await readdir(join(dir, 'snapshots')), ['000002.json'], 'nobody begins to read what is deleted');
    await lock.release();
    deleted.push(...paths);
  });
  assert.deepEqual(deleted.sort(), Object.values(segmentFiles(dir, 'a')).map((path) => join(stagingDir(dir), `swept-${basename(path)}`)).sort());
  assert.deepEqual((await readdir(segmentsDir(dir))).length, 3, 'a gateway that is killed before it deletes them leaves none among those of the source');
});

test('what an unfinished writer left is swept, and nothing that is served', async () => {
  const dir = await newLake('leftovers');
  await publishOne(dir, 'a');
  for (const name of ['half.rows', 'half.gone']) await writeFile(join(segmentsDir(dir), name), 'x');
  await writeFile(join(stagingDir(dir), 'work'), 'x');
  await writeFile(join(dir, 'CURRENT.tmp'), '9');
  await writeFile(join(dir, 'snapshots', '000009.json'), '{');
  assert.equal((await sweepUnlessWriting(dir, Date.now()))?.length, 5);
  assert.equal((await readCurrent(dir))?.snapshot, 1);
});

/** A file or folder that answers EIO, so that it cannot be synced either. */
function failToOpen(t: TestContext, failing: string): () => void {
  const files = createRequire(import.meta.url)('node:fs/promises') as { open(path: string, ...more: unknown[]): Promise<unknown> };
  const { open } = files;
  const restore = (): void => {
    files.open = open;
    syncBuiltinESMExports();
  };
  t.after(restore);
  files.open = async (path, ...more) => {
    if (path === failing) throw Object.assign(new Error('failed'), { code: 'EIO' });
    return open(path, ...more);
  };
  syncBuiltinESMExports();
  return restore;
}

test('nothing is swept of the snapshot before while a crash of the machine may bring it back', async (t) => {
  const dir = await newLake('brought-back');
  await publishOne(dir, 'a');
  await publishOne(dir, 'b');
  failToOpen(t, dir);
  await assert.rejects(sweepUnlessWriting(dir, Date.now() + LIMITS.snapshotRetainMs), { code: 'EIO' });
  assert.deepEqual(await Promise.all(Object.values(segmentFiles(dir, 'a')).map(exists)), [true, true, true]);
  assert.deepEqual(await readdir(join(dir, 'snapshots')), ['000001.json', '000002.json']);
});

test('a disk that fails on a list of what is gone, or later, leaves the snapshot before, and nothing of the new one', async (t) => {
  const dir = await newLake('unlisted');
  await publishOne(dir, 'a');
  const before = (await readdir(dir, { recursive: true })).sort();
  for (const failing of [join(stagingDir(dir), 'b-list.gone'), segmentsDir(dir), dir]) {
    const restore = failToOpen(t, failing);
    await assert.rejects(publishBeside(dir, 'b'), { code: 'EIO' }, failing);
    restore();
    for (const name of await readdir(stagingDir(dir))) await rm(join(stagingDir(dir), name));
    assert.deepEqual((await readdir(dir, { recursive: true })).sort(), before, failing);
    assert.equal((await readCurrent(dir))!.snapshot, 1);
  }
});

test('a disk that fails when the new snapshot is the current one already, with a list of what is gone, leaves that list', async (t) => {
  const dir = await newLake('unsettled-list');
  await publishOne(dir, 'a');
  failToOpen(t, dirname(dir));
  await assert.rejects(publishBeside(dir, 'b'), UnsettledError);
  const { snapshot, segments } = (await readCurrent(dir))!;
  assert.deepEqual([snapshot, ...await readGone(dir, segments[0]!.gone)], [2, 7]);
});

test('a disk that fails when the new snapshot is the current one already is not told as one that left the old', async (t) => {
  const dir = await newLake('unsettled');
  await publishOne(dir, 'a');
  failToOpen(t, dirname(dir));
  const notes: string[] = [];
  const terminal = { out: () => {}, note: (text: string) => { notes.push(text); }, interactive: false, signal: new AbortController().signal };
  const code = await writing('erase', { terminal, config: () => Promise.reject(new Error('not asked')) }, async () => {
    await assert.rejects(publishOne(dir, 'b'), UnsettledError);
    return publishOne(dir, 'c').then(() => 0);
  });
  assert.deepEqual([code, (await readCurrent(dir))!.segments.map(({ id }) => id)], [1, ['c']]);
  assert.match(notes.join(), /^lds erase: the disk answered EIO when all was done: what is new is published and served, .* then run lds compact --source unsettled\n$/);
});

test('a second writer of a source is refused with the name of the first, and a dead one does not block', async () => {
  const dir = await newLake('locked');
  const lock = await acquireLock(dir);
  await assert.rejects(acquireLock(dir), (error) => error instanceof LockHeldError && error.pid === process.pid);
  assert.equal(await sweepUnlessWriting(dir, Date.now()), null, 'a source with a writer at work is not swept');
  await lock.release();
  await writeFile(join(dir, `LOCK-${process.pid}-1`), '');
  await (await acquireLock(dir)).release();
  assert.deepEqual((await readdir(dir)).filter((name) => name.startsWith('LOCK')), [], 'the file of an earlier process with this number is gone');
});

test('a live process elsewhere holds its lock until it dies', async () => {
  const dir = await newLake('foreign');
  const holder = spawn(process.execPath, [join(import.meta.dirname, 'writer.js'), dir], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(holder.stdout, 'data');
  await assert.rejects(acquireLock(dir), (error) => error instanceof LockHeldError && error.pid === holder.pid);
  holder.kill('SIGKILL');
  await once(holder, 'close');
  await (await acquireLock(dir)).release();
});

test('a live process of which it is not told when it began holds its lock until it dies', async (t) => {
  const dir = await newLake('untold');
  const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'], { stdio: 'ignore' });
  t.after(() => child.kill('SIGKILL'));
  await once(child, 'spawn');
  await writeFile(join(dir, `LOCK-${child.pid}-0`), '');
  await assert.rejects(acquireLock(dir), (error) => error instanceof LockHeldError && error.pid === child.pid);
  child.kill('SIGKILL');
  await once(child, 'close');
  await (await acquireLock(dir)).release();
});

test('who can open no more files takes no living writer for dead, and is none himself', { skip: process.platform === 'linux' ? false : 'open files are limited for one process on Linux alone' }, async () => {
  const holder = new URL('../../../src/sources/holder.js', import.meta.url).href;
  const script = `
    import { openSync } from 'node:fs';
    import { HOLDER, holderOf, livesWhere, ownHolder } from '${holder}';
    const living = holderOf([process.argv[1], '1234567', undefined]);
    const before = await livesWhere(living, '/', '/');
    try { for (;;) openSync('/dev/null'); } catch {}
    console.log(JSON.stringify([before, await livesWhere(living, '/', '/'), new RegExp('^' + HOLDER + '$').test(await ownHolder())]));`;
  const child = spawn('sh', ['-c', 'ulimit -n 256; exec "$0" --input-type=module -e "$1" "$2"', process.execPath, script, String(process.pid)], { stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => { out += text; });
  await once(child, 'close');
  assert.deepEqual(JSON.parse(out), [null, 'here', true]);
});

test('a writer in another container or on another machine holds its lock for as long as it touches it', async () => {
  const dir = await newLake('elsewhere');
  const file = join(dir, 'LOCK-7-12345-00c0ffee00c0ffee');
  await writeFile(file, '');
  await assert.rejects(acquireLock(dir), (error) => error instanceof LockHeldError && error.pid === 7 && /another machine or container/.test(error.message));
  assert.equal(await sweepUnlessWriting(dir, Date.now()), null);
  assert.ok(await exists(file));
  for (const apartMs of [-LIMITS.lockTrustMs - 5_000, LIMITS.lockTrustMs + 60_000]) {
    await writeFile(file, '');
    const touched = new Date(Date.now() + apartMs);
    await utimes(file, touched, touched);
    await (await acquireLock(dir)).release();
    assert.equal(await exists(file), false, 'nor where the clock was put back since');
  }
  assert.deepEqual((await readdir(dir)).filter((name) => name.startsWith('LOCK')), []);
});

test('a writer killed before any one of its calls to the file system leaves the old or the new snapshot, whole, and its place to the next', async () => {
  const told = { old: 0, new: 0 };
  for (let lived: number | 'died' = 'died', callsMax = 0; lived === 'died'; callsMax += 1) {
    const dir = await newLake(`killed-${callsMax}`);
    await publishOne(dir, 'seed');
    const staged = await stagedSegment(dir, 'late');
    lived = await livingFor(callsMax, async () => {
      const lock = await acquireLock(dir);
      await publish(dir, { dataset: 'contacts', source: basename(dir), demo: false, extras: [], segments: [staged] });
      await lock.release();
    });
    const { snapshot, segments } = (await readCurrent(dir))!;
    const { id } = segments[0]!;
    assert.deepEqual([snapshot, id], snapshot === 1 ? [1, 'seed'] : [2, 'late'], `killed before call ${callsMax}`);
    for (const path of Object.values(segmentFiles(dir, id))) assert.equal(await readFile(path, 'utf8'), id);
    told[snapshot === 1 ? 'old' : 'new'] += 1;
    for (const name of await readdir(dir)) if (name.startsWith('LOCK-')) await rename(join(dir, name), join(dir, `LOCK-${process.pid}-1`));
    await sweepUnlessWriting(dir, Date.now());
    const left = await readdir(dir, { recursive: true });
    assert.deepEqual(left.filter((name) => /LOCK|tmp|staging./.test(name) || (snapshot === 1 && /late|000002/.test(name))), []);
  }
  assert.ok(told.old > 10 && told.new > 2, JSON.stringify(told));
});

test('a writer killed before any one of its calls, who keeps a segment, leaves it as it was or with what is gone, and sweeps take the rest', async () => {
  const told = { old: 0, new: 0 };
  for (let lived: number | 'died' = 'died', callsMax = 0; lived === 'died'; callsMax += 1) {
    const dir = await newLake(`kept-${callsMax}`);
    await publishOne(dir, 'seed');
    lived = await livingFor(callsMax, async () => {
      const lock = await acquireLock(dir);
      await publishBeside(dir, 'late');
      await lock.release();
    });
    const { snapshot, segments } = (await readCurrent(dir))!;
    const gone = await Promise.all(segments.map(async (segment) => [segment.id, ...await readGone(dir, segment.gone)]));
    assert.deepEqual([snapshot, ...gone], snapshot === 1 ? [1, ['seed']] : [2, ['seed', 7], ['late']], `killed before call ${callsMax}`);
    told[snapshot === 1 ? 'old' : 'new'] += 1;
    for (const name of await readdir(dir)) if (name.startsWith('LOCK-')) await rename(join(dir, name), join(dir, `LOCK-${process.pid}-1`));
    await sweepUnlessWriting(dir, Date.now());
    const left = await readdir(segmentsDir(dir));
    const lists = snapshot === 1 ? [] : ['late-list.gone', 'late.index', 'late.parquet', 'late.rows'];
    assert.deepEqual(left.sort(), [...lists, 'seed.index', 'seed.parquet', 'seed.rows'], `killed before call ${callsMax}`);
    assert.equal(await exists(gonePath(dir, 'late-list')), snapshot === 2);
  }
  assert.ok(told.old > 10 && told.new > 2, JSON.stringify(told));
});
