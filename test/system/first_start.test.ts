import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { lakeDir } from '../../src/sources/lake/paths.ts';
import { MAIN } from '../support/main.ts';
import { until } from '../support/until.ts';
import { RunningService } from './service.ts';

test('a first start that is told to end while it makes the demonstration ends with 0, and the next start makes the rest', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'lds-system-'));
  const dataDir = join(folder, 'data');
  const first = spawn(process.execPath, [MAIN, 'serve'], { env: { ...process.env, LDS_DATA_DIR: dataDir, LDS_PORT: '0' }, stdio: ['ignore', 'ignore', 'pipe'] });
  let printed = '';
  first.stderr.setEncoding('utf8').on('data', (text: string) => { printed += text; });
  const ended = once(first, 'exit');
  await until(() => existsSync(join(lakeDir(dataDir, 'companies', 'demo-registry'), 'CURRENT')), 120_000);
  first.kill('SIGTERM');
  assert.equal((await ended)[0], 0, printed);
  assert.doesNotMatch(printed, /lds serve:/);
  assert.equal(existsSync(join(lakeDir(dataDir, 'contacts', 'demo-web'), 'CURRENT')), false);

  const second = await RunningService.start({}, folder);
  t.after(() => second.stop());
  const { sources } = (await second.call('GET', '/v1/sources')).json;
  assert.deepEqual(sources.map(({ source, name }: { source?: string; name?: string }) => source ?? name).sort(), ['demo-crm', 'demo-registry', 'demo-web']);
});
