import assert from 'node:assert/strict';
import { test } from 'node:test';
import { federatePage } from '../../src/federation/page.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import { ScanPool, type ScanObservation } from '../../src/pool/scan_pool.ts';
import { callOver, MEMORY_VOCABULARY, planOver, queryOf } from '../support/memory_lanes.ts';
import { NO_ROWS, ScriptedRunner } from '../support/runners.ts';
import { storeRows } from '../support/stored_rows.ts';
import { storedText } from '../support/stored_row.ts';

const ROWS = 20;
const { bytes, stencils } = storeRows(MEMORY_VOCABULARY, Array.from({ length: ROWS }, (_, row) => storedText(MEMORY_VOCABULARY, 'crm', { id: `crm:${row}` })), 'compact');
const PIECES_AT = 9;

/** A lake whose rows the scans leave where they are. */
function lake(rowBytes: Uint8Array) {
  const plan = planOver([{ source: 'crm', segment: 'crm.0', priority: 0, rows: [] }], false);
  const lanes = plan.lanes.map((lane) => (lane.kind === 'lake' ? { ...lane, segment: { ...lane.segment, rowBytes, stencils: stencils! } } : lane));
  const told: ScanObservation[] = [];
  const reply = { ...NO_ROWS, rows: ROWS, table: Float64Array.of(0, bytes.length - 1, 0), after: ROWS - 1, matched: ROWS };
  const runner = new ScriptedRunner(1, (batch) => Promise.resolve({ thread: 1, epoch: batch.epoch, replies: batch.scans.map(() => reply) }));
  return { plan: { ...plan, lanes }, pool: new ScanPool(runner, (one) => told.push(one)), told };
}

for (const form of ['json', 'msgpack', 'rows'] as const) {
  test(`a page as ${form} whose rows are spelled here is as after a scan that failed where one of them is broken, and it is told once of which segment`, async () => {
    const broken = new Uint8Array(bytes);
    broken.fill(0xff, PIECES_AT, PIECES_AT + 2);
    for (const [stored, returned, status] of [[new Uint8Array(bytes), ROWS, 'complete'], [broken, 0, 'failed']] as const) {
      const { plan, pool, told } = lake(stored);
      const page = await federatePage(plan, queryOf({}), callOver(pool, pool.lease()!, monotonicMs() + 60_000), form);
      assert.deepEqual([page.returned, page.total, page.partial, page.outcomes.map((one) => one.status)], [returned, ROWS, returned === 0, [status]]);
      assert.equal(page.next === null, returned > 0, 'it is asked again by the next page');
      const failures = told.flatMap(({ segment, thread, failure }) => (failure === null ? [] : [[segment, thread, failure.code]]));
      assert.deepEqual(failures, returned > 0 ? [] : [['crm.0', 0, 'scan_crashed']]);
      await pool.close();
    }
  });
}
