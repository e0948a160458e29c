import { facetKey, filteredNumber, filteredTexts, isPresent } from '../model/compare.ts';
import type { Row } from '../model/field.ts';
import type { FilterSpec } from '../model/filter.ts';

/** The values of a filter over rows with their counts; those that are one to it are counted together, under the first spelling of them. */
export function countValues(spec: FilterSpec, rows: readonly Row[]): [value: string, count: number][] {
  const counts = new Map<string, [string, number]>();
  for (const row of rows) {
    for (const [key, text] of facetValues(spec, row)) {
      const sum = counts.get(key) ?? [text, 0];
      sum[1] += 1;
      counts.set(key, sum);
    }
  }
  return [...counts.values()];
}

/** What a row counts for in a facet of the filter, each value once, with its spelling. */
export function facetValues(spec: FilterSpec, row: Row): ReadonlyMap<string, string> {
  return new Map(textsOf(spec, row).map((text) => [facetKey(spec.compares, text), text]));
}

function textsOf(spec: FilterSpec, row: Row): string[] {
  switch (spec.compares) {
    case 'presence': return [String(isPresent(row[spec.field]))];
    case 'number': case 'date': {
      const value = row[spec.field];
      return filteredNumber(spec, row) === null ? [] : [String(value)];
    }
    default: return filteredTexts(spec, row);
  }
}
