import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'node:test';
import { lakeDir, namesIn, segmentFiles } from '../../src/sources/lake/paths.ts';
import { readCurrent } from '../../src/sources/lake/publish.ts';
import { exists } from '../sources/lake/staged.ts';
import { testLake } from './lake.ts';

const MAIN = join(import.meta.dirname, '..', '..', 'src', 'main.js');
/** Of the time that a writer holds its lock. Where the machine is slower just then, it is killed earlier. */
const KILLED_AT = [0, 0.25, 0.5, 0.7, 0.85, 0.95];

test('an ingest killed at any moment of its work leaves the rows of before or of after, and the next one takes its lock over', async () => {
  const lake = await testLake();
  const dir = lakeDir(lake.dataDir, 'contacts', 'crm');
  const file = async (version: string): Promise<string> =>
    lake.file(`${version}.csv`, `id,name,email\n${Array.from({ length: 500 }, (_, at) => `${at},Ann ${version},ann${at}@a.com`).join('\n')}\n`);
  const locks = async (pid: number | string = ''): Promise<number> => (await namesIn(dir)).filter((name) => name.startsWith(`LOCK-${pid}`)).length;
  const startIngest = async (version: string): Promise<{ pid: number; ended: Promise<unknown>; kill(): void }> => {
    const env = { ...process.env, LDS_DATA_DIR: lake.dataDir, LDS_CONFIG: '' };
    const child = spawn(process.execPath, [MAIN, 'ingest', await file(version), '--dataset', 'contacts', '--source', 'crm'], { env, stdio: 'ignore' });
    const ended = once(child, 'close');
    while ((await locks(`${child.pid}-`)) === 0 && child.exitCode === null) await pause(2);
    return { pid: child.pid!, ended, kill: () => child.kill('SIGKILL') };
  };
  const names = async (): Promise<string[]> => [...new Set([...(await lake.rows()).values()].map((row) => String(row.last_name)))];

  const whole = await startIngest('old');
  const begunMs = performance.now();
  await whole.ended;
  const tookMs = performance.now() - begunMs;
  let interrupted = 0;
  for (const [round, share] of KILLED_AT.entries()) {
    const before = await names();
    const { pid, ended, kill } = await startIngest(`v${round}`);
    await pause(share * tookMs);
    kill();
    await ended;
    interrupted += await locks(`${pid}-`);
    const found = await names();
    assert.ok(found.length === 1 && (found[0] === before[0] || found[0] === `v${round}`), `${found.join()} after ${share}`);
    for (const path of Object.values(segmentFiles(dir, (await readCurrent(dir))!.segments[0]!.id))) assert.ok(await exists(path));
  }
  assert.ok(interrupted >= 2, `${interrupted} of ${KILLED_AT.length} were killed while they held the lock`);
  const { rows } = await lake.ingest([await file('last')]);
  assert.deepEqual([rows, await names(), await locks()], [500, ['last'], 0]);
});
