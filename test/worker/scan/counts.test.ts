import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LIMITS } from '../../../src/config/limits.ts';
import { matches } from '../../../src/filter/matches.ts';
import { read } from '../../../src/filter/read.ts';
import type { Row } from '../../../src/model/field.ts';
import type { Filter, FilterSpec } from '../../../src/model/filter.ts';
import { COUNTED_VALUES_MAX } from '../../../src/segment/layout.ts';
import { countAtOnce, countMatches, type Counted } from '../../../src/worker/scan/count.ts';
import { countedSearch } from '../../../src/worker/scan/counted.ts';
import { facetCounter, mostFrequentCodes } from '../../../src/worker/scan/facet.ts';
import { fullRow, segmentOf } from '../../segment/support.ts';
import { comparableFacet, deadEvery, isDeadEvery, plainFacet, scanned, targetOf } from './support.ts';

// US and DE are large enough for counts of every two columns, FR of some, the others of none.
const COUNTRIES = [...Array<string>(12).fill('US'), ...Array<string>(6).fill('DE'), 'FR'];
const SENIORITIES = ['senior', 'vp', 'manager', null];
const ROWS = Array.from({ length: 12_000 }, (_, at): Row => fullRow('contacts', {
  id: `test:${at}`,
  country: at % 997 === 0 ? (at % 2 === 0 ? 'LI' : null) : COUNTRIES[at % COUNTRIES.length]!,
  email: at % 3 === 0 ? null : `p${at}@x${at % 300}.com`,
  phone: at % 5 === 0 ? '+14155550100' : null,
  industry: at % 13 === 0 ? null : `Industry ${(at * 7) % 20}`,
  seniority: SENIORITIES[(at >> 3) % 4]!,
  company_size: at % 7 === 0 ? '11-50' : '1-10',
  city: `Town ${at % (COUNTED_VALUES_MAX + 10)}`,
  updated_at: `2024-01-01T00:00:${String(at % 60).padStart(2, '0')}Z`,
}));
const { segment, stored } = await segmentOf('contacts', ROWS);

const INDUSTRIES = Array.from({ length: 22 }, (_, at) => `industry ${at}`);
const values = (texts: readonly string[]): fc.Arbitrary<readonly string[]> => fc.uniqueArray(fc.constantFrom(...texts), { minLength: 1, maxLength: 12 });
const termsOf = (name: string, texts: readonly string[]): fc.Arbitrary<Filter> => fc
  .tuple(fc.option(values(texts), { freq: 3 }), fc.oneof(fc.constant<readonly string[]>([]), values(texts)))
  .map(([include, exclude]) => ({ kind: 'terms', name, include, exclude }));
const presenceOf = (name: string): fc.Arbitrary<Filter> => fc.tuple(fc.boolean(), fc.boolean()).map(([present, absent]) => ({ kind: 'presence', name, present, absent }));
const filter: fc.Arbitrary<Filter> = fc.oneof(
  termsOf('country', ['US', 'DE', 'FR', 'LI', 'JP']), termsOf('industry', INDUSTRIES), termsOf('seniority', ['senior', 'vp', 'manager']),
  termsOf('company_size', ['11-50', '1-10']), termsOf('city', ['town 1', 'town 2', 'town 130']), presenceOf('has_email'), presenceOf('has_phone'),
);
const filters = fc.uniqueArray(filter, { selector: ({ name }) => name, maxLength: 4 });
const placeOf = new Map(stored.map((row, at) => [row, at]));
const plain = (asked: readonly Filter[]): Row[] => stored.filter(matches(asked, [], segment.vocabulary));

test('totals from counts by country are those of a plain loop, whatever is asked', () => {
  const target = targetOf(segment);
  let told = 0;
  fc.assert(fc.property(filters, (asked) => {
    if (countedSearch(read(segment, asked, []), segment.counts) !== null) told += 1;
    assert.equal(scanned(target, { filters: asked, rowsMax: 0, count: true }).matched, plain(asked).length);
  }), { numRuns: 400 });
  assert.ok(told > 50, `only ${told} searches were answered from counts`);
});

test('rows that are dead are taken off the counts', () => {
  for (const every of [{ suppressed: 60, gone: 40 }, { suppressed: 0, gone: 300 }]) {
    const target = targetOf(segment, deadEvery(every, segment.rows));
    fc.assert(fc.property(filters, (asked) => {
      const live = plain(asked).filter((row) => !isDeadEvery(every, placeOf.get(row)!));
      assert.equal(scanned(target, { filters: asked, rowsMax: 0, count: true }).matched, live.length);
    }), { numRuns: 40 });
  }
});

