import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { federateStream, type RowOutlet, type StreamEnd } from '../../src/federation/stream.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import type { Chunk } from '../../src/model/chunk.ts';
import type { Query } from '../../src/model/query.ts';
import type { Position } from '../../src/plan/plan.ts';
import type { ScanReply, ScanRequest } from '../../src/pool/protocol.ts';
import { ScanPool } from '../../src/pool/scan_pool.ts';
import { callOver, planOver, queryOf, scanMemory, type MemoryLane } from '../support/memory_lanes.ts';
import { pause, ScriptedRunner } from '../support/runners.ts';
import { withTime } from '../support/with_time.ts';


const CANCELLED: ScanReply = {
  ok: true, rows: 0, table: new Float64Array(0), bytes: null, stop: 'cancelled', after: -1, text: null, tally: 'cancelled', heldBy: null, beside: null, matched: null, facets: null, tookMs: 0,
};

function idAt({ bytes, start, end }: Chunk, row: number): string {
  return (JSON.parse(Buffer.from(bytes.subarray(start[row]!, end[row]!)).toString()) as { id: string }).id;
}

/** Scans that end where their call is cancelled, as those of the threads do; the one that `stops` tells cancels it. */
function cancellable(lanes: readonly MemoryLane[], sliceRows: number, stops: (scan: ScanRequest) => boolean): ScanPool {
  const answer = scanMemory(lanes, sliceRows);
  const pool: ScanPool = new ScanPool(new ScriptedRunner(8, (batch) => {
    const { replies, ...rest } = answer(batch);
    for (const scan of batch.scans) if (stops(scan)) pool.cancel(scan);
    return Promise.resolve({ ...rest, replies: replies.map((reply, i) => (pool.isCancelled(batch.scans[i]!) ? CANCELLED : reply)) });
  }));
  return pool;
}

type Reading = {
  readonly sliceRows: number;
  readonly query: Partial<Query>;
  readonly timeoutMs?: number;
  readonly from?: Position;
  readonly stops?: (scan: ScanRequest) => boolean;
  /** Takes a piece of rows. */
  readonly reads?: (cancel: () => void) => Promise<void> | void;
  readonly gone?: () => boolean;
};

async function streamed(
  lanes: readonly MemoryLane[], { sliceRows, query, timeoutMs = 60_000, from, stops = () => false, reads = () => {}, gone = () => false }: Reading,
): Promise<{ readonly end: StreamEnd; readonly ids: string[] }> {
  const pool = cancellable(lanes, sliceRows, stops);
  const lease = pool.lease()!;
  const ids: string[] = [];
  const take = async (piece: string[]): Promise<void> => {
    ids.push(...piece);
    await reads(() => { pool.cancel(lease); });
  };
  const outlet: RowOutlet = {
    get gone() { return gone(); },
    async chunk(chunk, count) {
      await take(Array.from({ length: count }, (_, row) => idAt(chunk, row)));
      return count;
    },
    rows: (rows) => take(rows.map(({ chunk, row }) => idAt(chunk, row))),
    sourceEnded: () => Promise.resolve(),
    checkpoint: () => Promise.resolve(),
    afford: (rows) => rows,
  };
  const plan = planOver(lanes, query.dedupe ?? true, from ?? null);
  const end = await federateStream(plan, queryOf({ delivery: 'stream', limit: Number.MAX_SAFE_INTEGER, ...query }), callOver(pool, lease, monotonicMs() + timeoutMs), outlet);
  await pool.close();
  return { end, ids };
}

/** Every source has every key. */
function lanesOf(sources: readonly string[], rows: number): MemoryLane[] {
  return sources.map((source, priority) => ({
    source, segment: `${source}.0`, priority,
    rows: Array.from({ length: rows }, (_, row) => ({ id: `${source}:${row}`, keyClass: 0, key: String(row).padStart(6, '0'), phone: null })),
  }));
}

describe('a stream', () => {
  it('whose key is revoked says of no source that its time was over', async () => {
    for (const dedupe of [false, true]) {
      let revoked = false;
      const { end } = await streamed(lanesOf(['crm', 'web', 'shop'], 2_000), {
        sliceRows: 700, query: { dedupe }, gone: () => revoked,
        reads: (cancel) => { revoked = true; cancel(); },
      });
      assert.ok(end.partial && end.next !== null);
      assert.deepEqual(end.warnings.filter((warning) => /timed out/.test(warning)), [], `dedupe ${dedupe}`);
      assert.equal(end.warnings.filter((warning) => /revoked/.test(warning)).length, 1);
    }
  });

  it('that gave all it was asked for is not partial, however late its reader took the last', async () => {
    for (const dedupe of [false, true]) await withTime([500, 4_000, 15_000], async (timeoutMs) => {
      const { end, ids } = await streamed(lanesOf(['crm', 'web', 'shop'], 600), {
        sliceRows: 600, timeoutMs, query: { dedupe, limit: 500 }, reads: () => pause(timeoutMs + 100),
      });
      assert.deepEqual([ids.length, end.partial, end.errors], [500, false, []], `dedupe ${dedupe}`);
    });
  });

  it('in the order of identity that is told to stop ends before what its cursor would give again', async () => {
    const [crm, web] = lanesOf(['crm', 'web'], 2_000) as [MemoryLane, MemoryLane];
    const lanes = [crm, { ...web, rows: web.rows.filter((_, row) => row % 2 === 0) }];
    for (const amid of ['the writing', 'the merging']) {
      const first = await streamed(lanes, {
        sliceRows: 700, query: { dedupe: true },
        ...(amid === 'the writing' ? { reads: (cancel) => { cancel(); } } : { stops: ({ segment, after }) => segment === 'crm.0' && after > 600 }),
      });
      const second = await streamed(lanes, { sliceRows: 700, query: { dedupe: true }, from: first.end.next! });
      const keys = [...first.ids, ...second.ids].map((id) => id.slice(id.indexOf(':') + 1));
      assert.ok(first.end.partial && first.ids.length > 0, amid);
      assert.deepEqual([keys.length, new Set(keys).size], [2_000, 2_000], amid);
    }
  });

  it('in the order of identity ends soon where its time is over, however slow its reader', async () => {
    const lanes = lanesOf(['crm'], 3_000).concat(lanesOf(['web'], 3_000).map((lane) => ({ ...lane, priority: 1, rows: lane.rows.map((row) => ({ ...row, key: `${row.key}w` })) })));
    await withTime([500, 4_000, 15_000], async (timeoutMs) => {
      let pieces = 0;
      const { end } = await streamed(lanes, { sliceRows: 4_096, timeoutMs, query: { dedupe: true }, reads: () => { pieces += 1; return pause(timeoutMs + 100); } });
      assert.ok(end.partial && end.next !== null);
      assert.equal(pieces, 1);
    });
  });
});
