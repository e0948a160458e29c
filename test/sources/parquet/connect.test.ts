import assert from 'node:assert/strict';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { Connections } from '../../../src/sources/parquet/connect.ts';
import { SourceFailure } from '../../../src/sources/source.ts';
import { folderOf } from '../../support/folder.ts';
import { until } from '../../support/until.ts';

function connections(t: TestContext): Connections {
  const made = new Connections({ folders: [tmpdir()], files: [], memoryMb: 64, threads: 1 });
  t.after(() => made.close());
  return made;
}

function ask(engine: Connections, signal: AbortSignal = new AbortController().signal): Promise<unknown[][]> {
  return engine.all('SELECT 1', 'short', signal);
}

const HANDLES = '/proc/self/fd';

function openTimes(file: string): number {
  return readdirSync(HANDLES).filter((handle) => {
    try {
      return readlinkSync(join(HANDLES, handle)) === file;
    } catch {
      return false;
    }
  }).length;
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

  it('keeps no file open for a statement that was left amid its rows, or stopped', { skip: existsSync(HANDLES) ? false : 'no list of open files here' }, async (t) => {
    const folder = folderOf(t);
    const file = join(folder, 'some.parquet');
    const writer = await DuckDBInstance.create(':memory:');
    await (await writer.connect()).run(`COPY (SELECT range AS id FROM range(200000)) TO '${file}' (FORMAT parquet)`);
    writer.closeSync();
    const engine = connections(t);
    const read = (signal: AbortSignal) => engine.batches(`SELECT * FROM read_parquet(['${file}'])`, 'short', signal);
    // When what nobody holds is collected is for the platform to say: files may be gone meanwhile, and their bytes are still taken.
    const { prepare } = DuckDBConnection.prototype;
    t.after(() => { DuckDBConnection.prototype.prepare = prepare; });
    let open = 0;
    DuckDBConnection.prototype.prepare = async function (this: DuckDBConnection, sql) {
      const made = await prepare.call(this, sql);
      const destroy = made.destroySync.bind(made);
      open += 1;
      made.destroySync = () => { destroy(); open -= 1; };
      return made;
    };
    let batches = 0;
    for (let time = 0; time < 5; time += 1) {
      for await (const _ of read(new AbortController().signal)) {
        batches += 1;
        break;
      }
      const controller = new AbortController();
      await assert.rejects(async () => { for await (const _ of read(controller.signal)) controller.abort(); }, /stopped by this side/);
    }
    assert.equal(batches, 5);
    await until(() => open === 0);
    assert.equal(openTimes(file), 0);
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
