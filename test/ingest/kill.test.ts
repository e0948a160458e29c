import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'node:test';
import { lakeDir, segmentFiles } from '../../src/sources/lake/paths.ts';
import { readCurrent } from '../../src/sources/lake/publish.ts';
import { exists } from '../sources/lake/staged.ts';
import { testLake } from './lake.ts';

const MAIN = join(import.meta.dirname, '..', '..', 'src', 'main.js');

test('an ingest killed at any moment leaves the rows of before or of after, and the next one goes through', async () => {
  const lake = await testLake();
  const file = async (version: string): Promise<string> =>
    lake.file(`${version}.csv`, `id,name,email\n${Array.from({ length: 500 }, (_, at) => `${at},Ann ${version},ann${at}@a.com`).join('\n')}\n`);
  await lake.ingest([await file('old')]);
  for (const [round, delayMs] of [150, 260, 330, 400, 470].entries()) {
    const before = [...(await lake.rows()).values()][0]!.last_name;
    const next = `v${round}`;
    const child = spawn(process.execPath, [MAIN, 'ingest', await file(next), '--dataset', 'contacts', '--source', 'crm'], { env: { ...process.env, LDS_DATA_DIR: lake.dataDir, LDS_CONFIG: '' }, stdio: 'ignore' });
    const ended = new Promise((resolve) => { child.once('close', resolve); });
    await pause(delayMs);
    child.kill('SIGKILL');
    await ended;
    const names = new Set([...(await lake.rows()).values()].map((row) => row.last_name));
    assert.ok(names.size === 1 && (names.has(before!) || names.has(next)), [...names].join());
    const current = (await readCurrent(lakeDir(lake.dataDir, 'contacts', 'crm')))!;
    for (const path of Object.values(segmentFiles(lakeDir(lake.dataDir, 'contacts', 'crm'), current.segments[0]!.id))) assert.ok(await exists(path));
  }
  const { rows } = await lake.ingest([await file('last')]);
  assert.equal(rows, 500);
  assert.deepEqual(new Set([...(await lake.rows()).values()].map((row) => row.last_name)), new Set(['last']));
});
