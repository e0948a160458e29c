import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { federatePage } from '../../src/federation/page.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import type { Position } from '../../src/plan/plan.ts';
import type { ScanReply } from '../../src/pool/protocol.ts';
import { ScanPool } from '../../src/pool/scan_pool.ts';
import { callOver, compareKeys, memoryPool, planOver, queryOf, scanMemory, type MemoryLane, type MemoryRow } from '../support/memory_lanes.ts';
import { shown, streamOf, type ShownRow } from '../support/memory_streams.ts';
import { ScriptedRunner } from '../support/runners.ts';

/** One to four sources of one or two segments, few keys, so that groups of every shape come up. */
const ROW = fc.record({
  keyClass: fc.integer({ min: 0, max: 2 }), key: fc.constantFrom('a', 'b', 'ba', 'é', 'z'), phone: fc.option(fc.constantFrom('1', '2')),
});
const LANES = fc.array(
  fc.array(fc.array(ROW, { maxLength: 8 }), { minLength: 1, maxLength: 2 }),
  { minLength: 1, maxLength: 4 },
).map((sources) => sources.flatMap((segments, priority) => segments.map((rows, segment): MemoryLane => ({
  source: `s${priority}`,
  segment: `s${priority}.${segment}`,
  priority,
  rows: rows.map((row, i): MemoryRow => {
    const id = `s${priority}:${segment}-${i}`;
    return { ...row, id, key: row.keyClass === 2 ? id : row.key };
  }).sort(compareKeys),
}))));


/** The rule of the contract, as a plain loop: the first source's rows of a key stand, blanks filled from the others in order. */
function dedupePlainly(lanes: readonly MemoryLane[]): ShownRow[] {
  const groups = new Map<string, { lane: MemoryLane; row: MemoryRow }[]>();
  for (const lane of lanes) for (const row of lane.rows) {
    const key = `${row.keyClass} ${row.key}`;
    groups.set(key, [...(groups.get(key) ?? []), { lane, row }]);
  }
  return [...groups.values()].flatMap((members) => {
    const best = Math.min(...members.map(({ lane }) => lane.priority));
    const donors = members.filter(({ lane }) => lane.priority > best).toSorted((a, b) => a.lane.priority - b.lane.priority);
    const sources = [...new Set(members.toSorted((a, b) => a.lane.priority - b.lane.priority).map(({ lane }) => lane.source))];
    return members.filter(({ lane }) => lane.priority === best).map(({ row }) => ({
      id: row.id, sources, phone: row.phone ?? donors.map((donor) => donor.row.phone).find((phone) => phone !== null) ?? null,
    }));
  });
}


async function walk(lanes: readonly MemoryLane[], dedupe: boolean, limit: number, sliceRows: number, fields: readonly string[] | null = null): Promise<{ rows: ShownRow[]; pages: number }> {
  const pool = memoryPool(lanes, sliceRows);
  const rows: ShownRow[] = [];
  let pages = 0;
  for (let next: Position | null = null; ; pages += 1) {
    const plan = planOver(lanes, dedupe, next);
    const lease = pool.lease()!;
    const page = await federatePage(plan, queryOf({ limit, dedupe, fields }), callOver(pool, lease, monotonicMs() + 5_000));
    pool.release(lease);
    assert.ok(page.rows.length <= limit);
    assert.equal(page.partial, false);
    rows.push(...page.rows.map(shown));
    next = page.next;
    if (next === null) break;
    assert.ok(page.rows.length > 0, 'a page that promises another has rows');
  }
  await pool.close();
  return { rows, pages };
}


/** The deadline strikes amid every scan but the first ones. */
function cutPool(lanes: readonly MemoryLane[], sliceRows: number, wholeScans: number): ScanPool {
  const answer = scanMemory(lanes, sliceRows);
  let scans = 0;
  const cut = (reply: ScanReply): ScanReply => {
    scans += 1;
    return reply.ok && scans > wholeScans ? { ...reply, stop: 'deadline' } : reply;
  };
  return new ScanPool(new ScriptedRunner(1, (batch) => Promise.resolve({ ...answer(batch), replies: answer(batch).replies.map(cut) })));
}

/** A source for each text, with a row for each letter of it. */
function lanesOf(...sources: readonly string[]): MemoryLane[] {
  return sources.map((keys, priority) => ({
    source: `s${priority}`, segment: `s${priority}.0`, priority, rows: [...keys].map((key, at) => ({ id: `s${priority}:${key}${at}`, keyClass: 0, key, phone: priority === 0 ? null : '1' })),
  }));
}

/** What is gone on with behind a cut is what one stream would have given. */
async function assertGoneOn(lanes: readonly MemoryLane[], sliceRows: number, wholeScans: number): Promise<Awaited<ReturnType<typeof streamOf>>> {
  const whole = (await streamOf(lanes, true, sliceRows)).outlet.rowsSeen;
  const first = await streamOf(lanes, true, sliceRows, undefined, undefined, null, cutPool(lanes, sliceRows, wholeScans));
  const rest = first.end.next === null ? [] : (await streamOf(lanes, true, sliceRows, undefined, undefined, first.end.next)).outlet.rowsSeen;
  assert.deepEqual([...first.outlet.rowsSeen, ...rest], whole, `${wholeScans} whole scans`);
  return first;
}

const byId = (a: ShownRow, b: ShownRow): number => (a.id < b.id ? -1 : 1);

