import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LIMITS } from '../../src/config/limits.ts';
import { federatePage } from '../../src/federation/page.ts';
import { federateStream } from '../../src/federation/stream.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import type { ScanRequest } from '../../src/pool/protocol.ts';
import { ScanPool } from '../../src/pool/scan_pool.ts';
import { callOver, planOver, queryOf, scanMemory, type MemoryLane } from '../support/memory_lanes.ts';
import { Collecting } from '../support/memory_streams.ts';
import { ScriptedRunner } from '../support/runners.ts';

const LANE_ROWS = 12_000;

/** Each has every second identity, so that they are read as fast as each other. */
function twoSources(stay = false): MemoryLane[] {
  return ['crm', 'web'].map((source, nth) => ({
    source, segment: source, priority: nth, ...(stay && { stay: true as const }),
    rows: Array.from({ length: LANE_ROWS }, (_, at) => ({ id: `${source}:${at}`, keyClass: 0, key: `${String(2 * at + nth).padStart(6, '0')}@x.org`, phone: null })),
  }));
}

type Asked = ScanRequest & { readonly delivered: number };

/** What scans a reader of a stream causes, each with how many rows had gone out when it was asked for. `rowMs`: what each row costs a scan. */
async function askedOfStream(lanes: readonly MemoryLane[], limit = Number.MAX_SAFE_INTEGER, rowMs = 0): Promise<{ readonly asked: readonly Asked[]; readonly rows: number }> {
  const asked: Asked[] = [];
  const outlet = new Collecting();
  const answer = scanMemory(lanes, Infinity);
  const pool = new ScanPool(new ScriptedRunner(1, (batch) => {
    asked.push(...batch.scans.map((scan) => ({ ...scan, delivered: outlet.rowsSeen.length })));
    const { replies, ...rest } = answer(batch);
    return Promise.resolve({ ...rest, replies: replies.map((reply) => (reply.ok ? { ...reply, tookMs: rowMs * reply.rows } : reply)) });
  }));
  await federateStream(planOver(lanes, true), queryOf({ dedupe: true, delivery: 'stream', limit }), callOver(pool, pool.lease()!, monotonicMs() + 60_000), outlet);
  await pool.close();
  return { asked, rows: outlet.rowsSeen.length };
}

function ofLane(asked: readonly Asked[], lane: string): readonly Asked[] {
  return asked.filter(({ segment }) => segment === lane);
}

describe('slices of lakes that a stream merges', () => {
  it('are looked for while those before them are merged, one of a lane ahead', async () => {
    const { asked, rows } = await askedOfStream(twoSources());
    assert.equal(rows, 2 * LANE_ROWS);
    const { mergeRows, mergeSliceRowsMax } = LIMITS;
    for (const lane of ['crm', 'web']) {
      const slices = ofLane(asked, lane);
      const long = slices.findIndex(({ rowsMax }) => rowsMax === mergeSliceRowsMax) + 1;
      assert.ok(long > 0 && slices.length > long + 3);
      for (let nth = long; nth < slices.length; nth += 1) {
        // The slice before it was at hand from there on; of the other lane about as many rows had gone.
        const begun = 2 * (slices[nth - 1]!.after + 1);
        const { delivered } = slices[nth]!;
        assert.ok(delivered <= begun + 2 * mergeRows, `slice ${nth} of ${lane} was asked for when ${delivered} rows had gone, the one before it was begun at ${begun}`);
        assert.ok(delivered >= begun - 2 * mergeSliceRowsMax, `slice ${nth} of ${lane} was asked for before its turn, at ${delivered}: ${begun}`);
      }
    }
  });

  it('begin small and grow, in rows and, where these are copied, up to what all lanes may hold', async () => {
    const { mergeRows, mergeSliceRowsMax, mergeSliceBytesMax, mergeHeldBytes, chunkBytes, groupBytesMax } = LIMITS;
    const { asked } = await askedOfStream(twoSources());
    const [first, second, third, fourth, ...rest] = ofLane(asked, 'crm').map(({ rowsMax }) => rowsMax);
    assert.deepEqual([first, second, third, fourth], [mergeRows, mergeRows, 2 * mergeRows, mergeSliceRowsMax]);
    assert.ok(rest.length > 3 && rest.every((rowsMax) => rowsMax === mergeSliceRowsMax));
    assert.ok(asked.every(({ bytesMax }) => bytesMax === mergeSliceBytesMax));
    assert.ok((await askedOfStream(twoSources(true))).asked.every(({ bytesMax }) => bytesMax === groupBytesMax));

    const many = Array.from({ length: 128 }, (_, nth): MemoryLane => ({ source: `s${nth}`, segment: `s${nth}`, priority: nth, rows: [{ id: `${nth}`, keyClass: 2, key: `${nth}`, phone: null }] }));
    assert.ok((await askedOfStream(many)).asked.every(({ bytesMax }) => bytesMax === chunkBytes / 2));
    assert.ok((await askedOfStream(many.slice(0, 5))).asked.every(({ bytesMax }) => bytesMax > chunkBytes && bytesMax * 2 * 5 <= mergeHeldBytes));
  });

  it('grow no longer than they hold their thread for a slice of its time', async () => {
    for (const rowMs of [0.01, 0.003]) {
      const { asked, rows } = await askedOfStream(twoSources(), Number.MAX_SAFE_INTEGER, rowMs);
      assert.equal(rows, 2 * LANE_ROWS);
      assert.ok(asked.every(({ rowsMax }) => rowsMax <= Math.max(LIMITS.mergeRows, LIMITS.sliceMs / rowMs)), `${rowMs}: ${asked.map(({ rowsMax }) => rowsMax).join()}`);
    }
  });

  it('are not looked for beyond what may be asked for, and by no page', async () => {
    const lanes = twoSources();
    assert.equal((await askedOfStream(lanes, 100)).asked.length, 2);
    const asked: ScanRequest[] = [];
    const answer = scanMemory(lanes, Infinity);
    const pool = new ScanPool(new ScriptedRunner(1, (batch) => {
      asked.push(...batch.scans);
      return Promise.resolve(answer(batch));
    }));
    const { rows } = await federatePage(planOver(lanes, true), queryOf({ dedupe: true, limit: 100 }), callOver(pool, pool.lease()!, monotonicMs() + 60_000));
    await pool.close();
    assert.deepEqual([rows.length, asked.length], [100, 2]);
  });
});
