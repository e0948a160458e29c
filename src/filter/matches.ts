import { fold, words } from '../lib/fold.ts';
import { comparable, filteredNumber, filteredTexts, isPresent } from '../model/compare.ts';
import type { Row } from '../model/field.ts';
import type { Filter, FilterSpec, Interval } from '../model/filter.ts';
import type { Query, Term } from '../model/query.ts';
import type { Vocabulary } from '../model/vocabulary.ts';

type RowTest = (row: Row) => boolean;

/** The plain reading of a search, row by row: the exact one, by which every faster reading is proven. */
export function matches(filters: readonly Filter[], terms: readonly Term[], vocabulary: Vocabulary): RowTest {
  const specs = new Map(vocabulary.filters.map((spec) => [spec.name, spec]));
  const tests = filters.map((filter) => filterTest(filter, specs.get(filter.name)));
  if (terms.length > 0) tests.push(termsTest(terms, vocabulary.searchable));
  return (row) => tests.every((test) => test(row));
}

/** The fields that such a reading looks at. */
export function fieldsRead({ filters, terms }: Pick<Query, 'filters' | 'terms'>, vocabulary: Vocabulary): string[] {
  const filtered = vocabulary.filters.filter(({ name }) => filters.some((filter) => filter.name === name)).map(({ field }) => field);
  return terms.length > 0 ? [...filtered, ...vocabulary.searchable] : filtered;
}

/** A filter that the dataset does not know reads nulls only. */
function filterTest(filter: Filter, spec: FilterSpec | undefined): RowTest {
  switch (filter.kind) {
    case 'presence': return (row) => (spec !== undefined && isPresent(row[spec.field]) ? filter.present : filter.absent);
    case 'terms': {
      const include = filter.include === null ? null : new Set(filter.include);
      const exclude = new Set(filter.exclude);
      return (row) => {
        const keys = spec === undefined ? [] : filteredTexts(spec, row).map((text) => comparable(spec.compares, text));
        return (include === null || keys.some((key) => include.has(key))) && !keys.some((key) => exclude.has(key));
      };
    }
    case 'intervals': return (row) => {
      const number = spec === undefined ? null : filteredNumber(spec, row);
      if (number === null) return filter.include === null;
      return (filter.include === null || isWithin(filter.include, number)) && !isWithin(filter.exclude, number);
    };
    default: return filter satisfies never;
  }
}

function isWithin(intervals: readonly Interval[], number: number): boolean {
  return intervals.some(([min, max]) => min <= number && number <= max);
}

function termsTest(terms: readonly Term[], searchable: readonly string[]): RowTest {
  return (row) => {
    const texts = wordsOfRow(row, searchable);
    return terms.every((term) => texts.some((text) => holdsTerm(term, text)) !== term.negated);
  };
}

/** The words of each searchable text of a row, every element of a list by itself. */
export function wordsOfRow(row: Row, searchable: readonly string[]): string[][] {
  return searchable.flatMap((field) => {
    const value = row[field];
    const values = typeof value === 'string' ? [value] : Array.isArray(value) ? value : [];
    return values.map((text) => words(fold(text)));
  });
}

function holdsTerm({ kind, words }: Term, text: readonly string[]): boolean {
  switch (kind) {
    case 'word': return text.includes(words[0]!);
    case 'prefix': return text.some((word) => word.startsWith(words[0]!));
    case 'phrase': return holdsPhrase(words, text);
    default: return kind satisfies never;
  }
}

/** Whether the words stand in the text one after the other. */
export function holdsPhrase(phrase: readonly string[], text: readonly string[]): boolean {
  const last = text.length - phrase.length;
  for (let at = 0; at <= last; at++) if (phrase.every((word, step) => text[at + step] === word)) return true;
  return false;
}
