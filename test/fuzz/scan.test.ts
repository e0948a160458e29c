import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LIMITS } from '../../src/config/limits.ts';
import { matches } from '../../src/filter/matches.ts';
import { DATASETS, type Dataset } from '../../src/model/dataset.ts';
import type { Row } from '../../src/model/field.ts';
import { vocabulary } from '../../src/model/vocabulary.ts';
import { vocabulariesOf } from '../../src/plan/lake_sources.ts';
import { planFind } from '../../src/plan/plan.ts';
import type { ScanRequest } from '../../src/pool/protocol.ts';
import { ROW_FORMS } from '../../src/segment/row_form.ts';
import type { Segment } from '../../src/segment/reader.ts';
import type { ScanTarget } from '../../src/worker/scan/target.ts';
import { queryOf } from '../support/memory_lanes.ts';
import { segmentOf, summaryOf } from '../segment/support.ts';
import { comparableFacet, deadEvery, identityIn, isDeadEvery, plainFacet, scanned, taken, targetOf, type DeadEvery, type TakenRow } from '../worker/scan/support.ts';
import { corpusOf, EXTRAS, searchOf, WIDER, type Search } from './corpus.ts';

type Paging = Pick<ScanRequest, 'order' | 'rowsMax' | 'bytesMax' | 'copy'>;

const pagingBy = (rowsMax: readonly number[], bytesMax: readonly number[]): fc.Arbitrary<Paging> => fc.record({
  order: fc.constantFrom('stored', 'identity'),
  rowsMax: fc.constantFrom(...rowsMax),
  bytesMax: fc.constantFrom(...bytesMax),
  copy: fc.boolean(),
});
const SMALL = pagingBy([1, 2, 3, 7, 25, 100_000], [1, 500, 5_000, 1 << 20]);
const LARGE = pagingBy([700, 100_000], [200_000, 1 << 30]);

/** All pages of a search, each begun after the mark the last one ended at. */
function allRows(target: ScanTarget, search: Search, paging: Paging): TakenRow[] {
  const rows: TakenRow[] = [];
  for (let after = -1; ;) {
    const reply = scanned(target, { ...search, ...paging, after, copy: target.segment.stencils !== null });
    const page = taken(target.segment, reply, paging.order);
    rows.push(...page);
    assert.ok(page.length <= paging.rowsMax);
    if (reply.stop === 'end') return rows;
    assert.equal(reply.stop, 'full');
    assert.ok(page.length > 0, 'a page that is full has rows');
    assert.equal(reply.after, page.at(-1)!.mark);
    after = reply.after;
  }
}

type Corpus = { readonly target: ScanTarget; readonly live: Row[]; readonly rank: ReadonlyMap<Row, number>; readonly dataset: Dataset };

let corpora = 0;

/** Of rows that are stored in one form and the other by turns. */
async function load(dataset: Dataset, rows: Row[], every: DeadEvery): Promise<Corpus> {
  const { segment, stored } = await segmentOf(dataset, rows, EXTRAS, ROW_FORMS[corpora++ % ROW_FORMS.length]);
  const rank = new Map(stored.map((row, at) => [row, segment.ranks[at]!]));
  return { target: targetOf(segment, deadEvery(every, stored.length)), live: stored.filter((_, at) => !isDeadEvery(every, at)), rank, dataset };
}

/** Whether a search asks the segment at all, which it does not where the segment has no row of its countries. */
function isAsked(segment: Segment, { filters, terms }: Search): boolean {
  const { dataset, source, rows, countries } = summaryOf(segment);
  const lake = {
    name: source, dataset, kind: 'lake', status: 'ok', trouble: null, snapshot: '1', readers: null, segments: [{ id: 'a', mount: 'a', rows, countries, rowBytes: null, stencils: null }],
    rows, updatedAt: null, fill: {}, countries, filters: {}, fields: [], rowFields: [],
  } as const;
  const catalog = { version: 1, demo: false, vocabularies: vocabulariesOf({ extras: { contacts: [], companies: [] } }), sources: [lake], retained: new Map(), restoring: new Set<string>() };
  return planFind(queryOf({ type: dataset, filters, terms }), catalog, null).lanes.length === 1;
}

