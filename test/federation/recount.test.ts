import assert from 'node:assert/strict';
import { it } from 'node:test';
import { LIMITS } from '../../src/config/limits.ts';
import type { LaneReader } from '../../src/federation/lane_reader.ts';
import { recountFacets } from '../../src/federation/recount.ts';
import type { Filter } from '../../src/model/filter.ts';
import { vocabulary } from '../../src/model/vocabulary.ts';
import { planOver, queryOf } from '../support/memory_lanes.ts';

const PLAN = planOver(['crm', 'web'].map((source, priority) => ({ source, segment: `${source}.0`, priority, rows: [] })), false);

/** Of a lake whose matches have these values once each; `asked` gets the filters by which it is to count again. */
function telling(lane: LaneReader['lane'], values: readonly string[], asked: Filter[]): LaneReader {
  return {
    lane, ended: 'end', failure: null, uncounted: null, matched: values.length, facets: [{ name: 'email', values: values.map((value) => [value, 1] as const) }],
    overcounts: false, undercounts: false, dropped: 0, tookMs: 1,
    next: () => Promise.resolve(null), settle: () => Promise.resolve(), drop: () => {}, close: () => {},
    recount: (_name, filter) => { asked.push(filter); return Promise.resolve(); },
  };
}

it('a lake that gave as many values of a facet as it may is asked for those of others, however many of its own come as often', async () => {
  const asked: Filter[] = [];
  const many = Array.from({ length: LIMITS.scanFacetValuesMax }, (_, i) => `a${i}@x.org`);
  const few = Array.from({ length: LIMITS.facetValuesMax }, (_, i) => `z${i}@x.org`);
  const readers = [telling(PLAN.lanes[0]!, many, asked), telling(PLAN.lanes[1]!, few, asked)];
  await recountFacets({ query: queryOf({ facets: ['email'] }), vocabulary: vocabulary('contacts', []) }, readers);
  assert.deepEqual(asked, [{ kind: 'terms', name: 'email', include: few, exclude: [] }]);
});
