import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../../../src/config/limits.ts';
import { expectedMatches } from '../../../src/filter/expected.ts';
import { Matcher } from '../../../src/filter/matcher.ts';
import { matches } from '../../../src/filter/matches.ts';
import { read } from '../../../src/filter/read.ts';
import type { Spans } from '../../../src/filter/windows.ts';
import { setBit } from '../../../src/lib/bits.ts';
import { COUNTRY_CODES } from '../../../src/model/country.ts';
import type { Row } from '../../../src/model/field.ts';
import type { Filter } from '../../../src/model/filter.ts';
import type { ScanRequest } from '../../../src/pool/protocol.ts';
import { lessDead } from '../../../src/worker/scan/count.ts';
import { rankedPage } from '../../../src/worker/scan/page.ts';
import { Dead } from '../../../src/worker/scan/target.ts';
import { fullRow, segmentOf } from '../../segment/support.ts';
import { requestOf, scanned, targetOf } from './support.ts';

const COUNTRIES = ['US', 'US', 'US', 'DE', 'DE', 'FR', null];
const TITLES = ['Engineer', 'VP Engineering', 'Head of Sales', 'Data Scientist', 'Vice President, Engineering'];
const DAY_MS = 86_400_000;
const ROWS = Array.from({ length: 70_000 }, (_, at): Row => fullRow('contacts', {
  id: `test:${at}`,
  email: at % 3 === 0 ? null : `p${(at * 7_919) % 70_000}@x${at % 50}.com`,
  country: at % 13 === 0 ? COUNTRY_CODES[at % COUNTRY_CODES.length]! : COUNTRIES[at % 7]!,
  job_title: TITLES[at % 5]!,
  industry: at % 11 === 0 ? null : `Industry ${at % 97}`,
  // One in four, and all three together.
  ...(at % 4 === 0 && { seniority: 'vp', department: 'Sales', company_size: '11-50' }),
  updated_at: at % 17 === 0 ? null : new Date(DAY_MS * (at % 400)).toISOString(),
}));
const { segment, stored } = await segmentOf('contacts', ROWS);
const target = targetOf(segment);
const NEVER = { struck: () => null, spent: () => false };

const terms = (name: string, ...include: string[]): Filter => ({ kind: 'terms', name, include, exclude: [] });
const days = (include: readonly (readonly [number, number])[] | null, ...exclude: readonly (readonly [number, number])[]): Filter => ({ kind: 'intervals', name: 'updated_at', include, exclude });
const HAS_EMAIL: Filter = { kind: 'presence', name: 'has_email', present: true, absent: false };
const HAS_NO_EMAIL: Filter = { ...HAS_EMAIL, present: false, absent: true };
const inRank = (filters: readonly Filter[]): number[] => {
  const isWanted = matches(filters, [], segment.vocabulary);
  return Array.from(segment.ranks).filter((_, row) => isWanted(stored[row]!)).sort((a, b) => a - b);
};

test('pages in the order of identity give the first matches of all countries, however many match and wherever they lie', () => {
  const searches = [[], [terms('country', 'US')], [terms('country', 'DE', 'FR', 'PT', 'NZ')], [HAS_EMAIL], [HAS_NO_EMAIL], [terms('email_domain', 'x7.com')],
    [terms('industry', 'industry 5'), HAS_NO_EMAIL], [terms('industry', 'industry 5'), terms('job_title', 'engineer'), HAS_EMAIL],
    [{ kind: 'terms', name: 'industry', include: null, exclude: Array.from({ length: 90 }, (_, at) => `industry ${at}`) }],
    [terms('id', 'test:69999')], [days([[DAY_MS * 40, DAY_MS * 41]])],
    [days(null, [DAY_MS, DAY_MS * 399]), terms('job_title', 'engineer')]] satisfies Filter[][];
  for (const filters of searches) {
    const ranks = inRank(filters);
    for (const rowsMax of [1, 26, 1_000]) {
      for (const from of [0, Math.floor(ranks.length / 2), Math.max(0, ranks.length - 30)]) {
        const after = from === 0 ? -1 : ranks[from - 1]!;
        const { table, rows, stop } = scanned(target, { filters, order: 'identity', rowsMax, after });
        assert.deepEqual(Array.from(table.subarray(2 * rows, 3 * rows)), ranks.slice(from, from + rowsMax), JSON.stringify({ filters, rowsMax, from }));
        assert.equal(stop, from + rowsMax >= ranks.length ? 'end' : 'full');
      }
    }
  }
});

