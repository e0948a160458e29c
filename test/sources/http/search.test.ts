import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { lexicon } from '../../../src/find/request/lexicon.ts';
import { readQuery } from '../../../src/find/request/read_query.ts';
import { parseText } from '../../../src/find/request/text.ts';
import { isWellFormed } from '../../../src/lib/well_formed.ts';
import { comparable } from '../../../src/model/compare.ts';
import { vocabulary } from '../../../src/model/vocabulary.ts';
import { askedOf, type Target } from '../../../src/sources/http/search.ts';
import { HOSTILE } from '../../contract/sources/people.ts';

const WORDS = vocabulary('contacts');
const LEXICONS = { contacts: lexicon(WORDS), companies: lexicon(vocabulary('companies')) };
const NO_SOURCES = { contacts: new Set<string>(), companies: new Set<string>() };
const TARGET: Target = { source: 'p', specs: new Map(WORDS.filters.map((spec) => [spec.name, spec])), takes: () => true, searches: true, lacks: () => false, isGateway: false };

const read = (body: object) => readQuery({ type: 'contacts', ...body }, 'stream', LEXICONS, NO_SOURCES);

test('what is asked of a gateway is read there as the very search that was asked here', () => {
  const text = fc.oneof(fc.constantFrom(...HOSTILE, 'São Paulo', 'ﬁne', 'Straße'), fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }))
    .filter((one) => comparable('folded', one) !== '' && !one.includes('\0') && isWellFormed(one));
  const texts = fc.record({
    include: fc.array(text, { minLength: 1, maxLength: 4 }),
    exclude: fc.option(fc.array(text, { minLength: 1, maxLength: 3 }), { nil: undefined }),
  }, { requiredKeys: ['include'] });
  const date = fc.constantFrom('2024-01-31', '1999-12-31T23:59:59.999Z', '2024-01-31T09:30:00+02:00');
  const filters = fc.record({
    city: texts, job_title: texts, email: texts,
    country: fc.constantFrom(['US', 'uk'], 'DE', { include: ['FR'], exclude: ['DE'] }), seniority: fc.constantFrom('C-Suite', ['vp', 'Head']),
    updated_at: fc.oneof(fc.record({ min: date }), fc.record({ max: date }), date), has_email: fc.boolean(), id: fc.constantFrom('p:crm:7', ['p:x', 'q:x']),
  }, { requiredKeys: ['country'] });
  fc.assert(fc.property(filters, fc.option(text, { nil: undefined }), (given, query) => {
    const parsed = query === undefined ? [] : parseText(query);
    fc.pre(typeof parsed !== 'string');
    const search = read({ filters: JSON.parse(JSON.stringify(given)), ...(query !== undefined && { query }) });
    const asked = askedOf(search, TARGET)!;
    if (!asked.exact) return;
    const again = read(asked.body);
    assert.deepEqual(again.terms, search.terms);
    const theirs = search.filters.map((filter) => (filter.kind === 'terms' && filter.name === 'id'
      ? { ...filter, include: filter.include!.filter((id) => id.startsWith('p:')).map((id) => id.slice(2)) } : filter));
    assert.deepEqual(again.filters.toSorted(byName), theirs.toSorted(byName));
  }), { numRuns: 400 });
});

const byName = (a: { readonly name: string }, b: { readonly name: string }): number => (a.name < b.name ? -1 : 1);

test('what no row can match is not asked at all, and what cannot be said is left to the test of the rows', () => {
  const terms = (name: string, include: string[] | null, exclude: string[] = []) => ({ kind: 'terms' as const, name, include, exclude });
  assert.equal(askedOf({ filters: [terms('id', ['other:7'])], terms: [] }, TARGET), null);
  assert.equal(askedOf({ filters: [terms('city', ['a\0'])], terms: [] }, TARGET), null);
  assert.equal(askedOf({ filters: [terms('city', ['berlin'])], terms: [] }, { ...TARGET, takes: () => false, lacks: () => true }), null);
  assert.deepEqual(askedOf({ filters: [terms('city', null, ['berlin'])], terms: [] }, { ...TARGET, takes: () => false, lacks: () => true }), { body: {}, exact: true });
  assert.deepEqual(askedOf({ filters: [terms('city', ['berlin'])], terms: [] }, { ...TARGET, takes: () => false }), { body: {}, exact: false });
  // Two stretches go as the one around both.
  const days = { kind: 'intervals' as const, name: 'updated_at', include: [[0, 10], [100, 110]] as const, exclude: [] };
  assert.deepEqual(askedOf({ filters: [days], terms: [] }, TARGET), { body: { filters: { updated_at: { min: '1970-01-01T00:00:00.000Z', max: '1970-01-01T00:00:00.110Z' } } }, exact: false });
  // A query must have something narrow beside it.
  const word = { kind: 'word' as const, words: ['vp'], negated: false };
  assert.deepEqual(askedOf({ filters: [], terms: [word] }, TARGET), { body: {}, exact: false });
});

test('a domain with letters beyond ASCII is asked for in both spellings, and not at all where those are too many', () => {
  const terms = (name: string, include: string[] | null, exclude: string[] = []) => ({ kind: 'terms' as const, name, include, exclude });
  assert.deepEqual(askedOf({ filters: [terms('email_domain', ['xn--mnchen-3ya.de', 'acme.com'])], terms: [] }, TARGET),
    { body: { filters: { email_domain: { include: ['xn--mnchen-3ya.de', 'münchen.de', 'acme.com'] } } }, exact: true });
  assert.deepEqual(askedOf({ filters: [terms('email', null, ['jo@xn--mnchen-3ya.de'])], terms: [] }, TARGET),
    { body: { filters: { email: { exclude: ['jo@xn--mnchen-3ya.de', 'jo@münchen.de'] } } }, exact: true });
  const many = Array.from({ length: 600 }, (_, at) => `${at}.xn--mnchen-3ya.de`);
  assert.deepEqual(askedOf({ filters: [terms('email_domain', many)], terms: [] }, TARGET), { body: {}, exact: false });
});

test('as many values as a caller may give are asked of a gateway, which adds the forms of them by itself', () => {
  const gateway = { ...TARGET, isGateway: true };
  const given = {
    linkedin_url: Array.from({ length: 1_000 }, (_, at) => `http://linkedin.com/in/${at % 2 ? 'jo' : 'jos\u00e9'}-${at}?utm=1`),
    company_domain: Array.from({ length: 1_000 }, (_, at) => (at < 2 ? 'www.www.acme.com'.slice(4 * at) : `https://www.${at}.acme.com/about`)),
    email_domain: Array.from({ length: 510 }, (_, at) => `${at}.m\u00fcnchen.de`),
  };
  for (const [name, all] of Object.entries(given)) {
    for (const values of [{ include: all }, { exclude: all }, { include: all.slice(0, 300), exclude: all.slice(300) }]) {
      const search = read({ filters: { [name]: values } });
      const asked = askedOf(search, gateway)!;
      assert.ok(asked.exact, name);
      const sorted = ({ filters }: typeof search) => filters.map((filter) => (filter.kind === 'terms' ? [filter.include?.toSorted(), filter.exclude.toSorted()] : filter));
      assert.deepEqual(sorted(read(asked.body)), sorted(search), name);
      // Any other API is asked for no more values than the contract lets it take.
      const other = askedOf(search, TARGET)!;
      assert.ok(!other.exact, name);
      read(other.body);
    }
  }
});
