import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { openCursor, sealCursor, type Search } from '../../src/find/cursor.ts';
import { LIMITS } from '../../src/config/limits.ts';
import { lexicon } from '../../src/find/request/lexicon.ts';
import { readQuery } from '../../src/find/request/read_query.ts';
import { isWellFormed } from '../../src/lib/well_formed.ts';
import { MacKey } from '../../src/lib/mac.ts';
import { AppError } from '../../src/model/errors.ts';
import { vocabulary } from '../../src/model/vocabulary.ts';
import type { Position } from '../../src/plan/plan.ts';

const SECRET = new MacKey(Buffer.alloc(32, 7));
const LEXICONS = { contacts: lexicon(vocabulary('contacts')), companies: lexicon(vocabulary('companies')) };
const SOURCES = { contacts: new Set(['crm', 'partner']), companies: new Set<string>() };
const searchOf = (body: object): Search => readQuery({ type: 'contacts', ...body }, 'page', LEXICONS, SOURCES);
const SEARCH = searchOf({ query: 'vp', filters: { country: ['US'] } });
const anySearch = fc.record({
  country: fc.subarray(['US', 'DE', 'FR'], { minLength: 1 }),
  city: fc.array(
    fc.string({ minLength: 1, maxLength: 9, unit: 'binary' }).filter((text) => text.trim() !== '' && isWellFormed(text) && !text.includes('\0')),
    { minLength: 1, maxLength: 12 },
  ),
}, { noNullPrototype: true }).map((filters) => searchOf({ filters }));

const lane = fc.record({
  source: fc.constantFrom('crm', 'partner'), snapshot: fc.constantFrom('', '7', 'é8'), segment: fc.string({ maxLength: 20 }),
  after: fc.oneof(fc.constant(-1), fc.nat(), fc.integer({ min: 0, max: 2 ** 51 })), done: fc.boolean(),
}, { noNullPrototype: true });
const foreignLane = fc.record({
  source: fc.constantFrom('crm', 'partner'), snapshot: fc.constantFrom('', '7'), segment: fc.constant(''), after: fc.string({ maxLength: 60, unit: 'binary' }).filter(isWellFormed), done: fc.boolean(),
}, { noNullPrototype: true });
const state: fc.Arbitrary<Position> = fc.record({ order: fc.constantFrom('stored', 'identity'), lanes: fc.array(fc.oneof(lane, foreignLane), { maxLength: 20 }) }, { noNullPrototype: true });
const EXAMPLE: Position = { order: 'identity', lanes: [{ source: 'crm', snapshot: '7', segment: 's1', after: 1_234, done: false }] };

const refuses = (text: string, search = SEARCH, secret = SECRET): void => {
  assert.throws(() => openCursor(secret, text, search), (error) => error instanceof AppError && error.code === 'invalid_cursor');
};

test('a cursor gives back the place it was cut at', () => {
  fc.assert(fc.property(state, anySearch, (place, search) => {
    const cursor = sealCursor(SECRET, search, place);
    assert.match(cursor, /^[\w-]{1,65536}$/);
    assert.deepEqual(openCursor(SECRET, cursor, search), place);
  }));
});

test('the longest places of as many sources as there may be fit a cursor; what does not is the caller\'s to narrow', () => {
  const lanes = (count: number): Position['lanes'] => Array.from({ length: count }, (_, at) =>
    ({ source: `${at}`.padEnd(64, 'x'), snapshot: '1', segment: '', after: 'k'.repeat(LIMITS.foreignKeyBytesMax), done: false }));
  const longest: Position = { order: 'identity', lanes: lanes(LIMITS.sourcesMax) };
  assert.deepEqual(openCursor(SECRET, sealCursor(SECRET, SEARCH, longest), SEARCH), longest);
  assert.throws(() => sealCursor(SECRET, SEARCH, { ...longest, lanes: lanes(3 * LIMITS.sourcesMax) }), (error) => error instanceof AppError && error.code === 'invalid_field');
});

