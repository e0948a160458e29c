import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { setTimeout as passed } from 'node:timers/promises';
import fc from 'fast-check';
import { LIMITS } from '../../src/config/limits.ts';
import { federatePage } from '../../src/federation/page.ts';
import type { Page } from '../../src/federation/whole_page.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import type { Position } from '../../src/plan/plan.ts';
import { ScanPool } from '../../src/pool/scan_pool.ts';
import { callOver, compareKeys, memoryPool, planOver, queryOf, scanMemory, type MemoryLane } from '../support/memory_lanes.ts';
import { idsOf } from '../support/memory_streams.ts';
import { ScriptedRunner } from '../support/runners.ts';

/** Sources that share keys, and have some twice. */
function lanesOf(keys: readonly (readonly number[])[]): MemoryLane[] {
  return keys.map((own, priority) => ({
    source: `s${priority}`, segment: `s${priority}.0`, priority,
    rows: own.map((key, i) => ({ id: `s${priority}:${i}`, keyClass: 0, key: `k${key}`, phone: null })).sort(compareKeys),
  }));
}

/** What a walk gives that is never cut: of a key that several sources have the rows of the first. */
function expected(lanes: readonly MemoryLane[], dedupe: boolean): string[] {
  const taken = new Map<string, string>();
  return lanes.flatMap(({ source, rows }) => rows.filter(({ key }) => {
    if (!taken.has(key)) taken.set(key, source);
    return !dedupe || taken.get(key) === source;
  })).map(({ id }) => id).toSorted();
}

/** `mounted`: what is suppressed changed meanwhile, so that every row is looked at once more. */
async function pageOver(lanes: readonly MemoryLane[], dedupe: boolean, from: Position | null, mounted: boolean): Promise<Page> {
  const answer = scanMemory(lanes, 3);
  const pool: ScanPool = new ScanPool(new ScriptedRunner(64, (batch) => {
    if (mounted) pool.mount([]);
    return Promise.resolve(answer(batch));
  }));
  const page = await federatePage(planOver(lanes, dedupe, from), queryOf({ limit: 9, dedupe }), callOver(pool, pool.lease()!, monotonicMs() + 10_000));
  await pool.close();
  return page;
}

describe('a page that is cut behind some of its rows', () => {
  for (const [dedupe, mounted] of [[false, false], [true, false], [false, true], [true, true]] as const) {
    it(`says so where it is late, and a walk of such pages loses and doubles no row (dedupe ${dedupe}${mounted ? ', looked at once more' : ''})`, async () => {
      const keys = fc.array(fc.array(fc.nat(9), { maxLength: 8 }), { minLength: 1, maxLength: 3 });
      await fc.assert(fc.asyncProperty(keys, fc.infiniteStream(fc.integer({ min: 1, max: 9 })), fc.boolean(), async (own, counts, late) => {
        const lanes = lanesOf(own);
        const ids: string[] = [];
        let position: Position | null = null;
        do {
          const whole: Page = await pageOver(lanes, dedupe, position, mounted);
          const count = Math.min(counts.next().value as number, whole.returned);
          const page = count === whole.returned ? whole : whole.upTo!(count, late);
          assert.deepEqual(idsOf(page), idsOf(whole).slice(0, count));
          assert.deepEqual([page.returned, page.partial, page.outcomes.reduce((sum, { returned }) => sum + returned, 0)], [count, late && count < whole.returned, count]);
          if (count < whole.returned) {
            assert.notEqual(page.next, null);
            assert.equal(['gte', 'approx'].includes(page.relation), late, page.relation);
            assert.equal(page.errors.length > 0, late);
            assert.ok(page.errors.every((error) => error.endsWith(': timed out')) && page.errors.length === page.warnings.length);
          }
          ids.push(...idsOf(page));
          position = page.next;
        } while (position !== null);
        assert.deepEqual(ids.toSorted(), expected(lanes, dedupe));
      }), { numRuns: 60 });
    });
  }
});

test('rows that have rotted are looked for until the deadline, and the page ends behind those that were looked at', async () => {
  const lanes = lanesOf([Array.from({ length: 40 }, (_, at) => at)]);
  const pool = memoryPool(lanes, 40);
  const deadlineMs = monotonicMs() + 2_000;
  const page = await federatePage(planOver(lanes, false), queryOf({ limit: 40 }), callOver(pool, pool.lease()!, deadlineMs));
  const { chunk, row } = page.rows[1]!;
  chunk.bytes[chunk.start[row]!] = 0x78;
  const rest = idsOf(page).toSpliced(1, 1);
  const inTime = await page.whole!();
  assert.deepEqual([idsOf(inTime), inTime.next, inTime.errors], [rest, null, ['s0: 1 row could not be used']]);

  await passed(deadlineMs + LIMITS.rowsLateMs + 1 - monotonicMs());
  const late = await page.whole!();
  const looked = LIMITS.rowsPackedUntimed;
  assert.deepEqual([idsOf(late), late.returned, late.errors], [rest.slice(0, looked - 1), looked - 1, ['s0: timed out']]);
  const next = await federatePage(planOver(lanes, false, late.next), queryOf({ limit: 40 }), callOver(pool, pool.lease()!, monotonicMs() + 10_000));
  assert.deepEqual([idsOf(next), next.next], [rest.slice(looked - 1), null]);
  await pool.close();
});
