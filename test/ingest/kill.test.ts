import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'node:test';
import { lakeDir, segmentFiles } from '../../src/sources/lake/paths.ts';
import { readCurrent } from '../../src/sources/lake/current.ts';
import { exists } from '../sources/lake/staged.ts';
import { MAIN } from '../support/main.ts';
import { testLake } from './lake.ts';

/** What stands in the folder of the source when it is killed, soon after the one or the other came to be. */
const SEEN: readonly RegExp[] = [/^LOCK-/, /^staging\/./, /^staging\/.*\.parquet$/, /^staging\/.*\.rows$/, /^staging\/.*\.index$/, /^segments\/0*[2-9].*\.parquet$/, /^snapshots\/0*[2-9]\.json/];

test('an ingest killed at any moment of its work leaves the rows of before or of after, and the next one takes its lock over', async () => {
  const lake = await testLake();
  const dir = lakeDir(lake.dataDir, 'contacts', 'crm');
  const file = async (version: string): Promise<string> =>
    lake.file(`${version}.csv`, `id,name,email\n${Array.from({ length: 500 }, (_, at) => `${at},Ann ${version},ann${at}@a.com`).join('\n')}\n`);
  const present = async (): Promise<string[]> => (await readdir(dir, { recursive: true }).catch(() => []));
  const names = async (): Promise<string[]> => [...new Set([...(await lake.rows()).values()].map((row) => String(row.last_name)))];

  await lake.ingest([await file('old')]);
  let interrupted = 0;
  for (const [round, seen] of SEEN.entries()) {
    const [before, old] = [await names(), new Set(await present())];
    const env = { ...process.env, LDS_DATA_DIR: lake.dataDir, LDS_CONFIG: '' };
    const child = spawn(process.execPath, [MAIN, 'ingest', await file(`v${round}`), '--dataset', 'contacts', '--source', 'crm'], { env, stdio: 'ignore' });
    const ended = once(child, 'close');
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
