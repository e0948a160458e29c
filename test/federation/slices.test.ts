import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../../src/config/limits.ts';
import { LakeReader } from '../../src/federation/lake_reader.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import { ScanPool } from '../../src/pool/scan_pool.ts';
import type { BatchReply, ScanBatch, ScanReply } from '../../src/pool/protocol.ts';
import { callOver, planOver, queryOf } from '../support/memory_lanes.ts';
import { ScriptedRunner } from '../support/runners.ts';

const ROW = new Uint8Array(Buffer.from('{"id":"crm:0"}\n'));

/** The bytes that a reader asks for, slice after slice, where each takes so many ms; rows stay in memory or not. */
async function askedBytes(tookMs: readonly number[], rowBytes: Uint8Array | null): Promise<number[]> {
  const asked: number[] = [];
  const answer = (): ScanReply => ({
    ok: true, rows: 1, table: Float64Array.of(0, ROW.length - 1, asked.length), bytes: rowBytes === null ? ROW : null, stop: 'full', after: asked.length,
    text: null, tally: 'done', heldBy: null, beside: null, matched: null, facets: null, tookMs: tookMs[asked.length - 1]!,
  });
  const pool = new ScanPool(new ScriptedRunner(8, ({ epoch, scans }: ScanBatch): Promise<BatchReply> => {
    asked.push(scans[0]!.bytesMax);
    return Promise.resolve({ thread: 1, epoch, replies: [answer()] });
  }));
  const plan = planOver([{ source: 'crm', segment: 'crm.0', priority: 0, rows: [] }], false);
  const lane = plan.lanes[0]!;
  assert.ok(lane.kind === 'lake');
  const call = callOver(pool, pool.lease()!, monotonicMs() + 5_000);
  const reader = new LakeReader({ ...lane, segment: { ...lane.segment, rowBytes } }, { ...call, query: queryOf({ count: 'none' }), order: 'stored', form: 'rows' });
  for (const _ of tookMs) await reader.next(100);
  await pool.close();
  return asked;
}

test('slices of rows that stay where they are grow while they are cheap, and begin anew where one is dear', async () => {
  const { chunkInPlaceBytes: first, chunkInPlaceBytesMax: most, chunkBytes, sliceMs } = LIMITS;
  assert.deepEqual(await askedBytes([0, 0, 0, 0, 0, sliceMs, 0, 0], ROW), [first, 2 * first, 4 * first, most, most, most, first, 2 * first]);
  assert.deepEqual(await askedBytes([0, 0, 0], null), [chunkBytes, chunkBytes, chunkBytes]);
});
