import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { monotonicMs } from '../../src/lib/clock.ts';
import { ScanPool } from '../../src/pool/scan_pool.ts';
import type { Later } from '../../src/pool/scan_queue.ts';
import { startThreads } from '../../src/pool/threads.ts';
import { fullRow, inFolder, inOrder, load, write } from '../segment/support.ts';
import { answerAll, pause, type ScanWanted, ScriptedRunner, under } from '../support/runners.ts';

function input(change: Partial<ScanWanted>): ScanWanted {
  return {
    segment: 'a', deadlineMs: monotonicMs() + 120_000, filters: [], terms: [], order: 'stored', after: -1, rowsMax: 1, bytesMax: 1_000_000,
    copy: false, form: 'rows', fields: null, count: true, facets: [], beside: [], ...change,
  };
}

describe('slow searches', () => {
  const SLOW = 12;
  const ROWS = 5_000;
  let pool: ScanPool;
  before(async () => {
    const rows = Array.from({ length: ROWS }, (_, at) => fullRow('contacts', { id: `test:${at}`, email: `p${at}@x.com`, country: 'US' }));
    const { index, rows: bytes } = await inFolder(async (folder) => load(await write(folder, 'contacts', inOrder('contacts', rows))));
    pool = new ScanPool(startThreads(1));
    pool.mount([{ id: 'a', segment: 'a', index, rows: bytes, dead: null, gone: new Uint32Array() }]);
    await pool.scan(under(pool.lease()!, input({})));
  });
  after(() => pool.close());

  /** Of all slow ones together. */
  let slicesDone = 0;

  /** As a reader asks: until the facets are there. */
  async function facets(): Promise<number> {
    const lease = pool.lease()!;
    for (let later: Later | null = null, slices = 1; ; slices += 1) {
      const result = await pool.scan(under(lease, input({ rowsMax: later === null ? 1 : 0, facets: ['id', 'email'] })), later);
      assert.ok(result.ok);
      slicesDone += 1;
      if (result.tally === 'done') {
        assert.equal(result.matched, ROWS);
        return slices;
      }
      later = { slices, heldBy: result.heldBy };
    }
  }

  it('on the only thread leave short ones as fast as they are', async () => {
    const over = new AbortController();
    const slow = Promise.all(Array.from({ length: SLOW }, facets)).finally(() => over.abort());
    const waited: number[] = [];
    while (!over.signal.aborted) {
      const before = slicesDone;
      const result = await pool.scan(under(pool.lease()!, input({})));
      // On a busy machine a slice may be spent before its one step of counting.
      assert.ok(result.ok && result.rows === 1);
      if (result.tally === 'done') assert.equal(result.matched, ROWS);
      waited.push(slicesDone - before);
      await pause(1);
    }
    assert.ok((await slow).every((slices) => slices > 3));
    assert.ok(waited.length >= 10, 'short searches were answered while the slow ones ran');
    const middle = waited.toSorted((a, b) => a - b)[waited.length >> 1]!;
    assert.ok(middle < SLOW / 2, `half of them waited for ${middle} slices of slow ones or more`);
  });
});

describe('later slices', () => {
  it('take turns with first ones, and the scan that has had the least goes first', async () => {
    const order: number[] = [];
    const runner = new ScriptedRunner(1, async (batch) => {
      order.push(...batch.scans.map(({ after }) => after));
      await pause(1);
      return { ...answerAll(batch), replies: answerAll(batch).replies.slice(0, 1) };
    });
    const pool = new ScanPool(runner);
    const lease = pool.lease()!;
    const later = (slices: number): Promise<unknown> => pool.scan(under(lease, input({ after: slices })), { slices, heldBy: null });
    const first = (): Promise<unknown> => pool.scan(under(lease, input({ after: 0 })));
    await Promise.all([later(9), later(5), first(), first()]);
    assert.deepEqual(order, [0, 0, 5, 9, 0, 9], 'what a batch did not come to waits on and is not lost');
    await pool.close();
  });
});
