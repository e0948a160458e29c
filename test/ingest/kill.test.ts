import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'node:test';
import { LIMITS } from '../../src/config/limits.ts';
import { gonePath, lakeDir, segmentFiles } from '../../src/sources/lake/paths.ts';
import { readCurrent } from '../../src/sources/lake/current.ts';
import { sweepUnlessWriting } from '../../src/sources/lake/sweep.ts';
import { exists } from '../sources/lake/staged.ts';
import { MAIN } from '../support/main.ts';
import { testLake } from './lake.ts';
import { layeredLake, people, range, versions } from './layered.ts';
import { SMALL } from './small.ts';

/** Until then it loads its code, which takes as long as its work does: to look through all folders every millisecond is for what comes afterwards. */
async function untilLocked(dir: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null && !(await readdir(dir)).some((name) => name.startsWith(`LOCK-${child.pid}-`))) await pause(5);
}

/** All below a folder of which another process takes some away meanwhile: looked at once more where a folder within it was gone by the time it was looked into. */
async function entriesBelow(dir: string): Promise<string[]> {
  return readdir(dir, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' || error.path === dir) throw error;
    return entriesBelow(dir);
  });
}

/** What stands in the folder of the source when it is killed, soon after the one or the other came to be. */
const SEEN: readonly RegExp[] = [/^LOCK-/, /^staging\/./, /^staging\/.*\.parquet$/, /^staging\/.*\.rows$/, /^staging\/.*\.index$/, /^segments\/0*[2-9].*\.parquet$/, /^snapshots\/0*[2-9]\.json/];

test('an ingest killed at any moment of its work leaves the rows of before or of after, and the next one takes its lock over', async () => {
  const lake = await testLake();
  const dir = lakeDir(lake.dataDir, 'contacts', 'crm');
  const file = async (version: string): Promise<string> =>
    lake.file(`${version}.csv`, `id,name,email\n${Array.from({ length: 500 }, (_, at) => `${at},Ann ${version},ann${at}@a.com`).join('\n')}\n`);
  const present = (): Promise<string[]> => entriesBelow(dir);
  const names = async (): Promise<string[]> => [...new Set([...(await lake.rows()).values()].map((row) => String(row.last_name)))];

  await lake.ingest([await file('old')]);
  let interrupted = 0;
  for (const [round, seen] of SEEN.entries()) {
    const [before, old] = [await names(), new Set(await present())];
    const env = { ...process.env, LDS_DATA_DIR: lake.dataDir, LDS_CONFIG: '' };
    const child = spawn(process.execPath, [MAIN, 'ingest', await file(`v${round}`), '--dataset', 'contacts', '--source', 'crm'], { env, stdio: 'ignore' });
    const ended = once(child, 'close');
    await untilLocked(dir, child);
    while (child.exitCode === null && !(await present()).some((name) => seen.test(name) && !old.has(name))) await pause(1);
    child.kill('SIGKILL');
    await ended;
    interrupted += (await present()).some((name) => name.startsWith(`LOCK-${child.pid}-`)) ? 1 : 0;
    const found = await names();
    assert.ok(found.length === 1 && (found[0] === before[0] || found[0] === `v${round}`), `${found.join()} after ${seen.source}`);
    for (const path of Object.values(segmentFiles(dir, (await readCurrent(dir))!.segments[0]!.id))) assert.ok(await exists(path));
  }
  assert.ok(interrupted >= 2, `${interrupted} of ${SEEN.length} were killed while they held the lock`);
  const { rows } = await lake.ingest([await file('last')]);
  assert.deepEqual([rows, await names(), (await present()).filter((name) => /LOCK|staging.|tmp/.test(name))], [500, ['last'], []]);
});

/** As above, of one that puts its rows beside those of before. */
const SEEN_BESIDE: readonly RegExp[] = [/^staging\/.*\.gone$/, /^staging\/.*\.index$/, /^segments\/.*\.parquet$/, /^segments\/.*\.gone$/, /^snapshots\/.*\.json/];

