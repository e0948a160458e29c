import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ANSWER_FORMS, type AnswerForm } from '../../src/find/request/body.ts';
import { filterForm } from '../../src/find/request/filter_forms.ts';
import { lexicon } from '../../src/find/request/lexicon.ts';
import { readQuery } from '../../src/find/request/read_query.ts';
import { readJson } from '../../src/http/body/json.ts';
import { DATASETS, type Dataset } from '../../src/model/dataset.ts';
import { AppError } from '../../src/model/errors.ts';
import type { Comparison, Filter } from '../../src/model/filter.ts';
import { isObject } from '../../src/model/json.ts';
import type { Query } from '../../src/model/query.ts';
import { vocabulary } from '../../src/model/vocabulary.ts';

const VOCABULARIES = { contacts: vocabulary('contacts', [{ name: 'joined', type: 'timestamp', description: 'joined' }]), companies: vocabulary('companies') };
const LEXICONS = { contacts: lexicon(VOCABULARIES.contacts), companies: lexicon(VOCABULARIES.companies) };
const SOURCES = { contacts: new Set(['crm']), companies: new Set(['files']) };
const SPECS = [...VOCABULARIES.contacts.filters, ...VOCABULARIES.companies.filters];

const ALLOWED: ReadonlySet<string> = new Set([
  'invalid_json', 'missing_type', 'unknown_type', 'unknown_field', 'unknown_filter', 'invalid_filter_value', 'query_without_narrowing_filter',
  'invalid_query', 'invalid_limit', 'invalid_timeout', 'invalid_cursor', 'unknown_source', 'invalid_field',
]);

const scalar = fc.oneof(
  fc.constantFrom<unknown[]>('US', 'uk', 'Germany', 'vp', 'C-Suite', '1-10', 'true', 'false', true, false, null, '', ' ', '2024-02-29', '2024-02-30', '2024-01-01T10:00:00+02:00', 5, -0.5, '7', '1e999', '\0', '\ud800', '__proto__'),
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.double(),
);
const list = fc.array(scalar, { maxLength: 3 });
const value = fc.oneof(
  { weight: 3, arbitrary: scalar }, { weight: 3, arbitrary: list },
  { weight: 3, arbitrary: fc.dictionary(fc.constantFrom('include', 'exclude', 'min', 'max', '__proto__', 'x'), fc.oneof(scalar, list), { maxKeys: 3 }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
);
const filterName = fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...new Set(SPECS.map(({ name }) => name))) }, { weight: 1, arbitrary: fc.constantFrom('contry', '__proto__', 'constructor', '') });
const MEMBERS: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  query: fc.oneof(fc.string({ maxLength: 12 }), fc.constantFrom('vp "head of', '-a-b', '-a-b*', '*', 'x'.repeat(300)), scalar),
  filters: fc.oneof({ weight: 9, arbitrary: fc.dictionary(filterName, value, { maxKeys: 3 }) }, { weight: 1, arbitrary: value }),
  limit: fc.oneof(fc.integer({ min: -1, max: 1_001 }), scalar),
  cursor: scalar,
  fields: fc.oneof(fc.array(fc.constantFrom('email', 'id', 'domain', '__proto__')), value),
  sources: fc.oneof(fc.record({ only: fc.array(fc.constantFrom('crm', 'files', 'x')), ignore: list }, { requiredKeys: [] }), value),
  timeout_ms: fc.oneof(fc.integer({ min: 9, max: 30_001 }), scalar),
  dedupe: scalar, count: fc.oneof(fc.constantFrom('exact', 'none'), scalar), facets: fc.oneof(fc.array(filterName, { maxLength: 7 }), value), strict: scalar, client_ref: scalar,
  ['__proto__']: value, constructor: value, unknown: value,
};
const type = fc.oneof({ weight: 9, arbitrary: fc.constantFrom('contacts', 'companies') }, { weight: 1, arbitrary: scalar });
/** Bodies as a caller might write them, right or wrong, as JSON text: names that are the prototype's stay members. */
const bodyText: fc.Arbitrary<string> = fc
  .tuple(fc.option(type, { freq: 20 }), fc.subarray(Object.keys(MEMBERS), { maxLength: 4 }).chain((names) => fc.tuple(...names.map((name) => MEMBERS[name]!.map((each) => [name, each] as const)))))
  .map(([kind, members]) => `{${[...(kind === null ? [] : [['type', kind] as const]), ...members].map(([name, each]) => `${JSON.stringify(name)}:${JSON.stringify(each) ?? 'null'}`).join()}}`);

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The query, or the refusal that the contract allows; anything else fails. */
function outcome(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    assert.ok(error instanceof AppError, String(error));
    assert.ok(ALLOWED.has(error.code), error.code);
    return error;
  }
}

