import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test, type TestContext } from 'node:test';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { keepThreadsOut, unbroken } from '../../src/lib/unbroken.ts';

/** What its thread does: it enters at once, stays within for so long, or until it is let go, and marks its end. */
type Stay = { readonly ms: number; readonly gone: Int32Array; readonly left: Int32Array };
type Staying = { readonly worker: Worker; left(): boolean; letGo(): void };

const LONG_MS = 60_000;

if (isMainThread) tests();
else stay(workerData as Stay);

function stay({ ms, gone, left }: Stay): void {
  parentPort!.postMessage('begun');
  unbroken(() => {
    parentPort!.postMessage('within');
    Atomics.wait(gone, 0, 0, ms);
    Atomics.store(left, 0, 1);
  });
}

async function begin(t: TestContext, ms: number): Promise<Staying> {
  const [left, gone] = [new Int32Array(new SharedArrayBuffer(4)), new Int32Array(new SharedArrayBuffer(4))];
  const worker = new Worker(new URL(import.meta.url), { workerData: { ms, gone, left } satisfies Stay });
  t.after(() => worker.terminate());
  assert.deepEqual(await once(worker, 'message'), ['begun']);
  return {
    worker,
    left: () => Atomics.load(left, 0) === 1,
    letGo() {
      Atomics.store(gone, 0, 1);
      Atomics.notify(gone, 0);
    },
  };
}

async function within({ worker }: Staying): Promise<void> {
  assert.deepEqual(await once(worker, 'message'), ['within']);
}

function tests(): void {
  test('who ends threads waits until none is within', async (t) => {
    const one = await begin(t, 500);
    await within(one);
    const letIn = keepThreadsOut(LONG_MS);
    const hasLeft = one.left();
    letIn();
    assert.ok(hasLeft);
  });

  test('one that stays too long is not waited for to its end', async (t) => {
    const one = await begin(t, LONG_MS);
    await within(one);
    keepThreadsOut(50)();
    assert.equal(one.left(), false);
    one.letGo();
    await once(one.worker, 'exit');
  });

  test('no thread enters until it is let in, and one that waits can be ended', async (t) => {
    const letIn = keepThreadsOut(LONG_MS);
    const [first, second] = [await begin(t, 0), await begin(t, 0)];
    let entered = false;
    first.worker.once('message', () => { entered = true; });
    const entering = within(first);
    await second.worker.terminate();
    const early = entered;
    letIn();
    await entering;
    assert.equal(early, false);
  });
}
