import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { keepThreadsOut } from '../../../src/lib/unbroken.ts';
import { Connections } from '../../../src/sources/parquet/connect.ts';
import { pause } from '../../support/runners.ts';

const LONG_MS = 60_000;

if (isMainThread) tests();
else await askOn();

/** Two at a time, so that one is under way whenever another has come back. */
async function askOn(): Promise<void> {
  const engine = new Connections({ folders: [tmpdir()], files: [], memoryMb: 64, threads: 1 });
  const { signal } = new AbortController();
  const ask = (): Promise<unknown> => engine.all("SELECT range, 'x' || range FROM range(5000)", 'short', signal);
  await ask();
  parentPort!.postMessage('asking');
  const lane = async (): Promise<never> => { for (;;) await ask(); };
  await Promise.all([lane(), lane()]);
}

function tests(): void {
  test('a thread that reads Parquet files can be ended whatever its engine does', async () => {
    for (let time = 0; time < 3; time += 1) {
      const worker = new Worker(new URL(import.meta.url));
      await once(worker, 'message');
      await pause(30 * time);
      const letIn = keepThreadsOut(LONG_MS);
      await worker.terminate();
      letIn();
    }
  });
}
