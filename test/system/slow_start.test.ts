import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { lakeDir, segmentsDir } from '../../src/sources/lake/paths.ts';
import { testLake } from '../ingest/lake.ts';
import { MAIN } from '../support/main.ts';
import { freePort } from '../support/ports.ts';
import { pause } from '../support/runners.ts';
import { NO_POSTGRES, PostgresServer } from '../support/servers/postgres.ts';
import { inTime, until } from '../support/until.ts';

const NO_STRACE = spawnSync('strace', ['-qq', '-o', '/dev/null', 'true']).status === 0 ? false : 'strace is not installed, or may not trace';
/** Of each read of the index of a lake, which takes some hundred: all of them take far longer than a stop may. */
const READ_US = 700_000;
const STOP_MS = 15_000;

test('a start that waits for the tables of its store says so, ends with 0 where it is told to, and goes on where they are free', { skip: NO_POSTGRES, timeout: 300_000 }, async (t) => {
  const server = await PostgresServer.start();
  const other = new pg.Client({ connectionString: server.url });
  await other.connect();
  t.after(async () => {
    await other.end();
    await server.stop();
  });
  await other.query('BEGIN');
  await other.query('SELECT pg_advisory_xact_lock($1)', [0x6c65_6164_5f64]);
  const starting = async (): Promise<{ child: ChildProcess; logged: () => string }> => {
    const folder = await mkdtemp(join(tmpdir(), 'lds-start-'));
    const child = spawn(process.execPath, [MAIN, 'serve'], {
      env: { ...process.env, LDS_DATABASE_URL: server.url, LDS_DATA_DIR: folder, LDS_PORT: '0', LDS_DEMO: '0', LDS_CONFIG: '' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    t.after(() => child.kill('SIGKILL'));
    let logged = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => { logged += text; });
    await until(() => logged.includes('another process changes the tables of the store'));
    return { child, logged: () => logged };
  };
  const [stopped, patient] = await Promise.all([starting(), starting()]);
  const ended = once(stopped.child, 'close');
  stopped.child.kill('SIGTERM');
  assert.deepEqual(await inTime(ended, STOP_MS), [0, null]);
  assert.match(stopped.logged(), /stopped before it had begun/);
  assert.ok(!patient.logged().includes('"listening"'));
  await other.query('ROLLBACK');
  await until(() => patient.logged().includes('"listening"'));
  const end = once(patient.child, 'close');
  patient.child.kill('SIGTERM');
  assert.deepEqual(await end, [0, null]);
});

test('SIGTERM ends a service that is still loading its lakes, with 0 and within its time', { skip: NO_STRACE, timeout: 300_000 }, async (t) => {
  const lake = await testLake();
  await lake.ingest([await lake.file('a.csv', 'id,name,email\n1,Ann,ann@b.co\n')]);
  const segments = segmentsDir(lakeDir(lake.dataDir, 'contacts', 'crm'));
  const index = readdirSync(segments).find((name) => name.endsWith('.index'))!;
  const port = await freePort();
  const slowed = ['-f', '-qq', '-o', '/dev/null', '-P', join(segments, index), '-e', 'trace=pread64', '-e', `inject=pread64:delay_enter=${READ_US}`];
  const tracer = spawn('strace', [...slowed, process.execPath, MAIN, 'serve'], {
    env: { ...process.env, LDS_DATA_DIR: lake.dataDir, LDS_PORT: String(port), LDS_DEMO: '0', LDS_CONFIG: '' },
    stdio: 'ignore',
  });
  const ended = once(tracer, 'close') as Promise<[number]>;
  const answered = async (): Promise<number | null> => fetch(`http://127.0.0.1:${port}/health`).then(({ status }) => status, () => null);
  while (tracer.exitCode === null && (await answered()) === null) await pause(50);
  assert.equal(await answered(), 503, 'it is starting');
  const service = Number(readFileSync(`/proc/${tracer.pid}/task/${tracer.pid}/children`, 'latin1'));
  t.after(() => { if (tracer.exitCode === null) process.kill(service, 'SIGKILL'); });
  process.kill(service, 'SIGTERM');
  assert.deepEqual(await inTime(ended, STOP_MS), [0, null]);
});
