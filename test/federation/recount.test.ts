import assert from 'node:assert/strict';
import { it } from 'node:test';
import { LIMITS } from '../../src/config/limits.ts';
import type { LaneReader } from '../../src/federation/lane_reader.ts';
import { recountFacets } from '../../src/federation/recount.ts';
import type { Filter } from '../../src/model/filter.ts';
import { vocabulary } from '../../src/model/vocabulary.ts';
import { planOver, queryOf } from '../support/memory_lanes.ts';

const CALL = { query: queryOf({ facets: ['email'] }), vocabulary: vocabulary('contacts', []) };
const emails = (count: number, letter: string): string[] => Array.from({ length: count }, (_, i) => `${letter}${i}@x.org`);
const PLAN = planOver(['crm', 'web'].map((source, priority) => ({ source, segment: `${source}.0`, priority, rows: [] })), false);

/** Of a lake whose matches have these values so many times each; `asked` gets the filters by which it is to count again. */
function telling(lane: LaneReader['lane'], values: readonly string[], asked: Filter[], times = 1): LaneReader {
  return {
    lane, ended: 'end', failure: null, uncounted: null, matched: values.length, facets: [{ name: 'email', values: values.map((value) => [value, times] as const) }],
    overcounts: false, undercounts: false, dropped: 0, tookMs: 1,
    next: () => Promise.resolve(null), settle: () => Promise.resolve(), drop: () => {}, close: () => {},
    recount: (_name, filter) => { asked.push(filter); return Promise.resolve(); },
  };
}

it('a lake that gave as many values of a facet as it may is asked for those of others, however many of its own come as often', async () => {
  const asked: Filter[] = [];
  const few = emails(LIMITS.facetValuesMax, 'z');
  const readers = [telling(PLAN.lanes[0]!, emails(LIMITS.scanFacetValuesMax, 'a'), asked), telling(PLAN.lanes[1]!, few, asked)];
  assert.deepEqual(await recountFacets(CALL, readers), []);
  assert.deepEqual(asked, [{ kind: 'terms', name: 'email', include: few, exclude: [] }]);
});

it('it is told where a value that no lake gave may be more frequent than those that are shown', async () => {
  const [crm, web] = PLAN.lanes;
  const many = (letter: string): string[] => emails(LIMITS.scanFacetValuesMax, letter);
  assert.deepEqual(await recountFacets(CALL, [telling(crm!, many('a'), [], 2), telling(web!, many('b'), [], 2)]), [
    'crm has too many values of the facet email to compare them all: some that more rows have than those shown may be missing there',
    'web has too many values of the facet email to compare them all: some that more rows have than those shown may be missing there',
  ]);
});

it('it is not told where the values that are shown are more frequent than any other may be', async () => {
  const [crm, web] = PLAN.lanes;
  const often = emails(LIMITS.facetValuesMax, 'o');
  const counts = (letter: string) => [...often.map((value) => [value, 9] as const), ...emails(LIMITS.scanFacetValuesMax, letter).slice(often.length).map((value) => [value, 2] as const)];
  const readers = [crm!, web!].map((lane, at): LaneReader => ({ ...telling(lane, [], []), facets: [{ name: 'email', values: counts('ab'[at]!) }] }));
  assert.deepEqual(await recountFacets(CALL, readers), []);
});