function check({ target, live, rank, dataset }: Corpus, search: Search, paging: Paging, facets: readonly string[]): void {
  const wider = vocabulary(dataset, WIDER);
  const expected = live.filter(matches(search.filters, search.terms, wider));
  if (expected.length > 0) assert.ok(isAsked(target.segment, search), 'a segment that has matches is asked');
  const found = allRows(target, search, paging);
  const ordered = paging.order === 'stored' ? expected : expected.toSorted((a, b) => rank.get(a)! - rank.get(b)!);
  assert.deepEqual(found.map(({ row }) => row), ordered);
  if (paging.order === 'identity') assert.deepEqual(found.map(({ identity }) => identity), ordered.map((row) => identityIn(target.segment, row)));
  const asked = scanned(target, { ...search, rowsMax: 1, count: true, facets });
  assert.equal(asked.matched, expected.length);
  for (const { name, values } of asked.facets ?? []) {
    const spec = wider.filters.find((each) => each.name === name)!;
    checkFacet(comparableFacet(spec, values), plainFacet(spec, expected), name);
  }
}

/** All values with their counts, or of too many the most frequent. */
function checkFacet(found: ReadonlyMap<string, number>, plain: ReadonlyMap<string, number>, name: string): void {
  assert.equal(found.size, Math.min(plain.size, LIMITS.scanFacetValuesMax), `values of facet ${name}`);
  for (const [value, count] of found) assert.equal(count, plain.get(value), `facet ${name} at ${value}`);
  const leftOut = [...plain].filter(([value]) => !found.has(value)).map(([, count]) => count);
  assert.ok(Math.max(0, ...leftOut) <= Math.min(...found.values()), `facet ${name} leaves out the rarest`);
}

async function checkSearches(dataset: Dataset, rows: Row[], paging: fc.Arbitrary<Paging>, every: DeadEvery, searches: number): Promise<void> {
  const corpus = await load(dataset, rows, every);
  const facets = fc.uniqueArray(fc.constantFrom(...vocabulary(dataset, WIDER).filters.map(({ name }) => name)), { maxLength: 4 });
  fc.assert(fc.property(searchOf(dataset, rows), paging, facets, (search, paging, facets) => check(corpus, search, paging, facets)), { numRuns: searches });
}

const ALL_LIVE: DeadEvery = { suppressed: 0, gone: 0 };
/** Few of the rows of a small segment, many and all. */
const SMALL_DEAD: readonly DeadEvery[] = [
  ALL_LIVE, { suppressed: 0, gone: 30 }, { suppressed: 0, gone: 3 }, { suppressed: 50, gone: 40 }, { suppressed: 3, gone: 4 }, { suppressed: 3, gone: 0 }, { suppressed: 1, gone: 2 },
];

for (const dataset of DATASETS) {
  test(`a scan of a small segment of ${dataset} gives the rows, totals and facets of a plain loop`, async () => {
    await fc.assert(fc.asyncProperty(fc.nat(), fc.constantFrom(...SMALL_DEAD), async (seed, every) => {
      await checkSearches(dataset, corpusOf(dataset, seed, 60), SMALL, every, 25);
    }), { numRuns: 12, endOnFailure: true });
  });

  test(`a scan of a segment of ${dataset} with containers of every form gives what a plain loop gives`, async () => {
    const few = corpusOf(dataset, 7, 300);
    const many = Array.from({ length: 6_000 }, (_, at) => ({ ...few[(at * at) % few.length]!, id: `test:${at}` }));
    await checkSearches(dataset, many, LARGE, ALL_LIVE, 4);
    await checkSearches(dataset, many, LARGE, { suppressed: 0, gone: 200 }, 4);
    await checkSearches(dataset, many, LARGE, { suppressed: 40, gone: 50 }, 4);
  });
}
