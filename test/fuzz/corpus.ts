import fc from 'fast-check';
import { fold, words } from '../../src/lib/fold.ts';
import { comparable, filteredTexts } from '../../src/model/compare.ts';
import type { Dataset } from '../../src/model/dataset.ts';
import { SENIORITIES, type Row } from '../../src/model/field.ts';
import type { Filter, FilterSpec, Interval } from '../../src/model/filter.ts';
import type { Term } from '../../src/model/query.ts';
import { vocabulary, type ExtraField, type Vocabulary } from '../../src/model/vocabulary.ts';
import { fullRow } from '../segment/support.ts';

export const EXTRAS: readonly ExtraField[] = [
  { name: 'tags', type: 'strings', description: 'tags' },
  { name: 'tier', type: 'string', description: 'tier' },
  { name: 'score', type: 'integer', description: 'score' },
  { name: 'seen_at', type: 'timestamp', description: 'last seen' },
];

/** A dataset's words with extras that no segment has: they read as nulls there. */
export const WIDER: readonly ExtraField[] = [...EXTRAS, { name: 'never', type: 'string', description: 'in no segment' }, { name: 'nowhere', type: 'integer', description: 'in no segment' }];

/** Texts that fold, cut and escape in every way, few enough to meet again. */
const TEXTS = [
  'VP Engineering', 'vp, engineering', 'VP of Engineering', 'Engineering VP', 'Ingénieur', 'Inge\u0301nieur', 'İstanbul', 'ISTANBUL', 'ısparta', 'Straße', 'STRASSE', 'straße 5',
  'Łódź', 'Œuvre', 'ﬁnance', 'Σίσυφος', 'ΣΊΣΥΦΟΣ', 'Москва', 'МОСКВА', '東京 都', '李 雷', '😀', '😀 party', '\ud83d\ude00x', '\ue000', 'O\'Brien "Bob"', 'back\\slash', 'line\nbreak', ' padded ', '   ', '',
  'a-b_c', 'x', 'X', 'head of sales', 'Head of Sales', 'sales head', 'acme', 'ACME', 'acme inc', 'inc acme', 'the the the', '½ cup', 'C++', 'c#', '数据 工程', 'e\u0301', '\u0301', '´a', 'ｆｕｌｌ ｗｉｄｔｈ', 'long '.repeat(60),
];
const EMAILS = ['a@x.com', 'B@X.com', 'b@x.com', '"q@q"@y.org', '"say \\"hi\\""@z.net', 'no-at-sign', ' c@x.com ', 'ü@bücher.de', 'd@sub.x.com', '', ' '];
const LINKS = ['https://linkedin.com/in/a', 'https://LinkedIn.com/in/A', 'https://linkedin.com/in/b"c', '', 'x'.repeat(1_100)];
const COUNTRIES = ['US', 'US', 'US', 'DE', 'GB', 'TR', 'CN', 'ZW'];
const DATES = ['2024-01-01T00:00:00.000Z', '2024-01-01', '2023-06-30T12:00:00.500Z', '1999-12-31T23:59:59Z', 'not a date'];
const NUMBERS = [0, 1, 7, 1990, 2024, -5, 3_000_000_000];

const maybe = <T>(values: readonly T[], nulls = 1): fc.Arbitrary<T | null> =>
  fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...values) }, { weight: nulls, arbitrary: fc.constant(null) });
const list = fc.option(fc.array(fc.constantFrom(...TEXTS), { maxLength: 4 }), { freq: 4 });

function valueOf(type: string, name: string): fc.Arbitrary<Row[string]> {
  switch (name) {
    case 'country': return maybe(COUNTRIES);
    case 'email': return maybe(EMAILS);
    case 'linkedin_url': return maybe(LINKS, 2);
    case 'seniority': return maybe(SENIORITIES);
    case 'domain': return maybe(['x.com', 'X.com', 'y.org', 'bücher.de', ''], 2);
    default: return type === 'strings' ? list : type === 'integer' ? maybe(NUMBERS) : type === 'timestamp' ? maybe(DATES) : maybe(TEXTS, 2);
  }
}