describe('the merge', () => {
  it('shows one row per identity, of the source named first, its blanks filled from the others in order, whatever the pages and slices', async () => {
    const fieldsOf = fc.constantFrom(null, ['id', 'source', 'phone']);
    await fc.assert(fc.asyncProperty(LANES, fc.integer({ min: 1, max: 7 }), fc.integer({ min: 1, max: 5 }), fieldsOf, async (lanes, limit, sliceRows, fields) => {
      const { rows } = await walk(lanes, true, limit, sliceRows, fields);
      const several = new Set(lanes.map(({ source }) => source)).size > 1;
      const expected = several ? dedupePlainly(lanes) : lanes.flatMap(({ source, rows: own }) => own.map(({ id, phone }) => ({ id, phone, sources: [source] })));
      assert.deepEqual(rows.toSorted(byId), expected.toSorted(byId));
    }), { numRuns: 300 });
  });

  it('keeps one order whatever the size of the pages', async () => {
    await fc.assert(fc.asyncProperty(LANES, fc.integer({ min: 1, max: 7 }), async (lanes, limit) => {
      const small = await walk(lanes, true, limit, 3);
      const large = await walk(lanes, true, 1_000, 100);
      assert.deepEqual(small.rows, large.rows);
    }), { numRuns: 100 });
  });

  it('without dedupe yields every row of every source exactly once', async () => {
    await fc.assert(fc.asyncProperty(LANES, fc.integer({ min: 1, max: 7 }), async (lanes, limit) => {
      const { rows } = await walk(lanes, false, limit, 1_000);
      assert.deepEqual(rows.map(({ id }) => id), lanes.flatMap(({ rows: own }) => own.map(({ id }) => id)));
    }), { numRuns: 100 });
  });
});

describe('a stream', () => {
  it('delivers the rows of a walk by pages', async () => {
    await fc.assert(fc.asyncProperty(LANES, fc.boolean(), fc.integer({ min: 1, max: 5 }), async (lanes, dedupe, sliceRows) => {
      const { outlet, end } = await streamOf(lanes, dedupe, sliceRows);
      const { rows } = await walk(lanes, dedupe, 1_000, 1_000);
      assert.deepEqual(outlet.rowsSeen.toSorted(byId), rows.toSorted(byId));
      assert.equal(end.next, null);
      assert.deepEqual([end.total, end.relation, end.partial], [rows.length, 'eq', false]);
      assert.deepEqual(outlet.ended.toSorted(), [...new Set(lanes.map(({ source }) => source))].toSorted());
    }), { numRuns: 200 });
  });

  it('ends at its limit or budget with a cursor from which the rest follows, no row lost or doubled', async () => {
    await fc.assert(fc.asyncProperty(LANES, fc.boolean(), fc.integer({ min: 1, max: 9 }), fc.boolean(), async (lanes, dedupe, stopAt, byBudget) => {
      const whole = await streamOf(lanes, dedupe, 3);
      const first = await streamOf(lanes, dedupe, 3, byBudget ? undefined : stopAt, byBudget ? stopAt : undefined);
      assert.ok(first.outlet.rowsSeen.length <= stopAt);
      const rest = first.end.next === null ? [] : (await streamOf(lanes, dedupe, 3, undefined, undefined, first.end.next)).outlet.rowsSeen;
      assert.deepEqual([...first.outlet.rowsSeen, ...rest].toSorted(byId), whole.outlet.rowsSeen.toSorted(byId));
      if (byBudget && first.end.next !== null && first.outlet.rowsSeen.length < whole.outlet.rowsSeen.length) {
        assert.equal(first.end.partial, true);
        assert.match(first.end.warnings.join(), /budget/);
      }
    }), { numRuns: 200 });
  });

  it('whose key is revoked amid rows that have come ends with a cursor from which the rest follows, and says so', async () => {
    await fc.assert(fc.asyncProperty(LANES, fc.boolean(), fc.integer({ min: 1, max: 9 }), async (lanes, dedupe, haltAt) => {
      const whole = (await streamOf(lanes, dedupe, 3)).outlet.rowsSeen;
      const first = await streamOf(lanes, dedupe, 3, undefined, undefined, null, undefined, haltAt);
      const rest = first.end.next === null ? [] : (await streamOf(lanes, dedupe, 3, undefined, undefined, first.end.next)).outlet.rowsSeen;
      assert.deepEqual([...first.outlet.rowsSeen, ...rest].toSorted(byId), whole.toSorted(byId));
      assert.equal(first.end.returned, first.outlet.rowsSeen.length);
      if (rest.length === 0) return;
      assert.equal(first.end.partial, true);
      assert.match(first.end.warnings.join(), /key was revoked or .* account was suspended/);
    }), { numRuns: 200 });
  });

  it('ends where the deadline struck amid the rows of a source, and goes on as if it had not', async () => {
    const lanes = lanesOf('acegi', 'abcdefghij');
    for (let wholeScans = 0; wholeScans < 8; wholeScans += 1) {
      const first = await assertGoneOn(lanes, 2, wholeScans);
      assert.ok(first.end.partial && first.outlet.rowsSeen.length > 0);
    }
  });

  it('does so before an identity of which a source may have more rows than came: who has it and who lends is as if it had not ended', async () => {
    for (const lanes of [lanesOf('aaab', 'ab'), lanesOf('ab', 'aaab'), lanesOf('aabbbbd', 'abbbbbc')]) {
      for (let wholeScans = 0; wholeScans < 10; wholeScans += 1) await assertGoneOn(lanes, 1, wholeScans);
    }
    const several = LANES.filter((lanes) => lanes.some(({ priority }) => priority > 0));
    await fc.assert(fc.asyncProperty(several, fc.integer({ min: 1, max: 3 }), fc.nat(12), async (lanes, sliceRows, wholeScans) => {
      await assertGoneOn(lanes, sliceRows, wholeScans);
    }), { numRuns: 200 });
  });
});
