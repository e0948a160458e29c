import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import fc from 'fast-check';
import { LIMITS } from '../../../src/config/limits.ts';
import { matches } from '../../../src/filter/matches.ts';
import { fold, words } from '../../../src/lib/fold.ts';
import { comparable, filteredText } from '../../../src/model/compare.ts';
import { countryCode } from '../../../src/model/country.ts';
import type { Row } from '../../../src/model/field.ts';
import type { Filter, FilterSpec, Interval } from '../../../src/model/filter.ts';
import { IDENTITY_FIELDS } from '../../../src/model/identity.ts';
import type { Term } from '../../../src/model/query.ts';
import { vocabulary } from '../../../src/model/vocabulary.ts';
import type { ForeignSource, FoundRow, Place, RowsRequest, Search } from '../../../src/sources/source.ts';
import { Passed } from '../../../src/worker/foreign/passed.ts';
import { readRow } from '../../../src/worker/foreign/read_row.ts';
import { plainFacet } from '../../worker/scan/support.ts';
import { EXTRAS, fieldTexts, HOSTILE } from './people.ts';

export const WORDS = vocabulary('contacts', EXTRAS);
const NEVER = new AbortController().signal;

/** A source over `people()`, whose key column is mapped to `id` and `score` to `lead_score`. */
export type Hosted = { readonly source: ForeignSource; readonly name: string; close(): Promise<void> };

const NOTHING: Search = { filters: [], terms: [] };

async function scan({ source }: Hosted, change: Partial<RowsRequest>): Promise<FoundRow[]> {
  const rows: FoundRow[] = [];
  for await (const batch of source.rows({ ...NOTHING, order: 'stored', from: null, fields: null, rowsWanted: null, ...change }, NEVER)) rows.push(...batch);
  return rows;
}

/** Page by page, as a walk by cursor does it. */
async function walk(hosted: Hosted, change: Partial<RowsRequest>, pageRows: number): Promise<FoundRow[]> {
  const walked: FoundRow[] = [];
  for (let from: Place | null = null; ;) {
    const passed = new Passed(from);
    const page: { row: FoundRow; seen: number }[] = [];
    const found = hosted.source.rows({ ...NOTHING, order: 'stored', fields: null, rowsWanted: pageRows, ...change, from }, NEVER);
    for await (const batch of found) {
      for (const row of batch) {
        const seen = passed.count(row);
        if (seen !== null && page.length < pageRows) page.push({ row, seen });
      }
      if (page.length === pageRows) break;
    }
    walked.push(...page.map(({ row }) => row));
    if (page.length < pageRows) return walked;
    const { row, seen } = page.at(-1)!;
    from = { phase: row.phase, key: row.key, seen };
  }
}

const parse = ({ json }: Pick<FoundRow, 'json'>): Row => readRow(json);
const idOf = (row: Pick<FoundRow, 'json'>): string => String(parse(row)['id']);
const ids = (rows: readonly FoundRow[]): string[] => rows.map(idOf).toSorted();

