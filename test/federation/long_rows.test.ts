import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LIMITS } from '../../src/config/limits.ts';
import { federatePage } from '../../src/federation/page.ts';
import { federateStream } from '../../src/federation/stream.ts';
import type { Page } from '../../src/federation/whole_page.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import type { Position } from '../../src/plan/plan.ts';
import type { ScanReply } from '../../src/pool/protocol.ts';
import { ScanPool } from '../../src/pool/scan_pool.ts';
import { callOver, compareKeys, planOver, queryOf, scanMemory, type MemoryLane } from '../support/memory_lanes.ts';
import { Collecting } from '../support/memory_streams.ts';
import { ScriptedRunner } from '../support/runners.ts';

const laneOf = (source: string, priority: number, keys: readonly number[]): MemoryLane => ({
  source, segment: `${source}.0`, priority,
  rows: keys.map((key) => ({ id: `${source}:${key}`, keyClass: 0, key: `k${String(key).padStart(4, '0')}`, phone: null })).sort(compareKeys),
});
const LANES = [laneOf('a', 0, [0, 1, 2, 3, 4, 5, 6]), laneOf('b', 1, [10, 11, 12, 13, 14])];

/** Gives rows by twos, of a source of which each is said to have so many bytes. They are not there: nobody reads them. */
function poolOf(lanes: readonly MemoryLane[], bytesOf: Readonly<Record<string, number | undefined>>, sliceRows = 2): ScanPool {
  const answer = scanMemory(lanes, sliceRows);
  return new ScanPool(new ScriptedRunner(1, (batch) => {
    const reply = answer(batch);
    const longer = (one: ScanReply, source: string): ScanReply => {
      if (one.ok) for (let row = 0; row < one.rows; row += 1) one.table[one.rows + row]! += bytesOf[source] ?? 0;
      return one;
    };
    return Promise.resolve({ ...reply, replies: reply.replies.map((one, at) => longer(one, batch.scans[at]!.segment.slice(0, 1))) });
  }));
}

async function pageOf(dedupe: boolean, from: Position | null): Promise<Page> {
  const pool = poolOf(LANES, { a: LIMITS.answerBytesMax / 4, b: LIMITS.answerBytesMax / 2 });
  const page = await federatePage(planOver(LANES, dedupe, from), queryOf({ limit: 100, dedupe }), callOver(pool, pool.lease()!, monotonicMs() + 10_000));
  await pool.close();
  return page;
}

const keysOf = ({ rows }: Page): string[] => rows.map(({ chunk, row }) => /"key":"(.*?)"/.exec(Buffer.from(chunk.bytes).toString('utf8', chunk.start[row]))![1]!);

describe('rows that are very long', () => {
  for (const dedupe of [false, true]) {
    it(`make a page of no more than its answer has room for, and none is lost behind it (dedupe ${dedupe})`, async () => {
      const pages: Page[] = [];
      for (let position: Position | null = null; position !== null || pages.length === 0; position = pages.at(-1)!.next) pages.push(await pageOf(dedupe, position));
      assert.deepEqual(pages.slice(0, -1).map(({ returned }) => returned), dedupe ? [4, 4, 2] : [4, 5, 2]);
      assert.deepEqual(pages.flatMap(keysOf), LANES.flatMap(({ rows }) => rows.map(({ key }) => key)));
      assert.ok(pages.every(({ partial, warnings, total, relation }) => !partial && warnings.length === 0 && total === 12 && (relation === 'eq') === !dedupe));
    });
  }

  it('leave a merged stream a few at a time, what they are lent by others counted', async () => {
    const keys = Array.from({ length: 40 }, (_, key) => key);
    const lanes = [laneOf('a', 0, keys), laneOf('b', 1, keys)];
    for (const bytesOf of [{ a: LIMITS.mergeBytes / 4 }, { b: LIMITS.mergeBytes / 4 }]) {
      const pool = poolOf(lanes, bytesOf, 50);
      const handed: number[] = [];
      const outlet = new Collecting();
      outlet.rows = (rows): Promise<void> => {
        handed.push(rows.length);
        return Promise.resolve();
      };
      const end = await federateStream(planOver(lanes, true), queryOf({ limit: Number.MAX_SAFE_INTEGER, delivery: 'stream' }), callOver(pool, pool.lease()!, monotonicMs() + 5_000), outlet);
      await pool.close();
      assert.deepEqual([end.returned, end.partial, end.next], [40, false, null]);
      assert.deepEqual(handed, Array.from({ length: 10 }, () => 4));
    }
  });
});
