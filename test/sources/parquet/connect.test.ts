import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { describe, it, type TestContext } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { Connections } from '../../../src/sources/parquet/connect.ts';
import { SourceFailure } from '../../../src/sources/source.ts';

function connections(t: TestContext): Connections {
  const made = new Connections({ folders: [tmpdir()], files: [], memoryMb: 64, threads: 1 });
  t.after(() => made.close());
  return made;
}

function ask(engine: Connections, signal: AbortSignal = new AbortController().signal): Promise<unknown[][]> {
  return engine.all('SELECT 1', 'short', signal);
}

describe('the engine of a parquet source', () => {
  it('that could not begin, for want of memory or of a disk, begins anew for whoever asks next', async (t) => {
    const engine = connections(t);
    const create = DuckDBInstance.create;
    t.after(() => { DuckDBInstance.create = create; });
    DuckDBInstance.create = () => Promise.reject(new Error('no memory'));
    await assert.rejects(ask(engine), (error) => error instanceof SourceFailure && error.code === 'broken');
    DuckDBInstance.create = create;
    assert.deepEqual(await ask(engine), [[1]]);
  });

  it('leaves nothing of a statement at what outlives it: a joined signal stays with the longest-lived of its own', async (t) => {
    const engine = connections(t);
    const { any } = AbortSignal;
    t.after(() => { AbortSignal.any = any; });
    const joined: AbortSignal[] = [];
    AbortSignal.any = (signals) => {
      joined.push(...signals);
      return any.call(AbortSignal, signals);
    };
    const signal = new AbortController().signal;
    let listening = 0;
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...given: Parameters<typeof addEventListener>) => { listening += 1; addEventListener.apply(signal, given); };
    signal.removeEventListener = (...given: Parameters<typeof removeEventListener>) => { listening -= 1; removeEventListener.apply(signal, given); };
    for (let time = 0; time < 3; time += 1) await ask(engine, signal);
    assert.deepEqual([joined.length, new Set(joined).size, listening], [joined.length, joined.length, 0]);
  });

  it('stops what runs where the caller leaves, and where it is closed', async (t) => {
    const long = 'SELECT sum(a.range * b.range) FROM range(10000000) a, range(1000000) b';
    const engine = connections(t);
    const controller = new AbortController();
    await ask(engine);
    const left = engine.all(long, 'short', controller.signal);
    const closed = engine.all(long, 'short', new AbortController().signal);
    closed.catch(() => {});
    setTimeout(() => controller.abort(), 20);
    await assert.rejects(left, /stopped by this side/);
    await engine.close();
    await assert.rejects(closed, /stopped by this side/);
    await assert.rejects(ask(engine), SourceFailure);
  });

  it('is closed only when a connection that was asked for is there, and gives it to nobody', async (t) => {
    const engine = connections(t);
    const create = DuckDBInstance.create;
    t.after(() => { DuckDBInstance.create = create; });
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => { open = resolve; });
    let come = (): void => {};
    const asked = new Promise<void>((resolve) => { come = resolve; });
    const done: string[] = [];
    DuckDBInstance.create = async (...given) => {
      const instance = await create.apply(DuckDBInstance, given);
      const { connect, closeSync } = instance;
      let times = 0;
      instance.connect = async () => {
        if ((times += 1) === 2) {
          come();
          await gate;
          done.push('connected');
        }
        return connect.call(instance);
      };
      instance.closeSync = () => { done.push('closed'); closeSync.call(instance); };
      return instance;
    };
    const answer = ask(engine);
    answer.catch(() => {});
    await asked;
    const closing = engine.close();
    await new Promise((resolve) => { setImmediate(resolve); });
    open();
    await closing;
    await assert.rejects(answer, /stopped by this side/);
    assert.deepEqual(done, ['connected', 'closed']);
  });
});
