import type { FacetCounts } from '../../model/answer.ts';
import { comparable, filteredText } from '../../model/compare.ts';
import type { FilterSpec } from '../../model/filter.ts';
import type { Columns } from './columns.ts';
import type { Dialect, Sql } from './dialect.ts';

/** Values as the rows spell them, with their counts. */
export type Counted = readonly (readonly [value: unknown, count: string])[];

/**
 * The engine counts the values as the rows spell them; spellings that compare alike are added up here, under the most frequent of them.
 * Null for lists, and where the engine cannot tell which rows match.
 */
export async function facetOf(name: string, { vocabulary, value }: Pick<Columns, 'vocabulary' | 'value'>, dialect: Dialect, count: (value: Sql) => Promise<Counted | null>): Promise<FacetCounts | null> {
  const spec = vocabulary.filters.find((each) => each.name === name)!;
  if (vocabulary.fields.some((field) => field.name === spec.field && field.type === 'strings')) return null;
  const counted = await count(spec.compares === 'presence' ? dialect.isNull(value(spec.field)) : value(spec.field));
  return counted && { name, values: [...addUp(spec, counted).values()] };
}

function addUp(spec: FilterSpec, counted: Counted): Map<string, [value: string, count: number]> {
  const sums = new Map<string, [string, number]>();
  for (const [raw, count] of counted) {
    const text = textOf(spec, raw);
    if (text === null) continue;
    const key = isText(spec) ? comparable(spec.compares, text) : text;
    const sum = sums.get(key) ?? [text, 0];
    sums.set(key, [sum[0], sum[1] + Number(count)]);
  }
  return sums;
}

function isText({ compares }: FilterSpec): boolean {
  return compares !== 'number' && compares !== 'date' && compares !== 'presence';
}

function textOf(spec: FilterSpec, raw: unknown): string | null {
  if (spec.compares === 'presence') return String(raw !== true && raw !== 1);
  return isText(spec) ? filteredText(spec, String(raw)) : String(raw);
}
