import { LIMITS } from '../config/limits.ts';
import type { Facets } from '../model/answer.ts';
import type { FacetCounts } from '../model/answer.ts';
import type { LaneReader } from './lane_reader.ts';

/** Adds up the lanes' counts and keeps the most frequent values; equal counts by value, so that an answer repeats. */
export function mergeFacets(names: readonly string[], readers: readonly LaneReader[]): Facets | null {
  if (names.length === 0) return null;
  return Object.fromEntries(names.map((name) => [name, topValues(readers.flatMap(({ facets }) => facets?.filter((one) => one.name === name) ?? []))]));
}

function topValues(counts: readonly FacetCounts[]): { value: string; count: number }[] {
  const sums = new Map<string, number>();
  for (const { values } of counts) for (const [value, count] of values) sums.set(value, (sums.get(value) ?? 0) + count);
  return [...sums]
    .map(([value, count]) => ({ value, count }))
    .toSorted((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
    .slice(0, LIMITS.facetValuesMax);
}