test('an upsert killed at any moment of its work leaves the segments that it keeps as they were or with what it replaced gone', async () => {
  const { lake, dir } = await layeredLake();
  const present = (): Promise<string[]> => entriesBelow(dir);
  const told = { before: 0, after: 0 };
  for (const [round, seen] of SEEN_BESIDE.entries()) {
    const [before, old] = [await versions(lake), new Set(await present())];
    const ids = range(1 + 2 * round, 3 + 2 * round);
    const child = spawn(process.execPath, [join(import.meta.dirname, 'upserting_child.js'), lake.dataDir, await people(lake, `v${round}`, ids)], { stdio: 'ignore' });
    const ended = once(child, 'close');
    await untilLocked(dir, child);
    while (child.exitCode === null && !(await present()).some((name) => seen.test(name) && !old.has(name))) await pause(1);
    child.kill('SIGKILL');
    await ended;
    const found = await versions(lake);
    const isAfter = found[ids[0]!] === `v${round}`;
    told[isAfter ? 'after' : 'before'] += 1;
    assert.deepEqual(found, isAfter ? { ...before, ...Object.fromEntries(ids.map((id) => [id, `v${round}`])) } : before, seen.source);
    assert.notEqual(await sweepUnlessWriting(dir, Date.now()), null, 'its lock counts for nothing');
  }
  assert.ok(told.before > 0, JSON.stringify(told));
  await lake.ingest([await people(lake, 'last', [1])], { keeping: SMALL });
  await sweepUnlessWriting(dir, Date.now() + LIMITS.snapshotRetainMs);
  const { snapshot, segments } = (await readCurrent(dir))!;
  assert.ok(segments.some(({ gone }) => gone !== undefined));
  const wanted = segments.flatMap(({ id, gone }) => [...Object.values(segmentFiles(dir, id)), ...(gone === undefined ? [] : [gonePath(dir, gone.id)])]);
  assert.deepEqual((await readdir(join(dir, 'segments'))).sort(), wanted.map((path) => basename(path)).sort());
  assert.deepEqual(await readdir(join(dir, 'snapshots')), [`${String(snapshot).padStart(6, '0')}.json`]);
});

/** As above, of one that writes segments anew without some rows. */
const SEEN_ERASING: readonly RegExp[] = [/^staging\/.*\.parquet$/, /^staging\/.*\.index$/, /^segments\/.*\.parquet$/, /^segments\/.*\.index$/, /^snapshots\/.*\.json/];

test('an erasure killed at any moment of its work leaves all rows or all but those, and the same again ends it', async () => {
  const { lake, dir } = await layeredLake();
  const present = (): Promise<string[]> => entriesBelow(dir);
  const env = { ...process.env, LDS_DATA_DIR: lake.dataDir, LDS_CONFIG: '' };
  const told = { before: 0, after: 0 };
  for (const [round, seen] of SEEN_ERASING.entries()) {
    const [before, old] = [await versions(lake), new Set(await present())];
    // Of the first segment, and of the second.
    const ids = [1 + round, 50 + round, 56 + round].map(String).filter((id) => id in before);
    const erase = [MAIN, 'erase', '--source', 'crm', '--ids', await lake.file('ids.txt', ids.join('\n'))];
    const child = spawn(process.execPath, erase, { env, stdio: 'ignore' });
    const ended = once(child, 'close');
    await untilLocked(dir, child);
    while (child.exitCode === null && !(await present()).some((name) => seen.test(name) && !old.has(name))) await pause(1);
    child.kill('SIGKILL');
    await ended;
    const without = Object.fromEntries(Object.entries(before).filter(([id]) => !ids.includes(id)));
    const found = await versions(lake);
    const isAfter = Object.keys(found).length < Object.keys(before).length;
    told[isAfter ? 'after' : 'before'] += 1;
    assert.deepEqual(found, isAfter ? without : before, seen.source);
    const again = spawn(process.execPath, erase, { env, stdio: 'ignore' });
    assert.deepEqual(await once(again, 'close'), [0, null]);
    assert.deepEqual(await versions(lake), without);
    assert.deepEqual((await present()).filter((name) => /LOCK|staging.|tmp/.test(name)), []);
  }
  assert.ok(told.before > 0, JSON.stringify(told));
});