function deadOf(isDead: (row: number) => boolean): Dead {
  const bits = new Int32Array(new SharedArrayBuffer(Math.ceil(segment.rows / 32) * 4));
  for (let row = 0; row < segment.rows; row++) if (isDead(row)) setBit(bits, row);
  return new Dead(bits.buffer as SharedArrayBuffer, segment.rows);
}

/** A slice, and how many rows it looked at. */
function slice(given: Partial<ScanRequest>, spent = false): { rows: number; looked: number } {
  const request = requestOf({ order: 'identity', ...given });
  const reading = read(segment, request.filters, []);
  let looked = 0;
  const matcher = new Matcher(reading);
  const counting = Object.assign(matcher, { rowsAmong: (spans: Spans) => { looked += spans.rows; return Matcher.prototype.rowsAmong.call(matcher, spans); } });
  const page = rankedPage({ segment, reading, matcher: counting, request, interrupt: { ...NEVER, spent: () => spent } });
  return { rows: page.rows.length, looked };
}

test('a page in the order of identity looks at no more rows than it is likely to need', () => {
  const { rows, looked } = slice({ filters: [terms('job_title', 'engineer')], rowsMax: 25 });
  assert.equal(rows, 25);
  // One in five is an engineer.
  assert.ok(looked < 1_000, `${looked} of ${segment.rows} rows`);
});

test('a long slice in the order of identity looks at few rows beyond those that it gives', () => {
  for (const [filters, rows] of [[[], 1], [[terms('job_title', 'engineer')], 5]] as const) {
    const page = slice({ filters, rowsMax: 10_000 });
    assert.equal(page.rows, 10_000);
    assert.ok(page.looked < 1.2 * 10_000 * rows, `${page.looked} rows, of ${JSON.stringify(filters)}`);
  }
});

test('a slice in the order of identity whose time is over keeps the others waiting for no more than some of its rows', () => {
  const { rows, looked } = slice({ rowsMax: 1_000_000 }, true);
  assert.ok(rows > 0 && looked < segment.rows / 3, `${looked} of ${segment.rows} rows`);
});

test('a few matches in many countries are all found for a page, wherever it begins, and tell their total with it', () => {
  for (const dead of [null, deadOf((row) => row % 3 === 0)]) {
    for (const filters of [[terms('industry', 'industry 5')], [terms('industry', 'industry 5', 'industry 9'), HAS_NO_EMAIL], [terms('industry', 'nothing')]] satisfies Filter[][]) {
      const isWanted = matches(filters, [], segment.vocabulary);
      const ranks = Array.from(segment.ranks).filter((_, row) => isWanted(stored[row]!) && (dead === null || row % 3 !== 0)).sort((a, b) => a - b);
      for (const from of [0, 1, ranks.length >>> 1, ranks.length - 7, ranks.length].filter((at) => at >= 0 && at <= ranks.length)) {
        const request = requestOf({ order: 'identity', filters, count: true, rowsMax: 7, after: from === 0 ? -1 : ranks[from - 1]! });
        const reading = read(segment, filters, []);
        const page = rankedPage({ segment, reading, matcher: new Matcher(lessDead(reading, dead)), request, interrupt: NEVER });
        assert.deepEqual(Array.from(page.rows, (row) => segment.ranks[row]), ranks.slice(from, from + 7));
        assert.equal(page.matched, ranks.length);
        assert.equal(scanned(targetOf(segment, dead), request).matched, ranks.length);
      }
    }
  }
});