test('what is dead of a country is counted once, and then told as all of its rows are', () => {
  const terms = (name: string, ...include: string[]): Filter => ({ kind: 'terms', name, include, exclude: [] });
  const every = { suppressed: 60, gone: 40 };
  const dead = deadEvery(every, segment.rows);
  const counted = (asked: readonly Filter[]): Counted => ({ reading: read(segment, asked, []), dead, segment });
  const first = [terms('country', 'US', 'DE'), terms('seniority', 'vp'), terms('industry', 'industry 3', 'industry 4')];
  assert.equal(countAtOnce(counted(first)), null);
  for (let steps = countMatches(counted(first)); steps.next().done !== true;);
  for (const industry of ['industry 3', 'industry 7']) {
    for (const presence of [[], [{ kind: 'presence', name: 'has_email', present: true, absent: false }], [{ kind: 'presence', name: 'has_phone', present: false, absent: true }]] as const) {
      const asked = [first[0]!, terms('seniority', 'vp', 'senior'), terms('industry', industry), ...presence];
      assert.equal(countAtOnce(counted(asked)), plain(asked).filter((row) => !isDeadEvery(every, placeOf.get(row)!)).length);
    }
  }
});

test('countries too small for counts, and columns of too many values, have none', () => {
  const terms = (name: string, ...include: string[]): Filter => ({ kind: 'terms', name, include, exclude: [] });
  const counted = (...asked: Filter[]): number | null => {
    const search = countedSearch(read(segment, asked, []), segment.counts)!;
    const cells = segment.counts.find(read(segment, asked, []).ranges[0]![0], search.choices);
    return cells === null ? null : segment.counts.of(cells, search.presence);
  };
  const seniority = terms('seniority', 'vp');
  assert.equal(counted(terms('country', 'US'), seniority), plain([terms('country', 'US'), seniority]).length);
  assert.equal(counted(terms('country', 'LI'), seniority), null);
  assert.equal(counted(terms('country', 'FR'), seniority, terms('industry', 'industry 3')), null);
  assert.equal(countedSearch(read(segment, [terms('city', 'town 1')], []), segment.counts), null);
});

test('a facet of more values than it may hold is not counted, rather than by those that were met first', () => {
  const rows = Uint32Array.from({ length: 300 }, (_, at) => at);
  for (const name of ['id', 'updated_at', 'company_size']) {
    const whole = facetCounter(segment, name);
    whole.add(rows, rows.length, 1);
    const values = whole.values()!;
    const cut = facetCounter(segment, name, values.length - 1);
    const held = facetCounter(segment, name, values.length);
    for (const each of [cut, held]) each.add(rows, rows.length, 1);
    assert.deepEqual(held.values(), values);
    assert.deepEqual(cut.values(), segment.columns.get(name)?.form === 'texts' ? values : null, name);
  }
});

test('facets beside a total are those of a plain loop, whether rows are gone through or totals tell them', () => {
  const names = ['country', 'seniority', 'has_email', 'has_phone', 'city'];
  const specs = names.map((name) => segment.vocabulary.filters.find((spec) => spec.name === name)!);
  for (const every of [{ suppressed: 0, gone: 0 }, { suppressed: 60, gone: 40 }]) {
    const target = targetOf(segment, deadEvery(every, segment.rows));
    const living = stored.filter((_, at) => !isDeadEvery(every, at));
    let many = 0;
    fc.assert(fc.property(filters, (asked) => {
      const { facets } = scanned(target, { filters: asked, rowsMax: 0, count: true, facets: names });
      const rows = living.filter(matches(asked, [], segment.vocabulary));
      many += rows.length > 5_000 ? 1 : 0;
      assert.deepEqual(facets!.map(({ name }) => name), names);
      for (const [at, spec] of specs.entries()) assert.deepEqual([...comparableFacet(spec, facets![at]!.values)], sortedFacet(spec, rows));
    }), { numRuns: 60 });
    assert.ok(many > 3, `only ${many} searches had many rows`);
  }
});

function sortedFacet(spec: FilterSpec, rows: readonly Row[]): (readonly [string, number])[] {
  return [...plainFacet(spec, rows)].sort(([a, first], [b, second]) => second - first || (a < b ? -1 : 1));
}

test('of more values than a facet gives the most frequent stay, however often they are', () => {
  const most = LIMITS.scanFacetValuesMax;
  const column = { keys: { size: 3 * most }, display: (code: number) => String(code) };
  for (const [low, high] of [[0, 3], [1, 2_000], [2_000, 2_010]] as const) {
    const counts = Int32Array.from({ length: 3 * most }, (_, code) => (code % 3 === 0 ? high : low) + (code % 7 === 0 ? 1 : 0));
    const kept = mostFrequentCodes(column, counts);
    assert.deepEqual(kept.map(([, count]) => count), [...counts].sort((a, b) => b - a).slice(0, most).filter((count) => count > 0));
    for (const [value, count] of kept) assert.equal(counts[Number(value)], count);
  }
});
