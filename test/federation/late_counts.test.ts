import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seeded } from '../../bench/support/figures.ts';
import { federatePage } from '../../src/federation/page.ts';
import { federateStream, type RowOutlet } from '../../src/federation/stream.ts';
import type { Page } from '../../src/federation/whole_page.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import type { Query } from '../../src/model/query.ts';
import type { BatchReply, ScanBatch, ScanReply } from '../../src/pool/protocol.ts';
import { ScanPool } from '../../src/pool/scan_pool.ts';
import { VirtualTime } from '../simulation/virtual_time.ts';
import { callOver, compareKeys, planOver, queryOf, scanMemory, type MemoryLane } from '../support/memory_lanes.ts';
import { ScriptedRunner } from '../support/runners.ts';

const LANE: MemoryLane = {
  source: 'crm', segment: 'crm.0', priority: 0,
  rows: Array.from({ length: 9 }, (_, i) => ({ id: `crm:${i}`, keyClass: 2, key: `crm:${i}`, phone: null })).sort(compareKeys),
};
const FACETED: Partial<Query> = { limit: 4, facets: ['country'] };

/** A thread whose tallies take so many slices more than the first; Infinity is one that never answers again. */
function poolOver(slices: number): { readonly pool: ScanPool; readonly runner: ScriptedRunner } {
  const answer = scanMemory([LANE], 3);
  let asked = 0;
  const tallied = (reply: ScanReply, done: boolean): ScanReply => (!reply.ok ? reply : done
    ? { ...reply, facets: [{ name: 'country', values: [['US', 9]] }] }
    : { ...reply, tally: 'unfinished', heldBy: 1, matched: null });
  const act = (batch: ScanBatch): Promise<BatchReply> => {
    const [request] = batch.scans;
    if (request!.rowsMax === 0 && slices === Infinity) return new Promise(() => {});
    const reply = answer(batch);
    const wantsTally = request!.count || request!.facets.length > 0;
    return Promise.resolve(wantsTally ? { ...reply, replies: reply.replies.map((one) => tallied(one, asked++ === slices)) } : reply);
  };
  const runner = new ScriptedRunner(8, act);
  return { pool: new ScanPool(runner), runner };
}

/** Time stands still while anything answers. */
function pageOver(slices: number, change: Partial<Query>, inMs: number): Promise<Page> {
  return VirtualTime.during(seeded(1), async () => {
    const { pool } = poolOver(slices);
    const page = await federatePage(planOver([LANE], false), queryOf(change), callOver(pool, pool.lease()!, monotonicMs() + inMs));
    await pool.close();
    return page;
  });
}

describe('a total and facets that take longer than a slice', () => {
  it('are asked for until they are done', async () => {
    const page = await pageOver(5, FACETED, 5_000);
    assert.deepEqual([page.rows.length, page.total, page.relation, page.partial], [4, 9, 'eq', false]);
    assert.deepEqual(page.facets, { country: [{ value: 'US', count: 9 }] });
    assert.deepEqual([page.warnings, page.errors], [[], []]);
  });

  it('and miss the deadline leave the rows in the answer, which says what is missing', async () => {
    const page = await pageOver(Infinity, FACETED, 60);
    assert.deepEqual([page.rows.length, page.total, page.relation, page.partial], [4, 4, 'gte', true]);
    assert.deepEqual(page.outcomes.map(({ status, reason, returned, matched }) => [status, reason, returned, matched]), [['partial', 'counting timed out', 4, null]]);
    assert.deepEqual(page.errors, ['crm: counting timed out']);
    assert.match(page.warnings.join('\n'), /^crm did not finish \(counting timed out\): its rows are there, but not all of its matches may be in the total\ncrm did not count the facet country: its rows are missing there$/);
    assert.notEqual(page.next, null);
  });

  it('and miss the deadline leave a total exact that the rows themselves tell', async () => {
    const page = await pageOver(Infinity, { ...FACETED, limit: 100 }, 60);
    assert.deepEqual([page.rows.length, page.total, page.relation, page.partial, page.next], [9, 9, 'eq', true, null]);
    assert.equal(page.warnings[0], 'crm did not finish (counting timed out): its rows are there, but not all of its counts');
  });

  it('do not hold back the rows of a stream, and stand in its end', async () => {
    const { pool, runner } = poolOver(30);
    const askedAtRows: number[] = [];
    const outlet: RowOutlet = {
      gone: false,
      chunk: async (_, count) => { askedAtRows.push(runner.batches.length); return count; },
      rows: async () => {}, sourceEnded: async ({ matched }) => { assert.equal(matched, 9); }, checkpoint: async () => {}, afford: (rows) => rows,
    };
    const end = await federateStream(planOver([LANE], false), queryOf({ ...FACETED, limit: 1_000, delivery: 'stream' }),
      callOver(pool, pool.lease()!, monotonicMs() + 5_000), outlet);
    await pool.close();
    assert.deepEqual([end.returned, end.total, end.facets], [9, 9, { country: [{ value: 'US', count: 9 }] }]);
    assert.ok(askedAtRows[0]! <= 3, `the first rows came after ${askedAtRows[0]} tasks`);
    assert.ok(runner.batches.length > 30);
  });
});