test('any body is a query or a refusal of the contract, and the example of a refusal works', () => {
  const refusals = new Set<string>();
  let queries = 0;
  fc.assert(fc.property(fc.oneof({ weight: 9, arbitrary: bodyText }, { weight: 1, arbitrary: fc.json() }), fc.constantFrom(...ANSWER_FORMS), (text, form) => {
    const found = outcome(() => readQuery(readJson(bytesOf(text), { type: 'contacts' }), form, LEXICONS, SOURCES));
    if (found instanceof AppError) {
      refusals.add(found.code);
      assert.ok(readQuery(readJson(bytesOf(JSON.stringify(found.example))), form, LEXICONS, SOURCES));
    } else queries += 1;
  }), { numRuns: 6_000 });
  assert.ok(queries > 500, `${queries} queries`);
  assert.ok(refusals.size >= 12, [...refusals].join());
});

/** Of each dataset, mostly in forms that can be read. */
const ordinaryFilters = (dataset: Dataset): fc.Arbitrary<object> => {
  const texts = (...given: string[]): fc.Arbitrary<unknown> => fc.oneof(
    fc.constantFrom(...given), fc.array(fc.constantFrom(...given), { minLength: 1, maxLength: 12 }),
    fc.record({ exclude: fc.array(fc.constantFrom(...given), { minLength: 1, maxLength: 3 }) }),
  );
  const FOLDED = texts('Berlin', 'BERLIN ', 'München', 'ﬃ', 'x'.repeat(65), 'Łódź', 'a, b', "o'b", '5', 'é'.repeat(64));
  const DOMAINS = texts('acme.com', 'Jo@ACME.com', 'münchen.de', 'jo@MÜNCHEN.de', 'xn--mnchen-3ya.de', 'ü/b', 'é'.repeat(64));
  const FORMS: Readonly<Record<Comparison, fc.Arbitrary<unknown>>> = {
    country: texts('US', 'us', ' De', 'UK', 'GB'), folded: FOLDED, lower: FOLDED, domain: DOMAINS, email: DOMAINS, enum: texts('1-10', ' 1-10'),
    number: fc.nat(), date: fc.constantFrom('2024-01-31', { min: '2024-01-31' }),
    presence: fc.constantFrom<unknown[]>(true, ['true'], ['TRUE'], 'false', ['true', 'false'], { exclude: [true] }),
  };
  const names = VOCABULARIES[dataset].filters.filter(({ values }) => values === undefined || values.includes('1-10'));
  return fc.subarray(names, { maxLength: 6 })
    .chain((specs) => fc.tuple(...specs.map((spec) => fc.oneof({ weight: 30, arbitrary: FORMS[spec.compares] }, { weight: 1, arbitrary: value }).map((each) => [spec.name, each] as const))))
    .chain((members) => fc.shuffledSubarray(members, { minLength: members.length }))
    .map((members) => Object.fromEntries(members));
};

const NO_FIELDS = ['id', [5], ['x'], ['id,source'], Array.from({ length: 1_001 }, () => 'id')];

