import assert from 'node:assert/strict';
import { cp, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { codeIn, REPLACED } from '../../src/config/code.ts';
import { folderOf } from '../support/folder.ts';

const SRC = join(import.meta.dirname, '../../src');
const ENTRIES = ['worker/entry.js', 'worker/foreign_entry.js', 'worker/load_entry.js', 'worker/suppression_entry.js', 'ingest/segment_entry.js'];

for (const entry of ENTRIES) {
  test(`a thread of ${entry} is none where its code is not that of who starts it`, async () => {
    const worker = new Worker(join(SRC, entry), { argv: ['of another version'] });
    const ended = await new Promise<unknown>((resolve) => { worker.once('error', resolve).once('exit', resolve); });
    assert.equal(ended instanceof Error && ended.message, REPLACED);
  });
}

test('code is the same until a file of it was written, came or went', async (t) => {
  const folder = folderOf(t);
  await cp(join(SRC, 'config'), folder, { recursive: true });
  const first = codeIn(folder);
  assert.equal(codeIn(folder), first);
  await utimes(join(folder, 'limits.js'), 1, 1);
  const written = codeIn(folder);
  await cp(join(folder, 'limits.js'), join(folder, 'more.js'), { preserveTimestamps: true });
  const more = codeIn(folder);
  await rm(join(folder, 'limits.js'));
  assert.equal(new Set([first, written, more, codeIn(folder)]).size, 4);
});
