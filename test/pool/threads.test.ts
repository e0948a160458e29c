import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { LIMITS } from '../../src/config/limits.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import { ScanPool } from '../../src/pool/scan_pool.ts';
import type { ScanReply } from '../../src/pool/protocol.ts';
import type { ScanResult } from '../../src/pool/scan_queue.ts';
import { startThreads } from '../../src/pool/threads.ts';
import { NAP_MS, rest } from '../support/odd_worker.ts';
import { pause, type ScanWanted, under } from '../support/runners.ts';
import { until } from '../support/until.ts';

const ODD = new URL('../support/odd_worker.js', import.meta.url);
const SLOW = new URL('../support/slow_worker.js', import.meta.url);
const BROKEN = new URL('../support/broken_worker.js', import.meta.url);

function input(segment: string, inMs: number): ScanWanted {
  return {
    segment, deadlineMs: monotonicMs() + inMs, filters: [], terms: [], order: 'stored', after: -1, rowsMax: 1, bytesMax: 1, copy: false, form: 'rows', fields: null,
    count: false, facets: [], beside: [],
  };
}

/** Longer than a busy machine holds a scan up. */
const PATIENT_MS = 60_000;

async function scan(pool: ScanPool, segment: string): Promise<ScanResult> {
  return pool.scan(under(pool.lease()!, input(segment, PATIENT_MS)));
}

describe('scan threads', () => {
  for (const fault of ['exit', 'throw']) {
    it(`lose only the scans of a thread that meets ${fault}, and serve again at once`, async () => {
      const pool = new ScanPool(startThreads(1, { entry: ODD }));
      assert.equal((await scan(pool, 'well')).ok, true);
      const lost = await scan(pool, fault);
      assert.equal(!lost.ok && lost.code, 'worker_lost');
      assert.equal((await scan(pool, 'well')).ok, true);
      await pool.close();
    });
  }

  it('replace a thread that loops past its slice and the grace', async () => {
    let lost = 0;
    const pool = new ScanPool(startThreads(1, { entry: ODD, onLost: () => { lost += 1; } }), () => {}, { sliceMs: 5, batchHungMs: 1_000 });
    assert.equal((await scan(pool, 'well')).ok, true);
    const late = await pool.scan(under(pool.lease()!, input('loop', 50)));
    assert.equal(!late.ok && late.code, 'timed_out');
    assert.equal(lost, 0, 'the answer does not wait for the thread');
    await until(() => lost === 1 && pool.threads.alive === 1);
    assert.equal((await scan(pool, 'well')).ok, true);
    await pool.close();
  });

  it('that take longer to start than a batch may take are waited for', async (t) => {
    const pool = new ScanPool(startThreads(1, { entry: SLOW }), () => {}, { sliceMs: 5, batchHungMs: 300 });
    t.after(() => pool.close());
    const found = await Promise.all([pool.scan(under(pool.lease()!, input('well', 30_000))), pause(500).then(() => pool.scan(under(pool.lease()!, input('well', 30_000))))]);
    assert.deepEqual(found.map(({ ok }) => ok), [true, true]);
    const lost = await pool.scan(under(pool.lease()!, input('loop', 30_000)));
    assert.equal(!lost.ok && lost.code, 'worker_lost', 'once it is at work it is waited for no longer than any');
  });

  it('that take longer to start than they may are begun anew', async (t) => {
    const pool = new ScanPool(startThreads(1, { entry: SLOW, startMs: 300 }), () => {}, { sliceMs: 5, batchHungMs: 100 });
    t.after(() => pool.close());
    const lost = await pool.scan(under(pool.lease()!, input('well', 30_000)));
    assert.equal(!lost.ok && lost.code, 'worker_lost');
    let tries = 1;
    while (!(await scan(pool, 'well')).ok) assert.ok((tries += 1) < 100);
  });

  it('are not ended for answers that the service was too busy to take', async (t) => {
    const threads: number[] = [];
    const pool = new ScanPool(startThreads(1, { entry: ODD }), ({ thread }) => { threads.push(thread); }, { sliceMs: 5, batchHungMs: 2 * NAP_MS });
    t.after(() => pool.close());
    const scan = async (segment: string): Promise<boolean> => (await pool.scan(under(pool.lease()!, input(segment, 30_000)))).ok;
    assert.ok(await scan('well'));
    const napping = scan('nap');
    await pause(NAP_MS / 4);
    // From here on timers are the first that the loop comes to.
    await setImmediate();
    rest(8 * NAP_MS);
    assert.ok(await napping);
    await pause(NAP_MS);
    assert.ok(await scan('well'));
    assert.deepEqual(new Set(threads), new Set([threads[0]]), 'one thread has answered all');
  });

  it('have all their trays again after one was lost that had taken some, while the next mount waited for it', async (t) => {
    const pool = new ScanPool(startThreads(1, { entry: ODD }), () => {}, { sliceMs: 5, batchHungMs: 200 });
    t.after(() => pool.close());
    const scan = (segment: string): Promise<ScanResult> => pool.scan(under(pool.lease()!, input(segment, 30_000)));
    await scan('well');
    const lost = scan('take');
    await pause(50);
    pool.mount([]);
    assert.deepEqual((await Promise.all([lost, scan('well')])).map(({ ok }) => ok), [false, true]);
    pool.mount([]);
    const { matched } = await scan('well') as ScanReply & { ok: true };
    assert.equal(matched, LIMITS.pageTrays);
  });

  it('keep their memory from one mount to the next', async () => {
    const pool = new ScanPool(startThreads(1, { entry: ODD }));
    const mounts = 20;
    const before = process.memoryUsage().arrayBuffers;
    for (let at = 0; at < mounts; at += 1) {
      pool.mount([]);
      assert.equal((await scan(pool, 'well')).ok, true);
    }
    const grown = process.memoryUsage().arrayBuffers - before;
    assert.ok(grown < LIMITS.trayBytes * LIMITS.pageTrays * 2, `${grown} bytes more`);
    await pool.close();
  });

  for (const [fault, said] of [['throw', /thrown on purpose/], ['loop', /^Error: it did not answer for \d+ ms, and was ended$/]] as const) {
    it(`tell why one was lost that meets ${fault}, and not that they are closed`, async () => {
      const lost: string[] = [];
      const pool = new ScanPool(startThreads(1, { entry: ODD, onLost: (error) => { lost.push(String(error)); } }), () => {}, { sliceMs: 5, batchHungMs: 200 });
      await pool.scan(under(pool.lease()!, input(fault, 30_000)));
      assert.equal((await pool.scan(under(pool.lease()!, input('well', 30_000)))).ok, true);
      await pool.close();
      assert.equal(lost.length, 1, lost.join());
      assert.match(lost[0]!, said);
    });
  }

  it('tell why one cannot begin', async (t) => {
    const lost = new Set<string>();
    const pool = new ScanPool(startThreads(1, { entry: BROKEN, onLost: (error) => { lost.add(String(error)); } }));
    t.after(() => pool.close());
    for (let tries = 0; tries < 8; tries += 1) {
      await pool.scan(under(pool.lease()!, input('well', 300)));
      await pause(300);
    }
    assert.deepEqual([...lost], ['Error: broken while it loads']);
  });

  it('that cannot load leave every scan answered by its deadline', async () => {
    const pool = new ScanPool(startThreads(1, { entry: BROKEN }));
    assert.equal((await pool.scan(under(pool.lease()!, input('well', 300)))).ok, false);
    assert.equal((await pool.scan(under(pool.lease()!, input('well', 100)))).ok, false);
    await pool.close();
  });
});