/** Searches over what the rows hold, and over what no row should be able to say. */
function searches(rows: readonly Row[]): fc.Arbitrary<Search> {
  const textsOf = (spec: FilterSpec): fc.Arbitrary<string> => {
    const held = fieldTexts(rows, spec.field).map((text) => filteredText(spec, text)).filter((text) => text !== null);
    const drawn = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...held, ...HOSTILE, 'x') }, { weight: 1, arbitrary: fc.string({ minLength: 1, unit: 'binary' }) });
    // A blank is refused before any source is asked.
    return drawn.map((text) => comparable(spec.compares, text)).filter((text) => text !== '');
  };
  const terms = (spec: FilterSpec): fc.Arbitrary<Filter> => fc.record({
    kind: fc.constant('terms' as const), name: fc.constant(spec.name),
    include: fc.option(fc.array(textsOf(spec), { minLength: 1, maxLength: 4 }), { nil: null }), exclude: fc.array(textsOf(spec), { maxLength: 2 }),
  });
  const moment = fc.constantFrom(...rows.map((row) => Date.parse(String(row['updated_at']))).filter((ms) => !Number.isNaN(ms)), 0, Infinity, -Infinity, 8.64e15, -8.64e15);
  const numberOf = (spec: FilterSpec): fc.Arbitrary<number> => (
    spec.compares === 'date' ? moment : fc.oneof(fc.integer({ min: -1, max: 101 }), fc.double({ min: 0, max: 100 }), fc.constantFrom(Infinity, -Infinity))
  );
  const intervals = (spec: FilterSpec): fc.Arbitrary<Filter> => {
    const interval = fc.tuple(numberOf(spec), numberOf(spec)).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
    return fc.record({
      kind: fc.constant('intervals' as const), name: fc.constant(spec.name),
      include: fc.option(fc.array(interval, { minLength: 1, maxLength: 2 }), { nil: null }), exclude: fc.array(interval, { maxLength: 2 }),
    });
  };
  const filterOf = (spec: FilterSpec): fc.Arbitrary<Filter> => {
    if (spec.compares === 'presence') return fc.record({ kind: fc.constant('presence' as const), name: fc.constant(spec.name), present: fc.boolean(), absent: fc.boolean() });
    return spec.compares === 'number' || spec.compares === 'date' ? intervals(spec) : terms(spec);
  };
  const spoken = [...new Set(WORDS.searchable.flatMap((field) => fieldTexts(rows, field)).flatMap((text) => words(fold(text))))];
  const word = fc.constantFrom(...spoken, 'vp', 'nobody');
  const term: fc.Arbitrary<Term> = fc.oneof(
    fc.record({ kind: fc.constantFrom('word' as const, 'prefix' as const), words: word.map((one) => [one]), negated: fc.boolean() }),
    fc.record({ kind: fc.constant('phrase' as const), words: fc.oneof(fc.constant(['vp', 'engineering']), fc.array(word, { minLength: 2, maxLength: 3 })), negated: fc.boolean() }));
  return fc.record({ filters: fc.uniqueArray(fc.constantFrom(...WORDS.filters), { maxLength: 3 }).chain((specs) => fc.tuple(...specs.map(filterOf))), terms: fc.array(term, { maxLength: 2 }) });
}

