import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { LIMITS } from '../../src/config/limits.ts';
import { ByteSink } from '../../src/encode/byte_sink.ts';
import { RowShape, rowLayout } from '../../src/encode/rows.ts';
import { federatePage } from '../../src/federation/page.ts';
import type { PickedRow } from '../../src/federation/picked.ts';
import { federateStream, type RowOutlet } from '../../src/federation/stream.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import type { Chunk } from '../../src/model/chunk.ts';
import type { Position } from '../../src/plan/plan.ts';
import type { ScanReply, ScanRequest } from '../../src/pool/protocol.ts';
import { ScanPool } from '../../src/pool/scan_pool.ts';
import { MEMORY_VOCABULARY, callOver, compareKeys, memoryPool, planOver, queryOf, scanMemory, type MemoryLane, type MemoryRow } from '../support/memory_lanes.ts';
import { ScriptedRunner } from '../support/runners.ts';
import { until } from '../support/until.ts';

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

type Expected = { readonly id: string; readonly sources: readonly string[]; readonly phone: string | null };

/** The rule of the contract, as a plain loop: the first source's rows of a key stand, blanks filled from the others in order. */
function dedupePlainly(lanes: readonly MemoryLane[]): Expected[] {
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

const SHOWN = new RowShape(rowLayout(MEMORY_VOCABULARY), ['id', 'sources', 'phone']);

function shown(picked: PickedRow): Expected {
  const sink = new ByteSink();
  SHOWN.append(sink, picked);
  return JSON.parse(Buffer.from(sink.view()).toString()) as Expected;
}

async function walk(lanes: readonly MemoryLane[], dedupe: boolean, limit: number, sliceRows: number, fields: readonly string[] | null = null): Promise<{ rows: Expected[]; pages: number }> {
  const pool = memoryPool(lanes, sliceRows);
  const rows: Expected[] = [];
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

class Collecting implements RowOutlet {
  readonly rowsSeen: Expected[] = [];
  readonly ended: string[] = [];
  readonly checkpoints: { readonly position: Position; readonly before: number }[] = [];
  readonly #budget: number;
  /** After so many rows no more may go out. */
  readonly #haltAt: number;

  constructor(budget = Infinity, haltAt = Infinity) {
    this.#budget = budget;
    this.#haltAt = haltAt;
  }
  get gone(): boolean { return this.rowsSeen.length >= this.#haltAt; }
  async run(chunk: Chunk, count: number, mayGo: () => boolean): Promise<number> {
    for (let row = 0; row < count; row += 1) {
      if (!mayGo()) return row;
      this.rowsSeen.push(shown({ chunk, row, lane: 0, fill: null, sources: null, passes: null }));
    }
    return count;
  }
  async rows(rows: readonly PickedRow[]): Promise<void> { this.rowsSeen.push(...rows.map(shown)); }
  async sourceEnded({ source }: { source: string }): Promise<void> { this.ended.push(source); }
  async checkpoint(position: Position): Promise<void> { this.checkpoints.push({ position, before: this.rowsSeen.length }); }
  afford(rows: number): number { return Math.min(rows, this.#budget - this.rowsSeen.length); }
}

/** Takes rows in pieces, the first of which takes as long as `first`. */
class SlowReader extends Collecting {
  static readonly pieceRows = 1_000;
  readonly #first: () => Promise<void>;

  constructor(first: () => Promise<void>) {
    super();
    this.#first = first;
  }

  override async run(chunk: Chunk, count: number, mayGo = (): boolean => true): Promise<number> {
    for (let row = 0; row < count;) {
      const end = Math.min(count, row + SlowReader.pieceRows);
      const isFirst = this.rowsSeen.length === 0;
      await super.run({ ...chunk, start: Array.from(chunk.start).slice(row), end: Array.from(chunk.end).slice(row) }, end - row, () => true);
      if (isFirst) await this.#first();
      row = end;
      if (row < count && !mayGo()) return row;
    }
    return count;
  }
}

async function stream(
  lanes: readonly MemoryLane[], dedupe: boolean, sliceRows: number,
  limit = Number.MAX_SAFE_INTEGER, budget = Infinity, from: Position | null = null, pool = memoryPool(lanes, sliceRows), haltAt = Infinity,
) {
  const outlet = new Collecting(budget, haltAt);
  const plan = planOver(lanes, dedupe, from);
  const end = await federateStream(plan, queryOf({ dedupe, limit, delivery: 'stream' }), callOver(pool, pool.lease()!, monotonicMs() + 5_000), outlet);
  await pool.close();
  return { outlet, end };
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
async function assertGoneOn(lanes: readonly MemoryLane[], sliceRows: number, wholeScans: number): Promise<Awaited<ReturnType<typeof stream>>> {
  const whole = (await stream(lanes, true, sliceRows)).outlet.rowsSeen;
  const first = await stream(lanes, true, sliceRows, undefined, undefined, null, cutPool(lanes, sliceRows, wholeScans));
  const rest = first.end.next === null ? [] : (await stream(lanes, true, sliceRows, undefined, undefined, first.end.next)).outlet.rowsSeen;
  assert.deepEqual([...first.outlet.rowsSeen, ...rest], whole, `${wholeScans} whole scans`);
  return first;
}

const byId = (a: Expected, b: Expected): number => (a.id < b.id ? -1 : 1);

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
      const { outlet, end } = await stream(lanes, dedupe, sliceRows);
      const { rows } = await walk(lanes, dedupe, 1_000, 1_000);
      assert.deepEqual(outlet.rowsSeen.toSorted(byId), rows.toSorted(byId));
      assert.equal(end.next, null);
      assert.deepEqual([end.total, end.relation, end.partial], [rows.length, 'eq', false]);
      assert.deepEqual(outlet.ended.toSorted(), [...new Set(lanes.map(({ source }) => source))].toSorted());
    }), { numRuns: 200 });
  });

  it('ends at its limit or budget with a cursor from which the rest follows, no row lost or doubled', async () => {
    await fc.assert(fc.asyncProperty(LANES, fc.boolean(), fc.integer({ min: 1, max: 9 }), fc.boolean(), async (lanes, dedupe, stopAt, byBudget) => {
      const whole = await stream(lanes, dedupe, 3);
      const first = await stream(lanes, dedupe, 3, byBudget ? undefined : stopAt, byBudget ? stopAt : undefined);
      assert.ok(first.outlet.rowsSeen.length <= stopAt);
      const rest = first.end.next === null ? [] : (await stream(lanes, dedupe, 3, undefined, undefined, first.end.next)).outlet.rowsSeen;
      assert.deepEqual([...first.outlet.rowsSeen, ...rest].toSorted(byId), whole.outlet.rowsSeen.toSorted(byId));
      if (byBudget && first.end.next !== null && first.outlet.rowsSeen.length < whole.outlet.rowsSeen.length) {
        assert.equal(first.end.partial, true);
        assert.match(first.end.warnings.join(), /budget/);
      }
    }), { numRuns: 200 });
  });

  it('whose key is revoked amid rows that have come ends with a cursor from which the rest follows, and says so', async () => {
    await fc.assert(fc.asyncProperty(LANES, fc.boolean(), fc.integer({ min: 1, max: 9 }), async (lanes, dedupe, haltAt) => {
      const whole = (await stream(lanes, dedupe, 3)).outlet.rowsSeen;
      const first = await stream(lanes, dedupe, 3, undefined, undefined, null, undefined, haltAt);
      const rest = first.end.next === null ? [] : (await stream(lanes, dedupe, 3, undefined, undefined, first.end.next)).outlet.rowsSeen;
      assert.deepEqual([...first.outlet.rowsSeen, ...rest].toSorted(byId), whole.toSorted(byId));
      assert.equal(first.end.returned, first.outlet.rowsSeen.length);
      if (rest.length === 0) return;
      assert.equal(first.end.partial, true);
      assert.match(first.end.warnings.join(), /key was revoked/);
    }), { numRuns: 200 });
  });

  it('comes in few slices of the parts of a lake, with a cursor about every ten thousand rows from which the rest follows', async () => {
    const part = (nth: number, rows: number): MemoryLane => ({
      source: 's0', segment: `s0.${nth}`, priority: 0, stay: true, rows: Array.from({ length: rows }, (_, at) => ({ id: `${nth}:${at}`, keyClass: 2, key: `${nth}:${at}`, phone: null })),
    });
    const lanes = [part(0, 12_000), part(1, 21_000), part(2, 400), part(3, 9_000)];
    for (const [sliceRows, scansMax] of [[Infinity, 12], [3_000, 24], [170, 300]] as const) {
      const asked: ScanRequest[] = [];
      const answer = scanMemory(lanes, sliceRows);
      const pool = new ScanPool(new ScriptedRunner(1, (batch) => {
        asked.push(...batch.scans);
        return Promise.resolve(answer(batch));
      }));
      const { outlet: { rowsSeen, checkpoints } } = await stream(lanes, false, sliceRows, undefined, undefined, null, pool);
      assert.equal(rowsSeen.length, 42_400);
      assert.ok(asked.length <= scansMax, `${asked.length} scans`);
      const gaps = checkpoints.map(({ before }, at) => before - (checkpoints[at - 1]?.before ?? 0));
      assert.ok(gaps.length >= 3 && gaps.every((rows) => rows >= LIMITS.cursorRowsEvery && rows < 1.5 * LIMITS.cursorRowsEvery), `${sliceRows}: ${gaps.join()}`);
      const { position, before } = checkpoints[0]!;
      const rest = await stream(lanes, false, Infinity, undefined, undefined, position);
      assert.deepEqual(rest.outlet.rowsSeen.map(({ id }) => id).toSorted(), rowsSeen.slice(before).map(({ id }) => id).toSorted());
    }
  });

  it('holds few rows of however many parts while its reader takes none', async () => {
    const lanes = Array.from({ length: 8 }, (_, nth): MemoryLane => ({
      source: 's0', segment: `s0.${nth}`, priority: 0, stay: true, rows: Array.from({ length: 12_000 }, (_, at) => ({ id: `${nth}:${at}`, keyClass: 2, key: `${nth}:${at}`, phone: null })),
    }));
    const held: number[] = [];
    const answer = scanMemory(lanes, Infinity);
    const pool = new ScanPool(new ScriptedRunner(1, (batch) => {
      const reply = answer(batch);
      for (const scan of reply.replies) if (scan.ok) held.push(scan.rows);
      return Promise.resolve(reply);
    }));
    const outlet = new SlowReader(async () => {
      await until(() => held.length === 2 * lanes.length);
      const rows = held.reduce((sum, own) => sum + own, 0);
      assert.ok(rows < 1.5 * LIMITS.streamListedRowsMax, `${rows} rows`);
    });
    await federateStream(planOver(lanes, false), queryOf({ dedupe: false, limit: Number.MAX_SAFE_INTEGER, delivery: 'stream' }), callOver(pool, pool.lease()!, monotonicMs() + 60_000), outlet);
    await pool.close();
    assert.equal(outlet.rowsSeen.length, 96_000);
  });

  it('ends soon where its time is over, or its caller may have no more, however much has come for a reader who is slow', async () => {
    const lanes = Array.from({ length: 4 }, (_, nth): MemoryLane => ({
      source: `s${nth % 2}`, segment: `s${nth % 2}.${nth}`, priority: nth % 2, rows: Array.from({ length: 6_000 }, (_, at) => ({ id: `${nth}:${at}`, keyClass: 2, key: `${nth}:${at}`, phone: null })),
    }));
    for (const ending of ['deadline', 'cancelled'] as const) {
      const pool = memoryPool(lanes, 3_000);
      const lease = pool.lease()!;
      const deadlineMs = monotonicMs() + (ending === 'deadline' ? 1_000 : 60_000);
      const outlet = new SlowReader(async () => {
        if (ending === 'cancelled') pool.cancel(lease);
        else await until(() => monotonicMs() > deadlineMs + LIMITS.mergeLateMs);
      });
      const end = await federateStream(planOver(lanes, false), queryOf({ dedupe: false, limit: Number.MAX_SAFE_INTEGER, delivery: 'stream' }), callOver(pool, lease, deadlineMs), outlet);
      await pool.close();
      assert.ok(outlet.rowsSeen.length <= SlowReader.pieceRows, `${ending}: ${outlet.rowsSeen.length} rows`);
      assert.equal(end.returned, outlet.rowsSeen.length);
      assert.deepEqual([end.partial, end.outcomes.some(({ status }) => status === 'complete')], [true, false]);
      const rest = await stream(lanes, false, 3_000, undefined, undefined, end.next);
      assert.deepEqual([...outlet.rowsSeen, ...rest.outlet.rowsSeen].map(({ id }) => id).toSorted(), lanes.flatMap(({ rows }) => rows.map(({ id }) => id)).toSorted());
    }
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