/** Rows of every shape, always the same for a seed; ids are the source's own and unique. */
export function corpusOf(dataset: Dataset, seed: number, rowsMax: number): Row[] {
  const { fields } = vocabulary(dataset, EXTRAS);
  const record = Object.fromEntries(fields.filter(({ name }) => !['id', 'source', 'sources'].includes(name)).map(({ name, type }) => [name, valueOf(type, name)]));
  const [rows] = fc.sample(fc.array(fc.record(record), { maxLength: rowsMax, size: 'max' }), { numRuns: 1, seed });
  return rows!.map((row, at) => fullRow(dataset, { ...row, id: at % 7 === 0 ? `test:é${at}` : `test:${at}` }, EXTRAS));
}

/** Values of a corpus that searches are made of. */
const VALUES_MAX = 1_000;

export type Search = { readonly filters: readonly Filter[]; readonly terms: readonly Term[] };

/** Searches for what the rows hold, for what other rows hold, and for what none does. */
export function searchOf(dataset: Dataset, rows: readonly Row[]): fc.Arbitrary<Search> {
  const wider = vocabulary(dataset, WIDER);
  const one = fc.constantFrom(...wider.filters).chain((spec) => filterOf(spec, rows));
  const filters = fc.uniqueArray(one, { maxLength: 3, selector: ({ name }) => name });
  return fc.record({ filters, terms: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 3, arbitrary: fc.array(termOf(wider, rows), { maxLength: 3 }) }) });
}

function filterOf(spec: FilterSpec, rows: readonly Row[]): fc.Arbitrary<Filter> {
  const { name } = spec;
  if (spec.compares === 'presence') return fc.record({ kind: fc.constant('presence' as const), name: fc.constant(name), present: fc.boolean(), absent: fc.boolean() });
  if (spec.compares === 'number' || spec.compares === 'date') {
    const points = spec.compares === 'number' ? NUMBERS : DATES.map((text) => Date.parse(text)).filter((ms) => !Number.isNaN(ms));
    const end = fc.constantFrom(...points, ...points.map((point) => point + 0.5), -Infinity, Infinity);
    const intervals = fc.array(fc.tuple(end, end).map(([a, b]): Interval => [Math.min(a, b), Math.max(a, b)]), { minLength: 1, maxLength: 20 });
    return fc.tuple(fc.option(intervals, { freq: 4 }), fc.oneof(fc.constant<Interval[]>([]), intervals)).map(([include, exclude]) => ({ kind: 'intervals', name, include, exclude }));
  }
  const held = [...new Set(rows.flatMap((row) => filteredTexts(spec, row).map((text) => comparable(spec.compares, text))))].slice(0, VALUES_MAX);
  const value = fc.constantFrom(...held, ...TEXTS.slice(0, 4).map((text) => comparable(spec.compares, text)), 'absent');
  const values = fc.uniqueArray(value, { minLength: 1, maxLength: 14 });
  return fc.tuple(fc.option(values, { freq: 4 }), fc.oneof(fc.constant<string[]>([]), values)).map(([include, exclude]) => ({ kind: 'terms', name, include, exclude }));
}

function termOf({ searchable }: Vocabulary, rows: readonly Row[]): fc.Arbitrary<Term> {
  const held = new Set(rows.flatMap((row) => searchable.flatMap((field) => row[field] ?? [])).filter((text) => typeof text === 'string'));
  const texts = [...held].map((text) => words(fold(text))).filter((text) => text.length > 0).slice(0, VALUES_MAX);
  const text = fc.constantFrom(...texts, ['absent', 'words'], ['vp', 'engineering'], ['acme', 'acme']);
  const negated = fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) });
  const word = text.chain((all) => fc.constantFrom(...all)).map((word) => ({ kind: 'word' as const, words: [word] }));
  const prefix = fc.tuple(word, fc.nat(3)).map(([{ words }, length]) => ({ kind: 'prefix' as const, words: [[...words[0]!].slice(0, length + 1).join('')] }));
  const phrase = fc.tuple(text, fc.nat(2)).map(([all, from]) => ({ kind: 'phrase' as const, words: all.length < 2 ? [...all, ...all] : all.slice(Math.min(from, all.length - 2), from + 3) }));
  return fc.tuple(fc.oneof(word, prefix, phrase), negated).map(([term, negated]) => ({ ...term, negated }));
}
