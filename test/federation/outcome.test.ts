import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LaneReader } from '../../src/federation/lane_reader.ts';
import { reportOf } from '../../src/federation/outcome.ts';
import { planOver, queryOf } from '../support/memory_lanes.ts';

const PLAN = planOver([{ source: 'crm', segment: 'crm.0', priority: 0, rows: [] }], false);
const WHOLE: LaneReader = {
  lane: PLAN.lanes[0]!, ended: 'end', failure: null, uncounted: null, matched: 7, facets: null, overcounts: false, undercounts: false, dropped: 0, tookMs: 1,
  next: () => Promise.resolve(null), settle: () => Promise.resolve(), recount: () => Promise.resolve(), drop: () => {}, close: () => {},
};

/** Of a source that has seven matches, by its own count, and gave three of them, but for what is told. */
function reported(told: Partial<LaneReader>, { exhausted = false, cut = false, cancelled = false } = {}) {
  return reportOf(PLAN, queryOf({}), [{ ...WHOLE, ...told }], { returned: [3], exhausted, cut: [cut], cancelled, leftOut: false });
}

const totalOf = (...given: Parameters<typeof reported>): unknown[] => {
  const { total, relation } = reported(...given);
  return [total, relation];
};

describe('what is told of a source', () => {
  it('says how many of its rows could not be used', () => {
    for (const [dropped, reason] of [[1, '1 row could not be used'], [2, '2 rows could not be used']] as const) {
      const { outcomes, warnings, errors, partial } = reported({ dropped });
      assert.deepEqual([outcomes[0]!.status, outcomes[0]!.reason, partial], ['partial', reason, true]);
      assert.deepEqual([warnings, errors], [[`crm did not finish (${reason}): some of its rows may be missing`], [`crm: ${reason}`]]);
    }
  });

  it('says that it timed out where rows that had come were not delivered', () => {
    const { outcomes, errors } = reported({}, { cut: true });
    assert.deepEqual([outcomes[0]!.status, errors], ['partial', ['crm: timed out']]);
  });

  it('says that it was cancelled where the call was told to stop before they were', () => {
    assert.deepEqual(reported({}, { cut: true, cancelled: true }).errors, ['crm: cancelled']);
    assert.deepEqual(reported({}, { cancelled: true }).errors, []);
  });
});

describe('the facets of a source of several parts', () => {
  const TWO_PARTS = planOver([0, 1].map((part) => ({ source: 'crm', segment: `crm.${part}`, priority: 0, rows: [] })), false);
  const warningsWhere = (...counted: readonly boolean[]): readonly string[] => {
    const readers = counted.map((is, part): LaneReader => ({ ...WHOLE, lane: TWO_PARTS.lanes[part]!, facets: is ? [{ name: 'city', values: [['Berlin', 7]] }] : null }));
    return reportOf(TWO_PARTS, queryOf({ facets: ['city'] }), readers, { returned: [3, 0], exhausted: false, cut: [false, false], leftOut: false }).warnings;
  };

  it('are told to lack all of its rows only where no part counted them', () => {
    assert.deepEqual(warningsWhere(true, true), []);
    assert.deepEqual(warningsWhere(false, false), ['crm did not count the facet city: its rows are missing there']);
    assert.deepEqual(warningsWhere(true, false), ['crm did not count the facet city: some of its rows are missing there']);
    assert.deepEqual(warningsWhere(false, true), ['crm did not count the facet city: some of its rows are missing there']);
  });
});

describe('the total of a source', () => {
  it('is no more exact than the source is', () => {
    assert.deepEqual(totalOf({}), [7, 'eq']);
    assert.deepEqual(totalOf({ overcounts: true }), [7, 'lte']);
    assert.deepEqual(totalOf({ undercounts: true }), [7, 'gte']);
    assert.deepEqual(totalOf({ overcounts: true, undercounts: true }), [7, 'approx']);
  });

  it('is exact where all rows were given, whatever it counted, and not where some of them were lost', () => {
    assert.deepEqual(totalOf({ overcounts: true }, { exhausted: true }), [3, 'eq']);
    assert.deepEqual(totalOf({ dropped: 1 }, { exhausted: true }), [7, 'gte']);
  });

  it('is no less than what was given of it', () => {
    assert.deepEqual(totalOf({ matched: 2 }), [3, 'eq']);
  });
});
