import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LIMITS } from '../../src/config/limits.ts';
import { federateStream } from '../../src/federation/stream.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import type { Chunk } from '../../src/model/chunk.ts';
import type { ScanRequest } from '../../src/pool/protocol.ts';
import { ScanPool } from '../../src/pool/scan_pool.ts';
import { callOver, memoryPool, planOver, queryOf, scanMemory, type MemoryLane } from '../support/memory_lanes.ts';
import { Collecting, streamOf } from '../support/memory_streams.ts';
import { ScriptedRunner } from '../support/runners.ts';
import { until } from '../support/until.ts';

/** Takes rows in pieces, the first of which takes as long as `first`. */
class SlowReader extends Collecting {
  static readonly pieceRows = 1_000;
  readonly #first: () => Promise<void>;

  constructor(first: () => Promise<void>) {
    super();
    this.#first = first;
  }

  override async chunk(chunk: Chunk, count: number, mayGo = (): boolean => true): Promise<number> {
    for (let row = 0; row < count;) {
      const end = Math.min(count, row + SlowReader.pieceRows);
      const isFirst = this.rowsSeen.length === 0;
      await super.chunk({ ...chunk, start: Array.from(chunk.start).slice(row), end: Array.from(chunk.end).slice(row) }, end - row, () => true);
      if (isFirst) await this.#first();
      row = end;
      if (row < count && !mayGo()) return row;
    }
    return count;
  }
}

describe('a stream of lakes', () => {
  it('comes in few slices of the parts of a lake, with a cursor about every ten thousand rows from which the rest follows', async () => {
    const part = (nth: number, rows: number, own?: Pick<MemoryLane, 'run'>): MemoryLane => ({
      source: 's0', segment: `s0.${nth}`, priority: 0, stay: true, rows: Array.from({ length: rows }, (_, at) => ({ id: `${nth}:${at}`, keyClass: 2, key: `${nth}:${at}`, phone: null })), ...own,
    });
    const apart = [part(0, 12_000), part(1, 21_000), part(2, 400), part(3, 9_000)];
    const run = apart.map((lane): MemoryLane => ({ ...lane, run: true }));
    const mixed = [apart[0]!, run[1]!, run[2]!, apart[3]!];
    for (const [lanes, sliceRows, scansMax] of [
      [apart, Infinity, 12], [apart, 3_000, 24], [apart, 170, 300], [run, Infinity, 12], [run, 3_000, 24], [run, 170, 300], [mixed, Infinity, 12], [mixed, 7_000, 16],
    ] as const) {
      const asked: ScanRequest[] = [];
      const answer = scanMemory(lanes, sliceRows);
      const pool = new ScanPool(new ScriptedRunner(1, (batch) => {
        asked.push(...batch.scans);
        return Promise.resolve(answer(batch));
      }));
      const { outlet: { rowsSeen, checkpoints } } = await streamOf(lanes, false, sliceRows, undefined, undefined, null, pool);
      assert.equal(rowsSeen.length, 42_400);
      assert.ok(asked.length <= scansMax, `${asked.length} scans`);
      const gaps = checkpoints.map(({ before }, at) => before - (checkpoints[at - 1]?.before ?? 0));
      assert.ok(gaps.length >= 3 && gaps.every((rows) => rows >= LIMITS.cursorRowsEvery && rows < 1.5 * LIMITS.cursorRowsEvery), `${sliceRows}: ${gaps.join()}`);
      for (const { position, before } of [checkpoints[0]!, checkpoints.at(-1)!]) {
        const rest = await streamOf(lanes, false, Infinity, undefined, undefined, position);
        assert.deepEqual(rest.outlet.rowsSeen.map(({ id }) => id).toSorted(), rowsSeen.slice(before).map(({ id }) => id).toSorted());
      }
    }
  });

  it('has a cursor wherever one is due in slices of many more rows than lie between two, up to whatever limit', async () => {
    const rows = Array.from({ length: 60_001 }, (_, at) => ({ id: `${at}`, keyClass: 2, key: `${at}`, phone: null }));
    const lanes: MemoryLane[] = [{ source: 's0', segment: 's0.0', priority: 0, stay: true, run: true, rows }];
    for (const limit of [Number.MAX_SAFE_INTEGER, 60_001, 60_000, 10_001, 47_321]) {
      const answer = scanMemory(lanes, Infinity);
      const pool = new ScanPool(new ScriptedRunner(1, (batch) => Promise.resolve(answer({ ...batch, scans: batch.scans.map((scan) => ({ ...scan, rowsMax: 45_000 })) }))));
      const { outlet: { rowsSeen, checkpoints }, end } = await streamOf(lanes, false, Infinity, limit, undefined, null, pool);
      const given = Math.min(limit, rows.length);
      assert.deepEqual([rowsSeen.length, end.next === null, end.partial], [given, limit >= rows.length, false]);
      assert.ok(rowsSeen.every(({ id }, at) => id === String(at)));
      assert.deepEqual(checkpoints.map(({ before }) => before), Array.from({ length: Math.floor(given / LIMITS.cursorRowsEvery) }, (_, at) => (at + 1) * LIMITS.cursorRowsEvery));
      assert.deepEqual(checkpoints.map(({ position }) => Number(position.lanes[0]!.after) + 1), checkpoints.map(({ before }) => before));
      assert.equal(end.next === null ? null : end.next.lanes[0]!.after, limit >= rows.length ? null : given - 1);
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
      assert.deepEqual(end.outcomes.map(({ reason }) => reason), ending === 'cancelled' ? ['cancelled', 'cancelled'] : ['timed out', 'timed out']);
      const rest = await streamOf(lanes, false, 3_000, undefined, undefined, end.next);
      assert.deepEqual([...outlet.rowsSeen, ...rest.outlet.rowsSeen].map(({ id }) => id).toSorted(), lanes.flatMap(({ rows }) => rows.map(({ id }) => id)).toSorted());
    }
  });
});