/** What every source that is no lake does, whatever engine is behind it. */
export function sourceSuite(make: () => Promise<Hosted>, { runs = 100 } = {}): void {
  let hosted: Hosted;
  let rows: Row[];
  before(async () => {
    hosted = await make();
    rows = (await scan(hosted, {})).map(parse);
  }, { timeout: 180_000 });
  after(() => hosted.close());

  it('gives rows of every field in the order of the vocabulary, nulls spelled out, with ids of its name and its own key', () => {
    const names = WORDS.fields.map(({ name }) => name);
    for (const row of rows) {
      assert.deepEqual(Object.keys(row), names);
      assert.deepEqual([row['source'], row['sources']], [hosted.name, [hosted.name]]);
      assert.match(String(row['id']), new RegExp(`^${hosted.name}:`));
    }
    assert.equal(new Set(rows.map(({ id }) => id)).size, rows.length);
  });

  it('normalises what the engine can: blanks are null, emails lower-case, countries codes, times ISO 8601', () => {
    for (const row of rows) {
      for (const value of Object.values(row)) if (typeof value === 'string') assert.equal(value, value.trim());
      const { country, email, updated_at: updated } = row;
      if (country !== null) assert.equal(countryCode(String(country)), country);
      if (email !== null) assert.doesNotMatch(String(email), /[A-Z]/);
      if (updated !== null) assert.match(String(updated), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/);
    }
    assert.ok(rows.some(({ country }) => country === 'GB') && !rows.some(({ country }) => country === 'UK'));
  });

  it('finds exactly what the exact test finds, whatever the values, and knows of which rows it cannot tell', async () => {
    await fc.assert(fc.asyncProperty(searches(rows), async (search) => {
      const test = matches(search.filters, search.terms, WORDS);
      const found = await scan(hosted, search);
      for (const row of found) if (row.sure) assert.ok(test(parse(row)), `not a match: ${row.json.toString()}`);
      assert.deepEqual(ids(found.filter((row) => test(parse(row)))), rows.filter(test).map(({ id }) => String(id)).toSorted());
    }), { numRuns: runs });
  });

  it('counts exactly, the rows it cannot tell handed over', async () => {
    await fc.assert(fc.asyncProperty(searches(rows), async (search) => {
      const test = matches(search.filters, search.terms, WORDS);
      const { sure, unsure } = await hosted.source.count(search, NEVER);
      assert.equal(sure + unsure!.filter((json) => test(readRow(json))).length, rows.filter(test).length);
    }), { numRuns: runs });
  });

  it('takes as many numbers as a filter may have', { timeout: 15_000 }, async () => {
    const numbers = Array.from({ length: LIMITS.filterValuesMax }, (_, at): Interval => [2 * at - 500, 2 * at - 500]);
    for (const [include, exclude] of [[numbers, []], [null, numbers], [[...numbers, [41, 60], [61, 70]], numbers.slice(0, 270)]] satisfies [Interval[] | null, Interval[]][]) {
      const search: Search = { filters: [{ kind: 'intervals', name: 'lead_score', include, exclude }], terms: [] };
      const expected = rows.filter(matches(search.filters, [], WORDS));
      assert.deepEqual(ids(await scan(hosted, search)), expected.map(({ id }) => String(id)).toSorted());
      assert.equal((await hosted.source.count(search, NEVER)).sure, expected.length);
    }
  });

  it('gives them in the order of identity, class by class, by the bytes of the key', async () => {
    const found = await scan(hosted, { order: 'identity' });
    assert.deepEqual(ids(found), rows.map(({ id }) => String(id)).toSorted());
    const places = found.map(({ keyClass, key }) => Buffer.concat([Buffer.from([keyClass]), Buffer.from(key)]));
    for (let i = 1; i < places.length; i += 1) assert.ok(Buffer.compare(places[i - 1]!, places[i]!) <= 0);
    for (const row of found.filter(({ keyClass }) => keyClass < 2)) {
      const value = String(parse(row)[IDENTITY_FIELDS.contacts[row.keyClass]!]);
      if (!/[^\0-\x7f]/.test(value)) assert.equal(row.key, value.toLowerCase());
    }
  });

  it('goes on from any place: no row skipped, none twice', async () => {
    for (const order of ['stored', 'identity'] as const) {
      const whole = (await scan(hosted, { order })).map(idOf);
      assert.deepEqual((await walk(hosted, { order }, 19)).map(idOf), whole);
    }
  });

  it('gives only the fields that are wanted, and always id and source', async () => {
    const [row] = await scan(hosted, { fields: ['city', 'email'] });
    assert.deepEqual(Object.keys(parse(row!)), ['id', 'source', 'email', 'city']);
  });

  it('counts the values of a facet over all matches, those of which it cannot tell too, spellings that compare alike as one', async () => {
    const terms = (name: string, include: string[] | null, exclude: string[] = []): Filter => ({ kind: 'terms', name, include, exclude });
    const searched: Search[] = [
      { filters: [terms('country', ['US', 'GB'])], terms: [] },
      { filters: [terms('city', ['berlin', 'munchen', 'lodz', '東京', 'istanbul'])], terms: [] },
      { filters: [terms('job_title', null, ['engineer']), { kind: 'presence', name: 'has_email', present: true, absent: false }], terms: [] },
      { filters: [terms('country', ['US', 'GB', 'FR'])], terms: [{ kind: 'word', words: ['vp'], negated: false }, { kind: 'word', words: ['berlin'], negated: true }] },
    ];
    for (const search of searched) {
      const found = rows.filter(matches(search.filters, search.terms, WORDS));
      assert.ok(found.length > 0, JSON.stringify(search));
      for (const name of ['city', 'country', 'job_title', 'has_email', 'email', 'email_domain']) {
        const spec = WORDS.filters.find((each) => each.name === name)!;
        const { values } = (await hosted.source.facet(name, search, NEVER))!;
        const shown = values.map(([value, count]) => [spec.compares === 'presence' ? value : comparable(spec.compares, value), count]);
        assert.deepEqual(new Map(shown as [string, number][]), plainFacet(spec, found), `${name} of ${JSON.stringify(search)}`);
      }
    }
  });

  it('describes what it holds and which filters it takes', async () => {
    const description = await hosted.source.describe(NEVER);
    const figures = await hosted.source.figures(NEVER);
    assert.equal(figures.rows, rows.length);
    assert.deepEqual(figures.countries['US'], rows.filter(({ country }) => country === 'US').length);
    assert.ok(Math.abs(figures.fill['email']! - rows.filter(({ email }) => email !== null).length / rows.length) < 1e-3);
    assert.deepEqual([description.filters['country'], description.filters['has_email'], description.filters['industry']], ['pushed', 'residual', 'unsupported']);
    assert.equal(description.trouble, null);
  });

  it('stops when the signal strikes', async () => {
    const controller = new AbortController();
    const read = (async () => {
      for await (const _ of hosted.source.rows({ ...NOTHING, order: 'identity', from: null, fields: null, rowsWanted: null }, controller.signal)) controller.abort();
    })();
    await assert.rejects(read);
    assert.equal((await scan(hosted, {})).length, rows.length);
  });
}

