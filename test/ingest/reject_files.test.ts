import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { placeAmong } from '../../src/ingest/reject_files.ts';
import { MAIN } from '../support/main.ts';
import { testLake } from './lake.ts';

test('a row is placed among the records that were not read', () => {
  assert.deepEqual([1, 2, 3, 4].map((nth) => placeAmong(nth, [2, 3, 6])), [1, 4, 5, 7]);
});

test('what rejects say is not held while they are written, by their lines', async () => {
  const lake = await testLake();
  const rejects = 25_000;
  const file = await lake.file('a.ndjson', `{"id":1,"name":"Ann"}\n${`${'名'.repeat(1_000)}\n`.repeat(rejects)}{"id":2}\n`);
  // Their texts alone take more.
  const { status, stderr } = spawnSync(process.execPath, ['--max-old-space-size=64', MAIN, 'ingest', file, '--dataset', 'contacts', '--source', 'crm'], {
    env: { ...process.env, LDS_DATA_DIR: lake.dataDir }, encoding: 'utf8',
  });
  assert.equal(status, 0, stderr.slice(-1_000));
  const written = (await lake.read(join(lake.dataDir, 'rejects/crm/a.ndjson.rejects.csv'))).trimEnd().split('\r\n').slice(1);
  assert.deepEqual(written.map((reject) => Number.parseInt(reject, 10)), Array.from({ length: rejects + 1 }, (_, nth) => 2 + nth));
  assert.ok(written[0]!.includes('not valid JSON') && written.at(-1)!.includes('nothing identifies'));
});
