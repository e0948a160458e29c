import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LIMITS } from '../../src/config/limits.ts';
import { LakeReader } from '../../src/federation/lake_reader.ts';
import { withinRows } from '../../src/federation/slice_rows.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import { vocabulary } from '../../src/model/vocabulary.ts';
import type { ScanReply } from '../../src/pool/protocol.ts';
import { ScanPool } from '../../src/pool/scan_pool.ts';
import { callOver, planOver, queryOf } from '../support/memory_lanes.ts';
import { ScriptedRunner } from '../support/runners.ts';
import { storedText } from '../support/stored_row.ts';
import { storeRows } from '../support/stored_rows.ts';

type Scanned = Extract<ScanReply, { readonly ok: true }>;

const WORDS = vocabulary('contacts', []);
const ROWS = 3 * LIMITS.runPartRows + 10;
const TEXTS = Array.from({ length: ROWS }, (_, at) => storedText(WORDS, 'test', { id: `test:${at}`, full_name: `Name ${at}` }));

function replyOf(given: Partial<Scanned>): Scanned {
  return {
    ok: true, rows: ROWS, table: new Float64Array(), bytes: null, stop: 'end', after: ROWS - 1, text: null, tally: 'done', heldBy: null, beside: null, matched: null, facets: null,
    tookMs: 0, ...given,
  };
}

/** Reads a part of a lake whose only slice has all of its rows, as a stream does. */
async function reading(stored: { readonly bytes: Uint8Array; readonly stencils: Uint8Array | null; readonly starts: ArrayLike<number> }, read: (reader: LakeReader) => Promise<void>): Promise<void> {
  const rowBytes = new Uint8Array(stored.bytes);
  const ends = [1, 2, 3].map((part) => stored.starts[part * LIMITS.runPartRows]! - 1);
  const table = Float64Array.of(0, ...ends, rowBytes.length - 1, 0);
  const pool = new ScanPool(new ScriptedRunner(1, ({ epoch, scans }) => Promise.resolve({ thread: 1, epoch, replies: scans.map(({ after }) => replyOf(after < 0 ? { table } : { rows: 0 })) })));
  const lane = planOver([{ source: 'test', segment: 'test.0', priority: 0, rows: [] }], false).lanes[0]!;
  assert.ok(lane.kind === 'lake');
  const call = callOver(pool, pool.lease()!, monotonicMs() + 60_000);
  const context = { ...call, query: queryOf({ count: 'none', delivery: 'stream' }), order: 'stored', form: 'rows' } as const;
  await read(new LakeReader({ ...lane, segment: { ...lane.segment, rowBytes, stencils: stored.stencils } }, context));
  await pool.close();
}

describe('a slice of more rows than are wanted', () => {
  for (const form of ['text', 'compact'] as const) {
    it(`is handed on in parts, of ${form} too, and the lane has not ended before the last is`, async () => {
      await reading(storeRows(WORDS, TEXTS, form), async (reader) => {
        let text = '';
        let rows = 0;
        for (const wanted of [1, LIMITS.runPartRows + 7, LIMITS.runPartRows, 5, 5]) {
          const chunk = await reader.next(wanted);
          if (chunk === null) break;
          assert.deepEqual([chunk.markAt(0), chunk.markAt(chunk.rows - 1)], [rows, rows + chunk.rows - 1]);
          rows += chunk.rows;
          text += Buffer.from(chunk.bytes.buffer, chunk.bytes.byteOffset + chunk.start[0]!, chunk.end[chunk.rows - 1]! + 1 - chunk.start[0]!).toString();
          assert.equal(reader.ended, rows === ROWS ? 'end' : null);
        }
        assert.equal(text, TEXTS.map((line) => `${line}\n`).join(''));
        assert.equal(await reader.next(5), null);
      });
    });
  }

  it('is given up where a row of it has rotted', async () => {
    const { bytes, stencils, starts } = storeRows(WORDS, TEXTS, 'compact');
    const rotten = new Uint8Array(bytes);
    rotten.fill(0xff, starts[LIMITS.runPartRows + 5]!, starts[LIMITS.runPartRows + 6]!);
    await reading({ bytes: rotten, stencils, starts }, async (reader) => {
      const first = await reader.next(LIMITS.runPartRows);
      assert.equal(first!.isSound!(), true);
      const second = await reader.next(LIMITS.runPartRows);
      assert.equal(second!.isSound!(), false);
      assert.deepEqual([reader.ended, reader.failure, await reader.next(5)], ['failed', 'scan_crashed', null]);
    });
  });

  it('ends where as many were wanted if they do not lie one behind the other, and is looked on from there', () => {
    const rows = [3, 5, 8, 13];
    const slice = replyOf({ rows: 4, table: Float64Array.from([...rows.map((row) => row * 10), ...rows.map((row) => row * 10 + 9), ...rows]), after: 20 });
    const cut = withinRows(slice, 2);
    assert.ok(cut.ok);
    assert.deepEqual([cut.rows, [...cut.table], cut.stop, cut.after], [2, [30, 50, 39, 59, 3, 5], 'full', 5]);
    assert.equal(cut.table.buffer.byteLength, 48, 'nothing of what is beyond is kept');
    for (const given of [slice, replyOf({ rows: 4, table: Float64Array.of(30, 69, 3) }), { ok: false, code: 'timed_out' } as const]) assert.equal(withinRows(given, 4), given);
    const run = replyOf({ rows: 4, table: Float64Array.of(30, 69, 3) });
    assert.equal(withinRows(run, 2), run);
  });
});
