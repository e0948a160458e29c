import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { mixesEnds } from '../../src/ingest/line_ends.ts';
import { testLake } from './lake.ts';

const DESCRIPTORS = '/proc/self/fd';

test('a packed file whose first lines say enough is closed, as far as it was not read too', { skip: !existsSync(DESCRIPTORS) }, async () => {
  const lake = await testLake();
  const { signal } = new AbortController();
  const path = await lake.file('a.csv.gz', gzipSync(`a\r\nb\nc\n${randomBytes(1_000_000).toString('hex')}`));
  const openFiles = (): number => readdirSync(DESCRIPTORS).length;
  assert.equal(await mixesEnds({ path, compression: 'gzip' }, signal), true);
  await sleep(100);
  const before = openFiles();
  for (let round = 0; round < 10; round += 1) await mixesEnds({ path, compression: 'gzip' }, signal);
  for (let round = 0; round < 50 && openFiles() > before; round += 1) await sleep(20);
  assert.ok(openFiles() <= before, `${openFiles()} files are open, ${before} were`);
});

test('the look for other line ends is over when its order is, however long the file', async () => {
  const lake = await testLake();
  for (const [name, compression, pack] of [['a.csv', 'none', (text: string) => text], ['a.csv.gz', 'gzip', gzipSync]] as const) {
    const stop = new AbortController();
    const looked = mixesEnds({ path: await lake.file(name, pack('a,b\n'.repeat(2_000_000))), compression }, stop.signal);
    stop.abort();
    await assert.rejects(looked, { name: 'AbortError' }, name);
  }
});
