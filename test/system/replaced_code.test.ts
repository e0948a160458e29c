import assert from 'node:assert/strict';
import { cp, mkdtemp, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS } from '../../src/config/limits.ts';
import { REPLACED } from '../../src/config/code.ts';
import { until } from '../support/until.ts';
import { RunningService } from './service.ts';

const HERE = join(import.meta.dirname, '../../..');
const SEARCH = { type: 'contacts', limit: 10 };

async function publish(service: RunningService, rows: number): Promise<void> {
  const file = join(service.folder, 'people.csv');
  await writeFile(file, `id,full_name\n${Array.from({ length: rows }, (_, at) => `${at},Ann ${at}\n`).join('')}`);
  await service.ingest('people', file);
}

test('a gateway whose code is replaced goes on with what it serves, takes up nothing by the code of another, and says so', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'lds-system-'));
  await cp(join(HERE, 'dist/src'), join(folder, 'dist/src'), { recursive: true });
  await cp(join(HERE, 'package.json'), join(folder, 'package.json'));
  await symlink(join(HERE, 'node_modules'), join(folder, 'node_modules'));
  const main = join(folder, 'dist/src/main.js');
  const found = async (service: RunningService): Promise<number | undefined> => (await service.find(SEARCH)).json.results?.length;

  const first = await RunningService.start({ LDS_DEMO: '0' }, folder, main);
  t.after(() => first.stop());
  await publish(first, 2);
  await until(async () => await found(first) === 2);

  // A thread that loaded rests for a while, and may load once more by what it has read.
  await sleep(2 * LIMITS.loadThreadRestMs);
  await utimes(join(folder, 'dist/src/segment/reader.js'), 1, 1);
  await publish(first, 3);
  await until(() => first.logged.includes(REPLACED));
  assert.equal(await found(first), 2);
  const { json: health } = await first.call('GET', '/health');
  assert.equal(health.components.people.status, 'degraded');
  assert.equal(await first.stop(true), 0);

  const second = await RunningService.start({ LDS_DEMO: '0' }, folder, main);
  t.after(() => second.stop());
  assert.equal(await found(second), 3);
});
