import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { matches } from '../../../src/filter/matches.ts';
import type { Row } from '../../../src/model/field.ts';
import type { Filter } from '../../../src/model/filter.ts';
import type { Term } from '../../../src/model/query.ts';
import { PAIR_VALUES_COMMON } from '../../../src/segment/layout.ts';
import { Dead, type ScanTarget } from '../../../src/worker/scan/target.ts';
import { fullRow, segmentOf } from '../../segment/support.ts';
import { scanned, taken, targetOf } from './support.ts';

/** More titles than a pair of words may be in without a list of its own. */
const TITLES = PAIR_VALUES_COMMON + 40;
/** The first row of the US lies beyond the first block. */
const COUNTRIES = ['BR', 'DE', 'DE', 'DE', 'DE', 'DE', 'DE', 'US', 'US', null];
const NAMES = ['Vice President', 'Vïce  Président', 'Ann Lee', 'Lee Ann Lee', 'President Vice', 'Σίσυφος Lee', 'Sales Sales', null];
const SKILLS = [['vice', 'president'], ['vice president', 'sales'], ['Data Sales', 'sales data'], ['sales', 'sales of'], null];
const OTHERS = ['Of Vice', 'President and Vice', 'President', 'sales sales president', 'Présidente', 'Łódź office'];
const KINDS = 1_200;
const ROWS = 100_000;

/** Every shape of row comes often enough to lie in every block: what holds for one of its kind holds for all. */
function kind(at: number): Row {
  const title = at % 3 === 0 ? OTHERS[(at / 3) % OTHERS.length]! : `Vice President of ${at % TITLES === 5 ? 'vice president' : `s${at % TITLES}`}`;
  return fullRow('contacts', {
    job_title: at % 11 === 0 ? null : title, company_name: ['President Ltd', 'Of Sales', 'Ann & Lee', null][at % 4]!, city: `Sea ${at % 40}`,
    full_name: NAMES[at % NAMES.length]!, skills: SKILLS[at % SKILLS.length]!, country: COUNTRIES[Math.floor(at / 7) % COUNTRIES.length]!, email: at % 4 === 0 ? null : 'a@x.com',
  });
}

const KIND = Array.from({ length: KINDS }, (_, at) => kind(at));
const { segment, stored } = await segmentOf('contacts', Array.from({ length: ROWS }, (_, at) => ({ ...KIND[at % KINDS]!, id: `test:${at}` })));
const kindOf = stored.map(({ id }) => Number(String(id).slice(5)) % KINDS);

function dead(every: number): Dead {
  const bits = new Uint8Array(new SharedArrayBuffer(Math.ceil(ROWS / 8)));
  for (let row = 0; row < ROWS; row += every) bits[row >>> 3]! |= 1 << (row & 7);
  return new Dead(bits.buffer, ROWS);
}
const targets: readonly { readonly target: ScanTarget; readonly lives: (row: number) => boolean }[] = [
  { target: targetOf(segment), lives: () => true },
  { target: targetOf(segment, dead(3)), lives: (row) => row % 3 !== 0 },
  { target: targetOf(segment, dead(90)), lives: (row) => row % 90 !== 0 },
];

/** Total and two pages against the plain loop. */
function check(filters: readonly Filter[], terms: readonly Term[], { target, lives } = targets[0]!): void {
  const isMatch = matches(filters, terms, segment.vocabulary);
  const kinds = KIND.map((row) => isMatch(row));
  const expected = stored.filter((_, row) => kinds[kindOf[row]!] && lives(row)).map(({ id }) => id);
  const first = scanned(target, { filters, terms, rowsMax: 30, count: true });
  assert.equal(first.matched, expected.length);
  const second = scanned(target, { filters, terms, rowsMax: 30, after: first.after });
  const found = [...taken(segment, first), ...taken(segment, second)].map(({ row }) => row.id);
  assert.deepEqual(found, expected.slice(0, 60));
}

