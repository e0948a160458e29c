import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { federateStream, type RowOutlet, type StreamEnd } from '../../src/federation/stream.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import type { Chunk } from '../../src/model/chunk.ts';
import type { Query } from '../../src/model/query.ts';
import type { ScanReply } from '../../src/pool/protocol.ts';
import { ScanPool } from '../../src/pool/scan_pool.ts';
import { callOver, planOver, queryOf, scanMemory, type MemoryLane } from '../support/memory_lanes.ts';
import { pause, ScriptedRunner } from '../support/runners.ts';


const CANCELLED: ScanReply = {
  ok: true, rows: 0, table: new Float64Array(0), bytes: null, stop: 'cancelled', after: -1, text: null, tally: 'cancelled', heldBy: null, matched: null, facets: null, tookMs: 0,
};

function idAt({ bytes, start, end }: Chunk, row: number): string {
  return (JSON.parse(Buffer.from(bytes.subarray(start[row]!, end[row]!)).toString()) as { id: string }).id;
}

/** Scans that end where their call is cancelled, as those of the threads do. */
function cancellable(lanes: readonly MemoryLane[], sliceRows: number): ScanPool {
  const answer = scanMemory(lanes, sliceRows);
  const pool: ScanPool = new ScanPool(new ScriptedRunner(8, (batch) => {
    const { replies, ...rest } = answer(batch);
    return Promise.resolve({ ...rest, replies: replies.map((reply, i) => (pool.isCancelled(batch.scans[i]!) ? CANCELLED : reply)) });
  }));
  return pool;
}

type Reading = {
  readonly sliceRows: number;
  readonly query: Partial<Query>;
  readonly timeoutMs?: number;
  /** Takes a piece of rows. */
  readonly reads?: (cancel: () => void) => Promise<void> | void;
  readonly gone?: () => boolean;
};

async function streamed(
  lanes: readonly MemoryLane[], { sliceRows, query, timeoutMs = 60_000, reads = () => {}, gone = () => false }: Reading,
): Promise<{ readonly end: StreamEnd; readonly ids: string[] }> {
  const pool = cancellable(lanes, sliceRows);
  const lease = pool.lease()!;
  const ids: string[] = [];
  const take = async (piece: string[]): Promise<void> => {
    ids.push(...piece);
    await reads(() => { pool.cancel(lease); });
  };
  const outlet: RowOutlet = {
    get gone() { return gone(); },
    async run(chunk, count) {
      await take(Array.from({ length: count }, (_, row) => idAt(chunk, row)));
      return count;
    },
    rows: (rows) => take(rows.map(({ chunk, row }) => idAt(chunk, row))),
    sourceEnded: () => Promise.resolve(),
    checkpoint: () => Promise.resolve(),
    afford: (rows) => rows,
  };
  const plan = planOver(lanes, query.dedupe ?? true);
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
    for (const dedupe of [false, true]) {
      const { end, ids } = await streamed(lanesOf(['crm', 'web', 'shop'], 600), {
        sliceRows: 600, timeoutMs: 500, query: { dedupe, limit: 500 }, reads: () => pause(600),
      });
      assert.deepEqual([ids.length, end.partial, end.errors], [500, false, []], `dedupe ${dedupe}`);
    }
  });
});
