import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isMainThread } from 'node:worker_threads';
import { unbroken } from '../../src/lib/unbroken.ts';
import { LoneThread } from '../../src/pool/lone_thread.ts';
import { until } from '../support/until.ts';

type Stay = { readonly within: Int32Array; readonly gone: Int32Array };

const LONG_MS = 60_000;

/** The task of the thread: it stays where it must not be ended, until it is let go. */
export function stay({ within, gone }: Stay): void {
  unbroken(() => {
    Atomics.store(within, 0, 1);
    Atomics.wait(gone, 0, 0, LONG_MS);
  });
}

if (isMainThread) test('a thread that must not be ended yet is left to the process, and what else is to be closed does not wait for it', async () => {
  const [within, gone] = [new Int32Array(new SharedArrayBuffer(4)), new Int32Array(new SharedArrayBuffer(4))];
  const thread = new LoneThread<Stay, void>({ filename: import.meta.url, name: 'stay' }, () => {});
  const stayed = thread.pool().run({ within, gone });
  await until(() => Atomics.load(within, 0) === 1);
  await thread.close();
  assert.equal(thread.alive, true);
  Atomics.store(gone, 0, 1);
  Atomics.notify(gone, 0);
  await stayed;
  await thread.close();
  assert.equal(thread.alive, false);
});
