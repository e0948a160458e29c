import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { expectedMatches } from '../../src/filter/expected.ts';
import { Matcher } from '../../src/filter/matcher.ts';
import { matches } from '../../src/filter/matches.ts';
import { read } from '../../src/filter/read.ts';
import { Spans, windowEnd } from '../../src/filter/windows.ts';
import type { Filter } from '../../src/model/filter.ts';
import { BLOCK_ROWS } from '../../src/segment/layout.ts';
import { corpusOf, EXTRAS, searchOf } from '../fuzz/corpus.ts';
import { fullRow, segmentOf } from '../segment/support.ts';

const ROWS = corpusOf('contacts', 23, 200);
const { segment, stored } = await segmentOf('contacts', Array.from({ length: 6_000 }, (_, at) => ({ ...ROWS[(at * at) % ROWS.length]!, id: `test:${at}` })), EXTRAS);

/** Ascending ranges of a segment's rows: from, to, from, to. */
const endsOf = (rows: number): fc.Arbitrary<number[]> => fc.uniqueArray(fc.integer({ min: 0, max: rows }), { minLength: 2, maxLength: 60 })
  .map((ends) => ends.toSorted((a, b) => a - b).slice(0, ends.length - (ends.length % 2)));

test('the matches among some rows of a window are those of the window that lie there', () => {
  fc.assert(fc.property(searchOf('contacts', ROWS), endsOf(segment.rows), (search, ends) => {
    const { ranges, ...reading } = read(segment, search.filters, search.terms);
    if (ranges.length === 0) return;
    const isWanted = matches(search.filters.filter(({ name }) => name !== 'country'), search.terms, segment.vocabulary);
    const spans = new Spans();
    const expected: number[] = [];
    for (let at = 0; at < ends.length; at += 2) {
      spans.add(ends[at]!, ends[at + 1]!);
      for (let row = ends[at]!; row < ends[at + 1]!; row++) if (isWanted(stored[row]!)) expected.push(row);
    }
    // Presence of an address may be told by where the rows lie alone: they are asked for there.
    const apart = expected.filter((row) => ranges.some(([start, end]) => start <= row && row < end));
    const { list, count } = new Matcher(reading).rowsAmong(spans);
    const found = Array.from(list.subarray(0, count)).filter((row) => ranges.some(([start, end]) => start <= row && row < end));
    assert.deepEqual(found, apart);
  }), { numRuns: 300 });
});

test('spans take rows of one block, and no more than they may', () => {
  const spans = new Spans();
  spans.add(10, 20);
  assert.ok(spans.fits(20, 30, 20));
  assert.ok(!spans.fits(20, 30, 19));
  spans.add(20, 30);
  assert.deepEqual([spans.rows, spans.window().from, spans.window().to], [20, 10, 30]);
  assert.ok(!spans.fits(BLOCK_ROWS, BLOCK_ROWS + 1, BLOCK_ROWS));
  spans.clear();
  assert.ok(spans.fits(BLOCK_ROWS, 2 * BLOCK_ROWS, BLOCK_ROWS), 'an empty one takes any rows');
  assert.equal(windowEnd(BLOCK_ROWS - 1, 2 * BLOCK_ROWS, BLOCK_ROWS), BLOCK_ROWS);
});

test('how many matches to expect is told by lists, presences and some numbers', async () => {
  const rows = Array.from({ length: 8_000 }, (_, at) => fullRow('contacts', {
    id: `test:${at}`, country: at % 2 === 0 ? 'US' : 'DE', email: at % 4 < 3 ? `p${at}@x.com` : null, industry: `Industry ${Math.floor(at / 2) % 10}`,
    updated_at: new Date(86_400_000 * (Math.floor(at / 20) % 100)).toISOString(),
  }));
  const { segment: even } = await segmentOf('contacts', rows);
  const expected = (...filters: Filter[]): number => expectedMatches(read(even, filters, []), even.rows);
  const country: Filter = { kind: 'terms', name: 'country', include: ['US'], exclude: [] };
  const industry: Filter = { kind: 'terms', name: 'industry', include: ['industry 1', 'industry 2'], exclude: [] };
  assert.equal(expected(), 8_000);
  assert.equal(expected(country), 4_000);
  assert.equal(expected(industry), 1_600);
  assert.equal(expected(country, industry), 800);
  assert.equal(expected({ ...industry, include: null, exclude: ['industry 1'] }), 7_200);
  assert.equal(expected({ kind: 'presence', name: 'has_email', present: true, absent: false }), 6_000);
  const dates = expected({ kind: 'intervals', name: 'updated_at', include: [[0, 86_400_000 * 49]], exclude: [] });
  assert.ok(dates > 2_000 && dates < 6_000, `${dates} of 4,000`);
});
