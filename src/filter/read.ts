import { LIMITS } from '../config/limits.ts';
import type { Filter } from '../model/filter.ts';
import type { Term } from '../model/query.ts';
import type { CountryRows } from '../segment/countries.ts';
import type { CountedPresence } from '../segment/country_counts.ts';
import type { Segment } from '../segment/reader.ts';
import { readFilter } from './read_filter.ts';
import { readTerm } from './read_terms.ts';
import { NOTHING, type Clause, type NumberClause, type Reading, type RowClause } from './reading.ts';
import { spanOf } from './span.ts';

/** Reads a search against one segment: exact, and `NOTHING` as soon as one part of it can match no row. */
export function read(segment: Segment, filters: readonly Filter[], terms: readonly Term[]): Reading {
  const countries = countriesAsked(segment, filters);
  const asked = countries.length <= LIMITS.partedCountriesMax ? askedPart(segment, filters) : null;
  const ranges = rangesOf(countries, asked);
  if (ranges.length === 0) return NOTHING;
  const span = spanOf(ranges);
  const clauses: Clause[] = [];
  const numbers: NumberClause[] = [];
  const rowClauses: RowClause[] = [];
  for (const filter of filters) {
    if (filter.name === 'country' || filter === asked) continue;
    const reading = readFilter(segment, filter, span);
    if (reading === null) return NOTHING;
    for (const clause of reading.clauses) clauses.push(clause);
    for (const clause of reading.numbers) numbers.push(clause);
    for (const clause of reading.rowClauses) rowClauses.push(clause);
  }
  for (const term of terms) {
    const reading = readTerm(segment, term, span);
    if (reading === null) return NOTHING;
    clauses.push(...reading.clauses);
    rowClauses.push(...reading.rowClauses);
  }
  return { ranges, part: partOf(segment, asked), clauses, numbers, rowClauses };
}

type PresenceFilter = Extract<Filter, { readonly kind: 'presence' }>;

/** The filter that says which part of its countries a search wants, where rows lie by what it asks. */
function askedPart({ countries: { parted } }: Segment, filters: readonly Filter[]): PresenceFilter | null {
  return filters.find((filter): filter is PresenceFilter => filter.kind === 'presence' && filter.name === parted?.filter) ?? null;
}

function partOf({ countries: { parted } }: Segment, asked: PresenceFilter | null): CountedPresence | null {
  return parted === null || asked === null || asked.present === asked.absent ? null : { which: parted.which, wanted: asked.present };
}

function rangesOf(countries: readonly CountryRows[], asked: PresenceFilter | null): (readonly [number, number])[] {
  const ranges: (readonly [number, number])[] = [];
  for (const { start, keyed, end } of countries) {
    const from = asked?.present === false ? keyed : start;
    const to = asked?.absent === false ? keyed : end;
    if (asked === null || from < to) ranges.push([from, to]);
  }
  return ranges;
}

function countriesAsked({ countries }: Segment, filters: readonly Filter[]): readonly CountryRows[] {
  const asked = filters.find(({ name }) => name === 'country');
  if (asked === undefined) return countries.all;
  if (asked.kind !== 'terms') throw new Error('country compares texts');
  const { include, exclude } = asked;
  if (include === null) return countries.all.filter(({ country }) => country === null || !exclude.includes(country));
  const found: CountryRows[] = [];
  for (const country of include) {
    const rows = countries.of.get(country);
    if (rows !== undefined && !exclude.includes(country)) found.push(rows);
  }
  return found.length > 1 ? found.sort((a, b) => a.start - b.start) : found;
}
