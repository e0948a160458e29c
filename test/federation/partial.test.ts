import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { seeded } from '../../bench/support/figures.ts';
import { federatePage } from '../../src/federation/page.ts';
import type { Page } from '../../src/federation/whole_page.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import type { Position } from '../../src/plan/plan.ts';
import type { BatchReply, ScanBatch, ScanReply } from '../../src/pool/protocol.ts';
import { ScanPool } from '../../src/pool/scan_pool.ts';
import { VirtualTime } from '../simulation/virtual_time.ts';
import { callOver, compareKeys, planOver, queryOf, scanMemory, type MemoryLane } from '../support/memory_lanes.ts';
import { idsOf } from '../support/memory_streams.ts';
import { ScriptedRunner } from '../support/runners.ts';

const FAULTS = ['none', 'none', 'none', 'lost', 'crashed', 'hung', 'cut'] as const;
type Fault = (typeof FAULTS)[number];

const DEADLINE_MS = 250;
/** What an answer may be late by. */
const LATE_MS = 25;
const NEVER = new Promise<BatchReply>(() => {});

/** Lanes of rows that are all their own, so that what is lost or doubled shows by its id. */
function lanesOf(sizes: readonly number[]): MemoryLane[] {
  return sizes.map((size, priority) => ({
    source: `s${priority}`, segment: `s${priority}.0`, priority,
    rows: Array.from({ length: size }, (_, i) => ({ id: `s${priority}:${i}`, keyClass: 2, key: `s${priority}:${i}`, phone: null })).sort(compareKeys),
  }));
}

/** Each scan runs alone, and meets the fault that is next for its lane. */
function faultyPool(lanes: readonly MemoryLane[], next: (segment: string) => Fault): { pool: ScanPool; struck: Set<string> } {
  const answer = scanMemory(lanes, 2);
  const struck = new Set<string>();
  const act = (batch: ScanBatch): Promise<BatchReply> => {
    const { segment } = batch.scans[0]!;
    const fault = next(segment);
    if (fault !== 'none') struck.add(segment.split('.')[0]!);
    switch (fault) {
      case 'none': return Promise.resolve(answer(batch));
      case 'lost': return Promise.reject(new Error('exited'));
      case 'hung': return NEVER;
      case 'crashed': return Promise.resolve({ ...answer(batch), replies: [{ ok: false, code: 'scan_crashed', detail: 'x' }] });
      case 'cut': return Promise.resolve({ ...answer(batch), replies: answer(batch).replies.map(cutShort) });
      default: return fault satisfies never;
    }
  };
  return { pool: new ScanPool(new ScriptedRunner(64, act)), struck };
}

/** What came before the deadline struck amid the scan. */
function cutShort(reply: ScanReply): ScanReply {
  return reply.ok ? { ...reply, stop: 'deadline', tally: 'deadline', matched: null } : reply;
}

/** A clock of its own leaps to the deadline where a lane hangs, and strikes no lane that does not. */
function pageOf(lanes: readonly MemoryLane[], pool: ScanPool, dedupe: boolean, from: Position | null): Promise<Page> {
  return VirtualTime.during(seeded(1), async () => {
    const lease = pool.lease()!;
    const begunMs = monotonicMs();
    const page = await federatePage(planOver(lanes, dedupe, from), queryOf({ limit: 3, dedupe }), callOver(pool, lease, begunMs + DEADLINE_MS));
    const lateMs = monotonicMs() - begunMs - DEADLINE_MS;
    assert.ok(lateMs < LATE_MS, `${lateMs} ms late`);
    pool.release(lease);
    return page;
  });
}

/** Missing rows are told in every place, and nothing is told without cause. */
function assertHonest(page: Page, struck: ReadonlySet<string>): void {
  const lost = page.outcomes.filter(({ status }) => status !== 'complete').map(({ source }) => source);
  assert.deepEqual(new Set(lost), struck);
  assert.equal(page.partial, lost.length > 0);
  for (const source of lost) {
    assert.equal(page.warnings.filter((warning) => warning.startsWith(`${source} `)).length, 1);
    assert.equal(page.errors.filter((error) => error.startsWith(`${source}:`)).length, 1);
  }
  assert.equal(page.errors.length, lost.length);
  if (lost.length > 0) {
    assert.ok(['gte', 'approx'].includes(page.relation));
    const lacksRows = page.outcomes.some(({ reason }) => reason !== null && !reason.startsWith('counting '));
    if (lacksRows) assert.notEqual(page.next, null, 'a page that lacks rows can be gone on from');
  }
}

describe('a source that fails', () => {
  for (const dedupe of [false, true]) {
    it(`is told in warnings, errors and sources, and no walk by cursor loses or doubles a row over it (dedupe ${dedupe})`, async () => {
      await fc.assert(fc.asyncProperty(
        fc.array(fc.nat(7), { minLength: 1, maxLength: 3 }), fc.infiniteStream(fc.constantFrom(...FAULTS)),
        async (sizes, faults) => {
          const lanes = lanesOf(sizes);
          const ids: string[] = [];
          let position: Position | null = null;
          for (let pages = 0; pages < 60; pages += 1) {
            const healthy = pages >= 12;
            const { pool, struck } = faultyPool(lanes, () => (healthy ? 'none' : faults.next().value as Fault));
            const page: Page = await pageOf(lanes, pool, dedupe, position);
            assertHonest(page, struck);
            ids.push(...idsOf(page));
            position = page.next;
            if (position === null) break;
            await pool.close();
          }
          assert.equal(position, null, 'the walk ends');
          assert.deepEqual(ids.toSorted(), lanes.flatMap(({ rows }) => rows.map(({ id }) => id)).toSorted());
        }), { numRuns: 100 });
    });
  }

  it('that hangs holds no answer back, and the others\' rows are in it', async () => {
    const lanes = lanesOf([5, 2]);
    const { pool } = faultyPool(lanes, (segment) => (segment === 's0.0' ? 'hung' : 'none'));
    const page = await pageOf(lanes, pool, true, null);
    assert.deepEqual(idsOf(page), ['s1:0', 's1:1']);
    assert.deepEqual(page.outcomes.map(({ status, reason }) => [status, reason]), [['failed', 'timed out'], ['complete', null]]);
    await pool.close();
  });

  it('that is back on a later page gives all its rows, those too whose identity others gave without it', async () => {
    const lanes = ['ab', 'ac'].map((keys, priority): MemoryLane => ({
      source: `s${priority}`, segment: `s${priority}.0`, priority, rows: [...keys].map((key) => ({ id: `s${priority}:${key}`, keyClass: 0, key, phone: null })),
    }));
    const { pool } = faultyPool(lanes, (segment) => (segment === 's0.0' ? 'hung' : 'none'));
    const without = await pageOf(lanes, pool, true, null);
    const back = await pageOf(lanes, faultyPool(lanes, () => 'none').pool, true, without.next);
    assert.deepEqual([idsOf(without), idsOf(back), back.next], [['s1:a', 's1:c'], ['s0:a', 's0:b'], null]);
    await pool.close();
  });

  it('all sources out of time: no rows, partial, and no error', async () => {
    const lanes = lanesOf([5, 2]);
    const { pool } = faultyPool(lanes, () => 'hung');
    const page = await pageOf(lanes, pool, true, null);
    assert.deepEqual([page.rows.length, page.partial, page.errors.length], [0, true, 2]);
    await pool.close();
  });
});