const country = (...include: string[]): Filter => ({ kind: 'terms', name: 'country', include, exclude: [] });
const term = (kind: Term['kind'], text: string, negated = false): Term => ({ kind, words: text.split(' '), negated });
const HAS_EMAIL: Filter = { kind: 'presence', name: 'has_email', present: true, absent: false };
const PHRASES = ['vice president', 'president of', 'president vice', 'of vice', 'sales sales', 'data sales', 'ann lee', 'lee ann', 'vice president of', 'of vice president', 'president of vice', 'president of vice president',
  'vice president ltd', 'sea 7', 'president sales', 'absent president', 'vice vice', 'σισυφοσ lee', 'łodz office'];

test('a phrase is found in one text alone, whether the rows of its words are listed, joined or read', () => {
  for (const phrase of PHRASES) for (const negated of [false, true]) check([country('DE')], [term('phrase', phrase, negated)]);
  const pair = ['vice', 'president'].map((word) => segment.words.dictionary.find(word));
  assert.ok(segment.words.pairs.rowsOf(segment.words.pairs.find(pair[0]!, pair[1]!)) !== null, 'the commonest pair has a list');
  const rare = ['data', 'sales'].map((word) => segment.words.dictionary.find(word));
  assert.equal(segment.words.pairs.rowsOf(segment.words.pairs.find(rare[0]!, rare[1]!)), null);
});

test('a prefix of a letter, of many words and of none gives what a plain loop gives', () => {
  for (const prefix of ['s', 'v', 'p', 'pr', 's1', 's29', 'l', 'σ', 'ł', 'lodz', 'x', 'sal']) for (const negated of [false, true]) check([country('US')], [term('prefix', prefix, negated)]);
});

test('words, prefixes and phrases in any countries, with other filters, negated and among dead rows, give what a plain loop gives', () => {
  const word = fc.constantFrom('vice', 'president', 'sales', 'of', 'lee', 'ann', 's5', 's77', 'sea', '7', 'absent').map((text) => ({ kind: 'word' as const, words: [text] }));
  const prefix = fc.constantFrom('s', 's1', 'pre', 'v', 'l', 'o', 'zz').map((text) => ({ kind: 'prefix' as const, words: [text] }));
  const phrase = fc.constantFrom(...PHRASES).map((text) => ({ kind: 'phrase' as const, words: text.split(' ') }));
  const terms = fc.array(fc.tuple(fc.oneof(word, prefix, phrase), fc.nat(3)).map(([one, chance]): Term => ({ ...one, negated: chance === 0 })), { minLength: 1, maxLength: 3 });
  const countries = fc.constantFrom<Filter[]>([], [country('US')], [country('DE')], [country('BR', 'US')], [country('FR')], [{ kind: 'terms', name: 'country', include: null, exclude: ['DE'] }]);
  const others = fc.subarray([HAS_EMAIL, { kind: 'terms', name: 'city', include: ['sea 1', 'sea 2'], exclude: [] } satisfies Filter]);
  fc.assert(fc.property(countries, others, terms, fc.nat(targets.length - 1), (where, which, asked, of) => check([...where, ...which], asked, targets[of]!)), { numRuns: 120 });
});

test('a prefix of many words counts no rows beyond the last, where one of the words is in every row', async () => {
  for (const rows of [300, 1_001, 9_001]) {
    const { segment: small } = await segmentOf('contacts', Array.from({ length: rows }, (_, at) => fullRow('contacts', { id: `test:${at}`, country: 'US', job_title: `sea sea${'abcdefghijkl'[at % 12]}` })));
    for (const one of [targetOf(small), targetOf(small, new Dead(new SharedArrayBuffer(Math.ceil(rows / 8)), rows))]) {
      assert.equal(scanned(one, { filters: [country('US')], terms: [term('prefix', 'sea')], rowsMax: 5, count: true }).matched, rows);
    }
  }
});
