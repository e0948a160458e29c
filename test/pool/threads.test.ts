import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LIMITS } from '../../src/config/limits.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import { ScanPool } from '../../src/pool/scan_pool.ts';
import { startThreads } from '../../src/pool/threads.ts';
import { pause, type ScanWanted, under } from '../support/runners.ts';

const ODD = new URL('../support/odd_worker.js', import.meta.url);
const BROKEN = new URL('../support/broken_worker.js', import.meta.url);

function input(segment: string, inMs: number): ScanWanted {
  return {
    segment, deadlineMs: monotonicMs() + inMs, filters: [], terms: [], order: 'stored', after: -1, rowsMax: 1, bytesMax: 1, copy: false, text: false,
    identities: false, count: false, facets: [],
  };
}

async function nextSuccessMs(pool: ScanPool): Promise<number> {
  const begunMs = monotonicMs();
  for (let tries = 0; tries < 100; tries += 1) {
    if ((await pool.scan(under(pool.lease()!, input('well', 1_000)))).ok) return monotonicMs() - begunMs;
  }
  return Infinity;
}

describe('scan threads', () => {
  for (const fault of ['exit', 'throw']) {
    it(`lose only the scans of a thread that meets ${fault}, and serve again at once`, async () => {
      const pool = new ScanPool(startThreads(1, ODD));
      assert.equal((await pool.scan(under(pool.lease()!, input('well', 5_000)))).ok, true);
      const lost = await pool.scan(under(pool.lease()!, input(fault, 5_000)));
      assert.equal(!lost.ok && lost.code, 'worker_lost');
      assert.ok(await nextSuccessMs(pool) < 3_000);
      await pool.close();
    });
  }

  it('replace a thread that loops past its slice and the grace', async () => {
    const pool = new ScanPool(startThreads(1, ODD), () => {}, { sliceMs: 5, batchHungMs: 1_000 });
    assert.equal((await pool.scan(under(pool.lease()!, input('well', 5_000)))).ok, true);
    const begunMs = monotonicMs();
    const late = await pool.scan(under(pool.lease()!, input('loop', 50)));
    assert.equal(!late.ok && late.code, 'timed_out');
    assert.ok(monotonicMs() - begunMs < 900, 'the answer does not wait for the thread');
    await pause(1_200);
    assert.equal(pool.threads.alive, 1);
    assert.ok(await nextSuccessMs(pool) < 3_000);
    await pool.close();
  });

  it('keep their memory from one mount to the next', async () => {
    const pool = new ScanPool(startThreads(1, ODD));
    const mounts = 20;
    const before = process.memoryUsage().arrayBuffers;
    for (let at = 0; at < mounts; at += 1) {
      pool.mount([]);
      assert.equal((await pool.scan(under(pool.lease()!, input('well', 5_000)))).ok, true);
    }
    const grown = process.memoryUsage().arrayBuffers - before;
    assert.ok(grown < LIMITS.trayBytes * LIMITS.pageTrays * 2, `${grown} bytes more`);
    await pool.close();
  });

  it('that cannot load leave every scan answered by its deadline', async () => {
    const pool = new ScanPool(startThreads(1, BROKEN));
    const begunMs = monotonicMs();
    assert.equal((await pool.scan(under(pool.lease()!, input('well', 300)))).ok, false);
    assert.ok(monotonicMs() - begunMs < 3_000);
    assert.equal((await pool.scan(under(pool.lease()!, input('well', 100)))).ok, false);
    await pool.close();
  });
});
