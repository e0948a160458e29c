import { LIMITS } from '../../config/limits.ts';
import type { FacetCounts } from '../../model/answer.ts';
import type { Segment } from '../../segment/reader.ts';
import { countMatches, type Counted } from './count.ts';
import { mostFrequent } from './facet.ts';
import type { Steps } from './steps.ts';

type Values = FacetCounts['values'];

/**
 * The values of a facet whose counts are totals of narrower searches, each of which costs less than to go through its rows: of countries,
 * which lie one behind the other, and of presence. `matched`: how many rows the search has. Null for all other facets, and where there are
 * few rows to go through or rows must be read.
 */
export function facetByTotals(segment: Segment, name: string, counted: Counted, matched: number): Steps<Values> | null {
  const { ranges, numbers, rowClauses } = counted.reading;
  if (numbers.length > 0 || rowClauses.length > 0 || matched <= ranges.length * LIMITS.facetRowsOfRangeMax) return null;
  const spec = segment.vocabulary.filters.find((each) => each.name === name);
  if (spec?.compares === 'country') return countryTotals(segment, counted, matched);
  return spec?.compares === 'presence' ? presenceTotals(segment, spec.field, counted, matched) : null;
}

/** Each range is of one country, in the order of the countries. */
function* countryTotals({ countries }: Segment, counted: Counted, matched: number): Steps<Values> {
  const { reading } = counted;
  const counts: (readonly [string, number])[] = [];
  let at = 0;
  for (const range of reading.ranges) {
    while (countries.all[at]!.end <= range[0]) at++;
    const { country } = countries.all[at]!;
    if (country === null) continue;
    counts.push([country, reading.ranges.length === 1 ? matched : yield* countMatches({ ...counted, reading: { ...reading, ranges: [range] } })]);
  }
  return mostFrequent(counts);
}

function* presenceTotals(segment: Segment, field: string, counted: Counted, matched: number): Steps<Values> {
  const presence = segment.presence.get(field)!;
  const { reading } = counted;
  const having = { negated: false, leaves: [{ form: 'bits', bits: presence.bits, fromWord: 0, presence, join: null }], disjoint: true, coded: null } as const;
  const present = yield* countMatches({ ...counted, reading: { ...reading, clauses: [...reading.clauses, having] } });
  return mostFrequent([['true', present], ['false', matched - present]]);
}
