import { LIMITS } from '../config/limits.ts';
import type { FacetCounts, Facets } from '../model/answer.ts';
import type { Comparison } from '../model/filter.ts';
import type { Vocabulary } from '../model/vocabulary.ts';
import { knownFacetKey } from './facet_keys.ts';
import type { LaneReader } from './lane_reader.ts';

/** Adds up the lanes' counts and keeps the most frequent values; equal counts by value, so that an answer repeats. */
export function mergeFacets(names: readonly string[], vocabulary: Vocabulary, readers: readonly Pick<LaneReader, 'facets'>[]): Facets | null {
  if (names.length === 0) return null;
  return Object.fromEntries(names.map((name) => {
    const { compares } = vocabulary.filters.find((filter) => filter.name === name)!;
    return [name, topValues(compares, readers.flatMap(({ facets }) => facets?.filter((one) => one.name === name) ?? []))];
  }));
}

/** A lane's counts with more values of one facet; without the facet where those could not be counted. */
export function withRecounted(facets: readonly FacetCounts[], name: string, recounted: readonly FacetCounts[] | null, isWanted: (value: string) => boolean): FacetCounts[] {
  const more = recounted?.find((one) => one.name === name)?.values.filter(([value]) => isWanted(value));
  return facets.flatMap((one) => (one.name !== name ? [one] : more === undefined ? [] : [{ name, values: [...one.values, ...more] }]));
}

type Value = { value: string; count: number; spelled: number };

/** What is one value to the filter is one here, in its most frequent spelling. */
function topValues(compares: Comparison, counts: readonly FacetCounts[]): { value: string; count: number }[] {
  const spellings = new Map<string, number>();
  for (const { values } of counts) for (const [value, count] of values) spellings.set(value, (spellings.get(value) ?? 0) + count);
  const sums = new Map<string, Value>();
  for (const [value, spelled] of spellings) {
    const key = knownFacetKey(compares, value);
    const sum = sums.get(key);
    if (sum === undefined) sums.set(key, { value, count: spelled, spelled });
    else {
      sum.count += spelled;
      if (spelled > sum.spelled || (spelled === sum.spelled && value < sum.value)) Object.assign(sum, { value, spelled });
    }
  }
  return [...sums.values()]
    .toSorted((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
    .slice(0, LIMITS.facetValuesMax)
    .map(({ value, count }) => ({ value, count }));
}
