import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seeded } from '../../bench/support/figures.ts';
import { LIMITS } from '../../src/config/limits.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import { ScanPool } from '../../src/pool/scan_pool.ts';
import { VirtualTime } from '../simulation/virtual_time.ts';
import { answerAll, pause, type ScanWanted, ScriptedRunner, under } from '../support/runners.ts';

/** `inMs` is longer than a busy machine holds a scan up where nothing else is said. */
function input(inMs = 30_000): ScanWanted {
  return {
    segment: 's', deadlineMs: monotonicMs() + inMs, filters: [], terms: [], order: 'stored', after: -1, rowsMax: 25, bytesMax: 1_000_000,
    copy: false, form: 'rows', fields: null, count: true, facets: [], beside: [],
  };
}

describe('the scan pool', () => {
  it('hands all scans of one turn of the event loop over as one task', async () => {
    const runner = new ScriptedRunner(1, (batch) => Promise.resolve(answerAll(batch)));
    const pool = new ScanPool(runner);
    const lease = pool.lease()!;
    const results = await Promise.all(Array.from({ length: LIMITS.scansInBatchMax - 1 }, () => pool.scan(under(lease, input()))));
    assert.ok(results.every(({ ok }) => ok));
    assert.deepEqual(runner.batches.map(({ scans }) => scans.length), [LIMITS.scansInBatchMax - 1]);
    await pool.close();
  });

  it('hands a full batch over at once, whatever else the turn may bring', async () => {
    const runner = new ScriptedRunner(1, (batch) => Promise.resolve(answerAll(batch)));
    const pool = new ScanPool(runner);
    const lease = pool.lease()!;
    const results = Array.from({ length: LIMITS.scansInBatchMax + 2 }, () => pool.scan(under(lease, input())));
    assert.deepEqual(runner.batches.map(({ scans }) => scans.length), [LIMITS.scansInBatchMax]);
    assert.ok((await Promise.all(results)).every(({ ok }) => ok));
    assert.deepEqual(runner.batches.map(({ scans }) => scans.length), [LIMITS.scansInBatchMax, 2]);
    await pool.close();
  });

  it('gathers what arrives while every thread is busy, no more in a task than its bound', async () => {
    let release = (): void => {};
    const busy = new Promise<void>((resolve) => { release = resolve; });
    const runner = new ScriptedRunner(1, async (batch) => { await busy; return answerAll(batch); });
    const pool = new ScanPool(runner);
    const lease = pool.lease()!;
    const first = pool.scan(under(lease, input()));
    while (runner.batches.length === 0) await pause(1);
    const others = Array.from({ length: LIMITS.scansInBatchMax + 1 }, () => pool.scan(under(lease, input())));
    release();
    await Promise.all([first, ...others]);
    assert.deepEqual(runner.batches.map(({ scans }) => scans.length), [1, LIMITS.scansInBatchMax, 1]);
    await pool.close();
  });

  it('shares waiting scans out among idle threads', async () => {
    const runner = new ScriptedRunner(2, async (batch, index) => { await pause(2); return answerAll(batch, index + 1); });
    const pool = new ScanPool(runner);
    const lease = pool.lease()!;
    await Promise.all(Array.from({ length: 8 }, () => pool.scan(under(lease, input()))));
    assert.deepEqual(runner.batches.map(({ scans }) => scans.length), [4, 4]);
    await pool.close();
  });

  it('answers by the deadline when a thread does not', async () => {
    await VirtualTime.during(seeded(1), async () => {
      const pool = new ScanPool(new ScriptedRunner(1, () => new Promise(() => {})));
      const lease = pool.lease()!;
      const begunMs = monotonicMs();
      const results = await Promise.all([30, 60].map(async (inMs) => ({ result: await pool.scan(under(lease, input(inMs))), lateMs: monotonicMs() - begunMs - inMs })));
      for (const { result, lateMs } of results) {
        assert.equal(!result.ok && result.code, 'timed_out');
        assert.ok(lateMs >= 0 && lateMs <= LIMITS.scanMarginMs + LIMITS.deadlineTickMs, `${lateMs} ms`);
      }
      await pool.close();
    });
  });

  it('answers scans that never got a thread by their deadline', async () => {
    const runner = new ScriptedRunner(1, () => new Promise(() => {}));
    const pool = new ScanPool(runner);
    const lease = pool.lease()!;
    void pool.scan(under(lease, input()));
    while (runner.batches.length === 0) await pause(1);
    const waiting = await pool.scan(under(lease, input(20)));
    assert.deepEqual([waiting.ok, runner.batches.length], [false, 1]);
    await pool.close();
  });

  it('counts a thread as hung by the time of a batch, not by the deadlines of its scans', async () => {
    let given = 0;
    const pool = new ScanPool(new ScriptedRunner(1, (batch, _, hungMs) => { given = hungMs; return Promise.resolve(answerAll(batch)); }));
    await pool.scan(under(pool.lease()!, input(30_000)));
    assert.equal(given, LIMITS.batchHungMs);
    await pool.close();
  });

  it('fails only the scans of a thread that was lost, and serves the next', async () => {
    const runner = new ScriptedRunner(1, (batch, index) => (index === 0 ? Promise.reject(new Error('exited')) : Promise.resolve(answerAll(batch))));
    const pool = new ScanPool(runner);
    const lease = pool.lease()!;
    const lost = await pool.scan(under(lease, input()));
    assert.equal(!lost.ok && lost.code, 'worker_lost');
    assert.equal((await pool.scan(under(lease, input()))).ok, true);
    await pool.close();
  });

  it('refuses scans beyond the bound of its queue at once', async () => {
    const pool = new ScanPool(new ScriptedRunner(1, () => new Promise(() => {})));
    const lease = pool.lease()!;
    const waiting = Array.from({ length: LIMITS.scansInBatchMax + LIMITS.scansQueuedMax }, () => pool.scan(under(lease, input(100))));
    const refused = await pool.scan(under(lease, input(100)));
    assert.equal(!refused.ok && refused.code, 'overloaded');
    await pool.close();
    assert.ok((await Promise.all(waiting)).every(({ ok }) => !ok));
  });

  it('brings the mount along once to each thread, and again after it was lost', async () => {
    const runner = new ScriptedRunner(2, async (batch, index) => {
      await pause(1);
      return index === 4 ? Promise.reject(new Error('exited')) : answerAll(batch, index % 2);
    });
    const pool = new ScanPool(runner);
    pool.mount([]);
    const lease = pool.lease()!;
    const both = (): Promise<unknown> => Promise.all([pool.scan(under(lease, input())), pool.scan(under(lease, input()))]);
    for (let i = 0; i < 4; i += 1) await both();
    assert.deepEqual(runner.batches.map(({ mount }) => mount !== null), [true, true, false, false, false, false, true, false]);
    await pool.close();
  });

  it('tells the segments again to a thread that took the place of an idle one, and answers its scans all the same', async () => {
    const runner = new ScriptedRunner(1, (batch, index) => Promise.resolve(index === 1 ? { ...answerAll(batch), epoch: -1 } : answerAll(batch)));
    const pool = new ScanPool(runner);
    const lease = pool.lease()!;
    assert.equal((await pool.scan(under(lease, input()))).ok, true);
    assert.equal((await pool.scan(under(lease, input()))).ok, true);
    assert.deepEqual(runner.batches.map(({ mount }) => mount !== null), [true, false, true]);
    await pool.close();
  });

  it('has what a thread kept begun anew where that died idle, and was found so by the very scan that asks for it', async () => {
    const runner = new ScriptedRunner(1, (batch, index) => Promise.resolve(index === 1 ? { thread: -1, epoch: -1, replies: [] } : answerAll(batch, index + 1)));
    const pool = new ScanPool(runner);
    const lease = pool.lease()!;
    assert.equal((await pool.scan(under(lease, input()))).ok, true);
    assert.equal((await pool.scan(under(lease, input(1_000)), { slices: 1, heldBy: 1 })).ok, true);
    assert.equal(runner.batches.length, 3);
    await pool.close();
  });

  it('answers what waits when it closes, and takes nothing more', async () => {
    const pool = new ScanPool(new ScriptedRunner(1, () => new Promise(() => {})));
    const lease = pool.lease()!;
    const waiting = pool.scan(under(lease, input(60_000)));
    await pause(2);
    await pool.close();
    assert.equal((await waiting).ok, false);
    assert.equal((await pool.scan(under(lease, input()))).ok, false);
  });
});

describe('cancel flags', () => {
  it('stop the scans of one call alone, and a late scan never mistakes the next call for its own', () => {
    const pool = new ScanPool(new ScriptedRunner(1, () => new Promise(() => {})));
    const first = pool.lease()!;
    const second = pool.lease()!;
    assert.notEqual(first.slot, second.slot);
    pool.release(first);
    const third = pool.lease()!;
    assert.equal(third.slot, first.slot);
    assert.notEqual(third.ticket, first.ticket);
  });
});
