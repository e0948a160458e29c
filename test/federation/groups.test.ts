import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ByteSink } from '../../src/encode/byte_sink.ts';
import { Fill } from '../../src/encode/fill.ts';
import { RowLayout } from '../../src/encode/row_layout.ts';
import { RowShape } from '../../src/encode/rows.ts';
import type { CallContext } from '../../src/federation/lane_reader.ts';
import { IdentityMerge } from '../../src/federation/merge.ts';
import { openReader } from '../../src/federation/open_reader.ts';
import { reportOf } from '../../src/federation/outcome.ts';
import { federatePage } from '../../src/federation/page.ts';
import type { Page } from '../../src/federation/whole_page.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import type { Plan } from '../../src/plan/plan.ts';
import { ScanPool } from '../../src/pool/scan_pool.ts';
import { LAYOUT, chunkOf } from '../encode/rows_support.ts';
import { MEMORY_VOCABULARY, callOver, planOver, queryOf, scanMemory, type MemoryLane } from '../support/memory_lanes.ts';
import { ScriptedRunner } from '../support/runners.ts';

/** Two sources whose rows all have one key, but for the last of each. */
function oneGroup(rows: number): MemoryLane[] {
  return ['crm', 'web'].map((source, priority) => ({
    source, segment: `${source}.0`, priority,
    rows: Array.from({ length: rows }, (_, i) => ({ id: `${source}:${i}`, keyClass: 0, key: i < rows - 1 ? 'info@shared.com' : `z${source}`, phone: null })),
  }));
}

/** Two sources that share no key, or every one. */
function pairs(rows: number, shared: boolean): MemoryLane[] {
  return ['crm', 'web'].map((source, priority) => ({
    source, segment: `${source}.0`, priority,
    rows: Array.from({ length: rows }, (_, i) => ({ id: `${source}:${i}`, keyClass: 0, key: `${String(i).padStart(6, '0')}-${shared ? '' : source}`, phone: null })),
  }));
}

class CountingLayout extends RowLayout {
  located = 0;
  override locate(...place: Parameters<RowLayout['locate']>): void {
    this.located += 1;
    super.locate(...place);
  }
}

function countingPool(lanes: readonly MemoryLane[]): { pool: ScanPool; scans: () => number } {
  const answer = scanMemory(lanes, Infinity);
  const runner = new ScriptedRunner(1, (batch) => Promise.resolve(answer(batch)));
  return { pool: new ScanPool(runner), scans: () => runner.batches.reduce((sum, { scans }) => sum + scans.length, 0) };
}

async function pageOver(lanes: readonly MemoryLane[], limit: number): Promise<{ page: Page; scans: number }> {
  const { pool, scans } = countingPool(lanes);
  const page = await federatePage(planOver(lanes, true), queryOf({ limit }), callOver(pool, pool.lease()!, monotonicMs() + 5_000));
  await pool.close();
  return { page, scans: scans() };
}

/** A merge over lanes that answer at once, told of another deadline than they are. */
async function mergeOver(lanes: readonly MemoryLane[], deadlineMs: number): Promise<IdentityMerge> {
  const { pool } = countingPool(lanes);
  const query = queryOf({});
  const context: CallContext = { ...callOver(pool, pool.lease()!, monotonicMs() + 60_000), query, order: 'identity', form: 'rows' };
  const readers = planOver(lanes, true).lanes.map((lane) => openReader(lane, context));
  const merge = new IdentityMerge(readers, { query, vocabulary: MEMORY_VOCABULARY, deadlineMs }, 1_000_000);
  await merge.begin();
  return merge;
}

