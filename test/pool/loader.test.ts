import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { test } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { loadSegments } from '../../src/pool/loader.ts';
import type { SegmentToLoad } from '../../src/sources/lake/loading.ts';
import { fullRow, inFolder, inOrder, write } from '../segment/support.ts';

test('lakes that are loaded one after the other are loaded by one thread, which ends when nothing more is asked of it; those at once by one each', async () => {
  const begun: Worker[] = [];
  const ended: Promise<unknown[]>[] = [];
  const note = (message: unknown): void => {
    const { worker } = message as { readonly worker: Worker };
    begun.push(worker);
    // Told once: on a busy machine before anybody waits for it.
    ended.push(once(worker, 'exit'));
  };
  subscribe('worker_threads', note);
  try {
    await inFolder(async (folder) => {
      const { index, rows } = await write(folder, 'contacts', inOrder('contacts', [fullRow('contacts', { id: 'test:1', country: 'DE' })]));
      const file: SegmentToLoad = { index, rows, rowsBytes: statSync(rows).size, indexMapped: false, keep: 'memory', seal: null };
      const load = async (loaded = file): Promise<boolean> => (await loadSegments([loaded], () => {}))[0]!.ok;
      for (let lake = 0; lake < 4; lake += 1) assert.deepEqual([await load(), await load({ ...file, index: `${index}.gone` })], [true, false]);
      assert.equal(begun.length, 1);
      assert.deepEqual(await Promise.all([load(), load()]), [true, true]);
      assert.equal(begun.length, 2);
    });
    // Nothing else holds this process until they have ended.
    for (const worker of begun) worker.ref();
    assert.deepEqual((await Promise.all(ended)).flat(), [0, 0]);
  } finally {
    unsubscribe('worker_threads', note);
  }
});