test('a page of a few matches that is struck amid them gives none, and stays where it was', () => {
  const filters = [terms('industry', 'industry 5')];
  const request = requestOf({ order: 'identity', filters, count: true, after: 9 });
  const reading = read(segment, filters, []);
  let looks = 0;
  const interrupt = { struck: () => (looks++ === 0 ? null : 'deadline' as const), spent: () => true };
  const { rows, stop, after, matched } = rankedPage({ segment, reading, matcher: new Matcher(reading), request, interrupt });
  assert.deepEqual({ rows: rows.length, stop, after, matched }, { rows: 0, stop: 'deadline', after: 9, matched: undefined });
});

test('matches that are many, though as lists say they would be few, are looked for window by window, and the page does not tell their number', () => {
  const filters = [terms('seniority', 'vp'), terms('department', 'sales'), terms('company_size', '11-50')];
  const ranks = inRank(filters);
  assert.equal(ranks.length, 17_500);
  const request = requestOf({ order: 'identity', filters, count: true, rowsMax: 40 });
  const reading = read(segment, filters, []);
  assert.ok(expectedMatches(reading, segment.rows) < 8 * reading.ranges.length);
  const page = rankedPage({ segment, reading, matcher: new Matcher(reading), request, interrupt: NEVER });
  assert.deepEqual([Array.from(page.rows, (row) => segment.ranks[row]), page.matched], [ranks.slice(0, 40), undefined]);
  assert.equal(scanned(target, request).matched, ranks.length);
});

test('a few matches whose slice is over before all are found are looked for window by window, so that the others do not wait', () => {
  const filters = [terms('industry', 'industry 5')];
  const ranks = inRank(filters);
  const reading = read(segment, filters, []);
  const matcher = new Matcher(reading);
  let blocks = 0;
  const counting = Object.assign(matcher, { rows: (from: number, to: number) => { blocks += 1; return Matcher.prototype.rows.call(matcher, from, to); } });
  const page = rankedPage({ segment, reading, matcher: counting, request: requestOf({ order: 'identity', filters, count: true, rowsMax: 9 }), interrupt: { ...NEVER, spent: () => true } });
  assert.deepEqual([Array.from(page.rows, (row) => segment.ranks[row]), page.matched, blocks], [ranks.slice(0, 9), undefined, 1]);
});

test('matches that are few by numbers which are compared one by one are looked for window by window: all rows that the lists leave would be compared for a page', async () => {
  const inMs = (await segmentOf('contacts', ROWS.slice(0, 40_000).map((row, at) => ({ ...row, updated_at: new Date(DAY_MS * (at % 400) + at).toISOString() })))).segment;
  const ofOne = days([[DAY_MS * 398, DAY_MS * 399]]);
  const ofMany = days(Array.from({ length: LIMITS.intervalsTriedMax + 1 }, (_, at) => [DAY_MS * (384 + at), DAY_MS * (384 + at)]));
  for (const [of, filters, findsAll] of [
    [segment, [ofOne], true],
    [segment, [ofMany], false],
    [segment, [ofMany, terms('industry', 'industry 5')], true],
    [inMs, [ofOne], false],
    [inMs, [ofOne, terms('industry', 'industry 5')], true],
  ] satisfies [typeof segment, Filter[], boolean][]) {
    const reading = read(of, filters, []);
    assert.ok(expectedMatches(reading, of.rows) < 8 * reading.ranges.length);
    const page = rankedPage({ segment: of, reading, matcher: new Matcher(reading), request: requestOf({ order: 'identity', filters, count: true, rowsMax: 1 }), interrupt: NEVER });
    assert.equal(page.matched !== undefined, findsAll, JSON.stringify(filters));
  }
});

test('a few matches that need not be counted are not all found for a page', () => {
  const filters = [terms('industry', 'industry 5')];
  const reading = read(segment, filters, []);
  const page = rankedPage({ segment, reading, matcher: new Matcher(reading), request: requestOf({ order: 'identity', filters, count: false, rowsMax: 7 }), interrupt: NEVER });
  assert.deepEqual([page.rows.length, page.matched], [7, undefined]);
});
