import { comparable, filteredNumber, filteredTexts, isPresent } from '../model/compare.ts';
import type { Row } from '../model/field.ts';
import type { FilterSpec } from '../model/filter.ts';

/** The values of a filter over rows with their counts; spellings that compare alike are one, under the first of them. */
export function countValues(spec: FilterSpec, rows: readonly Row[]): [value: string, count: number][] {
  const counts = new Map<string, [string, number]>();
  for (const row of rows) {
    for (const [key, text] of new Map(valuesOf(spec, row))) {
      const sum = counts.get(key) ?? [text, 0];
      sum[1] += 1;
      counts.set(key, sum);
    }
  }
  return [...counts.values()];
}

function valuesOf(spec: FilterSpec, row: Row): [key: string, text: string][] {
  switch (spec.compares) {
    case 'presence': { const text = String(isPresent(row[spec.field])); return [[text, text]]; }
    case 'number': { const number = filteredNumber(spec, row); return number === null ? [] : [[String(number), String(number)]]; }
    case 'date': { const value = row[spec.field]; return typeof value === 'string' ? [[value, value]] : []; }
    default: return filteredTexts(spec, row).map((text) => [comparable(spec.compares, text), text]);
  }
}