test('an ordinary body is taken and read as the schema takes it, values that were seen before as they are the first time, filters in any order', () => {
  const now = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: one });
  const body = fc.constantFrom(...DATASETS).chain((dataset) => fc.record({
    type: fc.constant(dataset), filters: fc.oneof({ weight: 30, arbitrary: ordinaryFilters(dataset) }, { weight: 1, arbitrary: value }),
    limit: now(fc.oneof(fc.integer({ min: 0, max: 1_001 }), fc.constantFrom(1, 1_000, 10_000, 10_001, 2 ** 53, 1.5, '5', null))),
    timeout_ms: now(fc.oneof(fc.integer({ min: 9, max: 30_001 }), fc.constantFrom(9, 10, 30_000, 3_600_000, '5'))), cursor: now(fc.constantFrom('x', '', 'x'.repeat(65_536), 'x'.repeat(65_537), 5)),
    fields: now(fc.oneof({ weight: 9, arbitrary: fc.subarray(VOCABULARIES[dataset].fields.map(({ name }) => name)) }, { weight: 1, arbitrary: fc.constantFrom(...NO_FIELDS) })),
    count: now(fc.constantFrom('exact', 'none', 'most', null)), dedupe: now(fc.constantFrom(true, false, 'true', 1)),
  }));
  const read = (asked: object, form: AnswerForm, lexicons = LEXICONS): unknown => outcome(() => readQuery(readJson(bytesOf(JSON.stringify(asked))), form, lexicons, SOURCES));
  let queries = 0;
  fc.assert(fc.property(body, fc.constantFrom(...ANSWER_FORMS), (asked, form) => {
    const found = read(asked, form);
    const schema = read({ ...asked, client_ref: 'x' }, form, { contacts: lexicon(VOCABULARIES.contacts), companies: lexicon(VOCABULARIES.companies) });
    if (found instanceof AppError) {
      assert.ok(schema instanceof AppError);
      assert.deepEqual([schema.code, schema.message, schema.example], [found.code, found.message, found.example]);
      return;
    }
    queries += 1;
    assert.deepEqual(schema, { ...(found as Query), clientRef: 'x' });
    if (isObject(asked.filters)) assert.deepEqual(read({ ...asked, filters: Object.fromEntries(Object.entries(asked.filters).reverse()) }, form), found);
  }), { numRuns: 3_000 });
  assert.ok(queries > 500 && queries < 2_900, `${queries} queries`);
});

/** A normalised filter as a caller could write it. */
function rewritten(filter: Filter): unknown {
  const dated = filter.name === 'updated_at' || filter.name === 'joined';
  const side = (bound: number): unknown => {
    if (!Number.isFinite(bound)) return undefined;
    return dated ? new Date(bound).toISOString() : bound;
  };
  switch (filter.kind) {
    case 'terms': return { include: filter.include ?? undefined, exclude: filter.exclude.length === 0 ? undefined : filter.exclude };
    case 'presence': return [...(filter.present ? ['true'] : []), ...(filter.absent ? ['false'] : [])];
    case 'intervals': return filter.include?.length === 1 && filter.exclude.length === 0 ? { min: side(filter.include[0]![0]), max: side(filter.include[0]![1]) } : null;
    default: return filter satisfies never;
  }
}

test('a normalised filter is read as itself', () => {
  let seen = 0;
  fc.assert(fc.property(fc.constantFrom(...DATASETS), fc.dictionary(filterName, value, { minKeys: 1, maxKeys: 2 }), (dataset: Dataset, filters) => {
    const read = (asked: object): readonly Filter[] => readQuery(JSON.parse(JSON.stringify({ type: dataset, filters: asked })), 'page', LEXICONS, SOURCES).filters;
    const once = outcome(() => read(filters));
    if (once instanceof AppError) return;
    for (const filter of once as readonly Filter[]) {
      const again = rewritten(filter);
      if (again === null || (Array.isArray(again) && again.length === 0)) continue;
      assert.deepEqual(read({ [filter.name]: again }), [filter]);
      seen += 1;
    }
  }), { numRuns: 4_000 });
  assert.ok(seen > 100, `${seen} filters`);
});

test('what the documented form of a filter allows is read', () => {
  let seen = 0;
  fc.assert(fc.property(fc.constantFrom(...DATASETS), fc.nat(), value, (dataset, pick, raw) => {
    const { filters } = VOCABULARIES[dataset];
    const spec = filters[pick % filters.length]!;
    const asked: unknown = JSON.parse(JSON.stringify({ value: raw })).value;
    if (!filterForm(spec).safeParse(asked).success) return;
    seen += 1;
    const found = outcome(() => readQuery({ type: dataset, filters: { [spec.name]: asked } }, 'page', LEXICONS, SOURCES));
    if (found instanceof AppError) assert.match(found.message, /NUL|not an ISO 3166-1|min above its max/, JSON.stringify([spec.name, asked]));
  }), { numRuns: 4_000 });
  assert.ok(seen > 400, `${seen} values`);
});
