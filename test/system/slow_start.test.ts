import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { lakeDir, segmentsDir } from '../../src/sources/lake/paths.ts';
import { testLake } from '../ingest/lake.ts';
import { freePort } from '../support/ports.ts';
import { pause } from '../support/runners.ts';

const MAIN = join(import.meta.dirname, '../../src/main.js');
const NO_STRACE = spawnSync('strace', ['-qq', '-o', '/dev/null', 'true']).status === 0 ? false : 'strace is not installed, or may not trace';
/** Of each read of the index of a lake, which takes some hundred: all of them take far longer than a stop may. */
const READ_US = 700_000;
const STOP_MS = 15_000;

test('SIGTERM ends a service that is still loading its lakes, with 0 and within its time', { skip: NO_STRACE, timeout: 120_000 }, async (t) => {
  const lake = await testLake();
  await lake.ingest([await lake.file('a.csv', 'id,name,email\n1,Ann,ann@b.co\n')]);
  const segments = segmentsDir(lakeDir(lake.dataDir, 'contacts', 'crm'));
  const index = readdirSync(segments).find((name) => name.endsWith('.index'))!;
  const port = await freePort();
  const slowed = ['-f', '-qq', '-o', '/dev/null', '-P', join(segments, index), '-e', 'trace=pread64', '-e', `inject=pread64:delay_enter=${READ_US}`];
  const tracer = spawn('strace', [...slowed, process.execPath, MAIN, 'serve'], { env: { ...process.env, LDS_DATA_DIR: lake.dataDir, LDS_PORT: String(port), LDS_DEMO: '0', LDS_CONFIG: '' }, stdio: 'ignore' });
  const ended = once(tracer, 'close') as Promise<[number]>;
  const answered = async (): Promise<number | null> => fetch(`http://127.0.0.1:${port}/health`).then(({ status }) => status, () => null);
  while (tracer.exitCode === null && (await answered()) === null) await pause(50);
  assert.equal(await answered(), 503, 'it is starting');
  const service = Number(readFileSync(`/proc/${tracer.pid}/task/${tracer.pid}/children`, 'latin1'));
  t.after(() => { if (tracer.exitCode === null) process.kill(service, 'SIGKILL'); });
  process.kill(service, 'SIGTERM');
  assert.deepEqual(await Promise.race([ended, pause(STOP_MS)]), [0, null]);
});
