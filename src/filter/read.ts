import type { Filter } from '../model/filter.ts';
import type { Term } from '../model/query.ts';
import type { CountryRange } from '../segment/meta.ts';
import type { Segment } from '../segment/reader.ts';
import { readFilter } from './read_filter.ts';
import { readTerm } from './read_terms.ts';
import { NOTHING, type Clause, type NumberClause, type Reading, type RowClause } from './reading.ts';
import { spanOf } from './span.ts';

/** Reads a search against one segment: exact, and `NOTHING` as soon as one part of it can match no row. */
export function read(segment: Segment, filters: readonly Filter[], terms: readonly Term[]): Reading {
  const ranges = countryRanges(segment, filters);
  if (ranges.length === 0) return NOTHING;
  const span = spanOf(ranges);
  const clauses: Clause[] = [];
  const numbers: NumberClause[] = [];
  const rowClauses: RowClause[] = [];
  for (const filter of filters) {
    if (filter.name === 'country') continue;
    const reading = readFilter(segment, filter, span);
    if (reading === null) return NOTHING;
    clauses.push(...reading.clauses);
    numbers.push(...reading.numbers);
  }
  for (const term of terms) {
    const reading = readTerm(segment, term, span);
    if (reading === null) return NOTHING;
    clauses.push(...reading.clauses);
    rowClauses.push(...reading.rowClauses);
  }
  return { ranges, clauses, numbers, rowClauses };
}

function countryRanges({ meta: { ranges }, rangeOf }: Segment, filters: readonly Filter[]): (readonly [number, number])[] {
  const asked = filters.find(({ name }) => name === 'country');
  if (asked === undefined) return ranges.map(boundsOf);
  const admitted = (range: CountryRange): boolean => admits(asked, range[0]);
  if (asked.kind !== 'terms' || asked.include === null) return ranges.filter(admitted).map(boundsOf);
  const found = asked.include.flatMap((country) => rangeOf.get(country) ?? []).filter((range) => admitted(range)).map(boundsOf);
  return found.length > 1 ? found.sort((a, b) => a[0] - b[0]) : found;
}

function boundsOf([, start, end]: CountryRange): readonly [number, number] {
  return [start, end];
}

function admits(filter: Filter, country: string | null): boolean {
  if (filter.kind !== 'terms') throw new Error('country compares texts');
  if (country === null) return filter.include === null;
  return (filter.include === null || filter.include.includes(country)) && !filter.exclude.includes(country);
}