describe('a long group of one identity', () => {
  it('has each of its rows read once, however many of them are filled from the others', () => {
    const layout = new CountingLayout(LAYOUT.names);
    const shape = new RowShape(layout, null);
    const fill = new Fill(layout, layout.places);
    const rows = chunkOf(Array.from({ length: 100 }, (_, i) => ({ id: `crm:${i}`, email: 'info@shared.com', phone: null })));
    for (let row = 0; row < 100; row += 1) fill.offer({ chunk: rows, row });
    const sink = new ByteSink();
    for (let row = 0; row < 100; row += 1) shape.append(sink, { chunk: rows, row, fill, sources: ['crm', 'web'] });
    assert.equal(layout.located, 200);
  });

  it('has no donor read once every wanted field is lent', () => {
    const layout = new CountingLayout(LAYOUT.names);
    const fill = new Fill(layout, ['id', 'phone'].map((name) => layout.place(name)));
    const rows = chunkOf(Array.from({ length: 100 }, (_, i) => ({ id: `crm:${i}`, phone: i < 3 ? null : '+1' })));
    for (let row = 0; row < 100 && fill.open; row += 1) fill.offer({ chunk: rows, row });
    assert.ok(fill.lends(layout.place('phone')));
    assert.equal(layout.located, 4);
    assert.equal(fill.open, false);
  });

  it('is read in slices that grow, whatever the size of the page', async () => {
    const { page, scans } = await pageOver(oneGroup(8_000), 1);
    assert.equal(page.rows.length, 1);
    assert.ok(scans <= 12, `${scans} scans`);
  });

  it('is not held: the winners after the page stay with their source', async () => {
    const { page, scans } = await pageOver(oneGroup(8_000), 10);
    assert.deepEqual(page.next!.lanes.map(({ after, done }) => [after, done]), [[9, false], [-1, false]]);
    assert.ok(scans <= 10, `${scans} scans`);
  });
});

describe('a long merge', () => {
  it('lets others run', async () => {
    const merge = await mergeOver(pairs(20_000, true), monotonicMs() + 60_000);
    let turns = 0;
    let merging = true;
    const count = (): void => { turns += 1; if (merging) setImmediate(count); };
    setImmediate(count);
    const rows = await merge.take(20_000, Infinity);
    merging = false;
    assert.equal(rows.length, 20_000);
    assert.ok(turns > 1, `${turns} turns`);
  });

  it('ends soon after the deadline, and what is left stays for the cursor', async () => {
    const merge = await mergeOver(pairs(5_000, false), monotonicMs() - 1_000);
    const rows = await merge.take(10_000, Infinity);
    assert.ok(rows.length > 0 && rows.length < 3_000, `${rows.length} rows`);
    assert.deepEqual([merge.late, merge.over()], [true, [false, false]]);
  });

  it('gives the rows of a page that came in time, however late the deadline is seen', async () => {
    const merge = await mergeOver(pairs(500, false), monotonicMs() - 1_000);
    assert.equal((await merge.take(1_000, Infinity)).length, 1_000);
    assert.deepEqual([merge.late, merge.over()], [false, [true, true]]);
  });

  it('that the deadline strikes amid a group gives no row of it to be filled by half', async () => {
    const merge = await mergeOver(oneGroup(5_000), monotonicMs() - 1_000);
    assert.deepEqual(await merge.take(10, Infinity), []);
    assert.deepEqual([merge.late, merge.over()], [true, [false, false]]);
  });
});

describe('a page that the deadline cut', () => {
  it('says so in every place, of the sources whose rows are missing alone', () => {
    const lanes = pairs(1, false);
    const plan = planOver(lanes, true);
    const call = callOver(countingPool(lanes).pool, { slot: 0, ticket: 0 }, 0);
    const context: CallContext = { ...call, query: queryOf({}), order: 'identity', form: 'rows' };
    const readers = plan.lanes.map((lane) => openReader(lane, context));
    const report = reportOf(plan, context.query, readers, { returned: [3, 1], exhausted: false, cut: [false, true], leftOut: false });
    assert.deepEqual(report.outcomes.map(({ status, reason }) => [status, reason]), [['complete', null], ['partial', 'timed out']]);
    assert.deepEqual([report.partial, report.errors, report.warnings.length], [true, ['web: timed out'], 1]);
  });
});

describe('a source that is not asked', () => {
  it('is missing with its rows, or with its count alone where the pages before gave them all', () => {
    const skipped = (given: boolean): string[] => {
      const plan: Plan = { ...planOver([], true), fromStart: false, sources: [{ name: 'web', filters: { pushed: [], residual: [], unsupported: [] }, skip: 'unreachable', given }] };
      const report = reportOf(plan, queryOf({}), [], { returned: [], exhausted: given, cut: [], leftOut: false });
      return [...report.warnings, ...report.errors, report.relation];
    };
    assert.deepEqual(skipped(false), ['web was not asked (unreachable): its rows are missing', 'web: unreachable', 'gte']);
    assert.deepEqual(skipped(true), ['web was not asked (unreachable): its rows were all given before, but are not counted', 'web: unreachable', 'gte']);
  });
});
