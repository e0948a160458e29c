import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ForeignReader } from '../../src/federation/foreign_reader.ts';
import type { CallContext } from '../../src/federation/lane_reader.ts';
import { federateStream, type RowOutlet } from '../../src/federation/stream.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import { nextTurn } from '../../src/lib/turns.ts';
import type { ForeignLane, Plan } from '../../src/plan/plan.ts';
import type { RowsMessage } from '../../src/pool/foreign_protocol.ts';
import type { ForeignScan } from '../../src/pool/foreign_scan.ts';
import { ScanPool } from '../../src/pool/scan_pool.ts';
import { callOver, planOver, queryOf, scanMemory, type MemoryLane } from '../support/memory_lanes.ts';
import { NO_ROWS, ScriptedRunner } from '../support/runners.ts';
import { until } from '../support/until.ts';

const ROW = '{"id":"far:1"}\n';
const PIECE: RowsMessage = { kind: 'rows', rows: 1, table: Float64Array.of(0, ROW.length - 1, 0, 1, ROW.length, ROW.length, 2), bytes: new TextEncoder().encode(ROW), last: false };

/** Brings one row, then hangs until it is closed. */
class HangingScan implements ForeignScan {
  end: ForeignScan['end'] = null;
  readonly tookMs = 0;
  readonly dropped = 0;
  readonly incomplete = false;
  #pieces = [PIECE];
  #close: () => void = () => {};
  readonly #closed = new Promise<void>((resolve) => { this.#close = resolve; });

  next(): Promise<RowsMessage | null> {
    const piece = this.#pieces.pop();
    return piece === undefined ? this.#closed.then(() => null) : Promise.resolve(piece);
  }

  counted(): ReturnType<ForeignScan['counted']> {
    return this.#closed.then(() => ({ matched: null, atMost: false, atLeast: false, facets: null, missed: 'cancelled' as const }));
  }

  close(): void {
    this.end ??= { why: 'cancelled', failure: null, detail: '' };
    this.#close();
  }
}

const FAR: ForeignLane = { kind: 'foreign', source: 'far', snapshot: '', priority: 0, after: '', done: false };

function planOf(order: Plan['order']): Plan {
  const plan = planOver([], false);
  return { ...plan, order, sources: [{ name: 'far', filters: { pushed: [], residual: [], unsupported: [] }, skip: null, given: false }], lanes: [FAR] };
}

/** A call over the one source, all scans of which are remembered. */
function callOf(onGone: CallContext['onGone'] = () => {}): { readonly call: CallContext; readonly scans: HangingScan[] } {
  const scans: HangingScan[] = [];
  const pool = new ScanPool(new ScriptedRunner(1, async () => ({ thread: 1, epoch: 1, replies: [NO_ROWS] })));
  const scan = (): HangingScan => {
    scans.push(new HangingScan());
    return scans.at(-1)!;
  };
  const call = { ...callOver(pool, pool.lease()!, monotonicMs() + 60_000), foreign: { gateway: 'test', scan }, onGone };
  return { call: { ...call, query: queryOf({}), order: 'stored', form: 'rows' }, scans };
}

const SOUND: RowOutlet = {
  gone: false, chunk: async (_, count) => count, rows: async () => {}, sourceEnded: async () => {}, checkpoint: async () => {}, afford: (rows) => rows,
};

describe('a call that fails', () => {
  for (const order of ['stored', 'identity'] as const) {
    it(`stops what a source still does for its stream in ${order} order`, async () => {
      const { call, scans } = callOf();
      const outlet: RowOutlet = { ...SOUND, afford: () => Promise.reject(new Error('the caps cannot be read')) };
      await assert.rejects(federateStream(planOf(order), queryOf({ delivery: 'stream', dedupe: order === 'identity', limit: 1 }), call, outlet), /caps cannot be read/);
      assert.deepEqual(scans.map(({ end }) => end?.why), ['cancelled']);
    });
  }
});

describe('a stream of which a lane fails', () => {
  it('writes nothing of the others behind the failure, whatever of them has come', async () => {
    const rows = (source: string): MemoryLane => ({
      source, segment: source, priority: 0, rows: Array.from({ length: 100 }, (_, at) => ({ id: `${source}:${at}`, keyClass: 2, key: `${at}`, phone: null })),
    });
    const lanes = [rows('near'), rows('broken')];
    const answer = scanMemory(lanes, 10);
    let [scans, taken] = [0, 0];
    const pool = new ScanPool(new ScriptedRunner(1, (batch) => {
      const reply = answer(batch);
      // The second slice of the one has no bytes: that is a bug, and throws.
      const replies = reply.replies.map((one, at) => (one.ok && batch.scans[at]!.segment === 'broken' && (scans += 1) === 2 ? { ...one, bytes: null } : one));
      return Promise.resolve({ ...reply, replies });
    }));
    const outlet: RowOutlet = {
      ...SOUND,
      async chunk(_, count) {
        await until(() => scans >= 2);
        taken += count;
        return count;
      },
    };
    const call = callOver(pool, pool.lease()!, monotonicMs() + 60_000);
    await assert.rejects(federateStream(planOver(lanes, false), queryOf({ delivery: 'stream', dedupe: false, limit: 1_000 }), call, outlet), /left rows in a segment/);
    const atFailure = taken;
    for (let turn = 0; turn < 200; turn += 1) await nextTurn();
    await pool.close();
    assert.equal(taken, atFailure);
  });
});

describe('a reader of a source', () => {
  it('begins no scan for a caller who left before it could', async () => {
    const { call, scans } = callOf((listener) => { listener(); });
    const reader = new ForeignReader(FAR, call);
    assert.equal(await reader.next(10), null);
    await reader.settle();
    assert.deepEqual([reader.ended, scans.length], ['cancelled', 0]);
  });
});