test('a tampered cursor is invalid_cursor, whichever character was touched', () => {
  const cursor = sealCursor(SECRET, SEARCH, EXAMPLE);
  for (let at = 0; at < cursor.length; at++) refuses(`${cursor.slice(0, at)}${cursor[at] === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`);
  for (const text of ['', 'x', `${cursor}A`, `${cursor}=`, ` ${cursor}`, cursor.slice(0, -1), cursor.slice(4), 'A'.repeat(5_000)]) refuses(text);
});

test('a cursor of another search, or of another service, is invalid_cursor', () => {
  const cursor = sealCursor(SECRET, SEARCH, EXAMPLE);
  refuses(cursor, searchOf({ query: 'vp', filters: { country: ['UG'] } }));
  refuses(cursor, SEARCH, new MacKey(Buffer.alloc(32, 8)));
});

test('what decides the rows is in the fingerprint, in any order and spelling; what does not is left out', () => {
  const base = { query: 'vp eng*', filters: { country: ['US', 'DE'], city: ['München'] } };
  const same = [
    { query: 'ENG* vp', filters: { city: 'munchen', country: ['de', 'us'] } },
    { ...base, limit: 7, fields: ['email'], timeout_ms: 50, count: 'none', facets: ['city'], client_ref: 'x', cursor: 'y' },
  ];
  const cursorOf = (body: object): string => sealCursor(SECRET, searchOf(body), EXAMPLE);
  for (const body of same) assert.equal(cursorOf(body), cursorOf(base));
  const others = [
    { ...base, query: 'vp eng' }, { ...base, query: 'vp -eng*' }, { ...base, filters: { country: ['US'] } }, { ...base, dedupe: false }, { ...base, strict: true },
    { ...base, sources: { only: ['crm'] } }, { ...base, sources: { ignore: ['crm'] } }, { ...base, filters: { ...base.filters, has_email: true } },
    { ...base, filters: { ...base.filters, updated_at: { min: '2024-01-01' } } }, { ...base, filters: { ...base.filters, updated_at: { max: '2024-01-01' } } },
  ];
  assert.equal(new Set([base, ...others].map(cursorOf)).size, others.length + 1);
});

/** As they are in callers' hands: a cursor outlives the release that cut it. */
const CUT_BEFORE: readonly (readonly [body: object, cursor: string])[] = [
  [{}, 'mrElA7MPSG6YrKwC5d2QbAEBA2NybQE3AgJzMaYTA8OpMQEHcGFydG5lcgAAAWsA'],
  [{
    query: 'vp "head of" -int*', filters: { country: ['US', 'DE'], city: ['München', 'a, b'], has_email: true, updated_at: { min: '2024-01-01' } },
    sources: { only: ['partner', 'crm'] }, dedupe: false, strict: true,
  }, 'q1hpDOdVZ-7pDkPZ-zqoOgEBA2NybQE3AgJzMaYTA8OpMQEHcGFydG5lcgAAAWsA'],
  [{ type: 'companies', filters: { name: { exclude: ['Straße'] } }, sources: { ignore: [] } }, 'FbwiBJMarwSqhsfGv6BirQEBA2NybQE3AgJzMaYTA8OpMQEHcGFydG5lcgAAAWsA'],
  [{ filters: { city: Array.from({ length: 999 }, (_, nth) => `Bad Nr. ${nth}`) } }, '-M_QcUsj0Hkg2_9FXnDKrAEBA2NybQE3AgJzMaYTA8OpMQEHcGFydG5lcgAAAWsA'],
];

test('a cursor that was cut before is cut alike today, and opens', () => {
  const place: Position = {
    order: 'identity',
    lanes: [
      { source: 'crm', snapshot: '7', segment: 's1', after: 1_234, done: false }, { source: 'crm', snapshot: '7', segment: 'é1', after: -1, done: true },
      { source: 'partner', snapshot: '', segment: '', after: 'k', done: false },
    ],
  };
  for (const [body, cursor] of CUT_BEFORE) {
    assert.equal(sealCursor(SECRET, searchOf(body), place), cursor);
    assert.deepEqual(openCursor(SECRET, cursor, searchOf(body)), place);
  }
});
