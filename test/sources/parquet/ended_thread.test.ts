import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { getEnvironmentData, isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { keepThreadsOut } from '../../../src/lib/unbroken.ts';
import { pause } from '../../support/runners.ts';

type Calls = { readonly made: string[]; readonly unkept: string[] };
type Native = Record<string, unknown>;

const LONG_MS = 60_000;
const STATEMENT = "SELECT range, 'x' || range FROM range(5000)";

if (isMainThread) tests();
else if (workerData === 'ask on') await askOn();
else parentPort!.postMessage(await callsOfAll());

/** Two at a time, so that one is under way whenever another has come back. */
async function askOn(): Promise<void> {
  const engine = await begin();
  const { signal } = new AbortController();
  const ask = (): Promise<unknown> => engine.all(STATEMENT, 'short', signal);
  await ask();
  parentPort!.postMessage('asking');
  const lane = async (): Promise<never> => { for (;;) await ask(); };
  await Promise.all([lane(), lane()]);
}

/** Of a statement that is read to its end, one that is left, one that is refused, one that is stopped, and the engine's own beginning and end. */
async function callsOfAll(): Promise<Calls> {
  const calls: Calls = { made: [], unkept: [] };
  watchCalls(calls);
  const engine = await begin();
  const stop = new AbortController();
  await engine.all(STATEMENT, 'short', stop.signal);
  for await (const columns of engine.batches(STATEMENT, 'short', stop.signal)) if (columns.length > 0) break;
  await assert.rejects(engine.all('SELECT nothing', 'short', stop.signal));
  const stopped = engine.all('SELECT sum(a.range * b.range) FROM range(1000000) a, range(1000000) b', 'short', stop.signal);
  await pause(50);
  stop.abort();
  await assert.rejects(stopped);
  await engine.close();
  return calls;
}

/** In the place of the native module, which cannot be changed, before what calls it is loaded. */
function watchCalls({ made, unkept }: Calls): void {
  const within = getEnvironmentData('lds.unbroken') as Int32Array;
  const ours = createRequire(import.meta.url);
  const modules = createRequire(ours.resolve('@duckdb/node-api'));
  const native = modules('@duckdb/node-bindings') as Native;
  const watched = (name: string, value: unknown): unknown => (typeof value !== 'function' || !/^[a-z]/.test(name) ? value : (...given: unknown[]): unknown => {
    made.push(name);
    if (Atomics.load(within, 0) === 0) unkept.push(name);
    return value.apply(native, given) as unknown;
  });
  const names = [...Object.getOwnPropertyNames(native), ...Object.getOwnPropertyNames(Object.getPrototypeOf(native))];
  modules.cache[modules.resolve('@duckdb/node-bindings')]!.exports = Object.fromEntries(names.map((name) => [name, watched(name, native[name])]));
}

async function begin() {
  const { Connections } = await import('../../../src/sources/parquet/connect.ts');
  return new Connections({ folders: [tmpdir()], files: [], memoryMb: 64, threads: 1 });
}

function tests(): void {
  const start = (work: 'ask on' | 'tell calls'): Worker => new Worker(new URL(import.meta.url), { workerData: work });

  test('a thread that reads Parquet files can be ended whatever its engine does', async () => {
    for (let time = 0; time < 3; time += 1) {
      const worker = start('ask on');
      await once(worker, 'message');
      await pause(30 * time);
      const letIn = keepThreadsOut(LONG_MS);
      await worker.terminate();
      letIn();
    }
  });

  test('no call of the engine is made where its thread might be ended amid it', async () => {
    const [{ made, unkept }] = await once(start('tell calls'), 'message') as [Calls];
    assert.deepEqual(unkept, []);
    for (const name of ['connect', 'fetch_chunk', 'data_chunk_get_size', 'destroy_prepare_sync', 'interrupt', 'close_sync']) assert.ok(made.includes(name), name);
  });
}
