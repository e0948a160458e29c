import type { FacetCounts } from '../../model/answer.ts';
import { facetKey, filteredText } from '../../model/compare.ts';
import type { Row } from '../../model/field.ts';
import type { FilterSpec } from '../../model/filter.ts';
import { countValues } from '../facet.ts';
import { isAbsent, type Reading } from './columns.ts';
import type { Sql } from './dialect.ts';

/** Values as the rows spell them, with their counts. */
export type Counted = readonly (readonly [value: unknown, count: string])[];

/** What the engine counts for a filter; null for lists. */
export function countedValue(spec: FilterSpec, { columns, dialect }: Pick<Reading, 'columns' | 'dialect'>): Sql | null {
  if (columns.vocabulary.fields.some(({ name, type }) => name === spec.field && type === 'strings')) return null;
  if (spec.compares === 'presence') return isAbsent(spec.field, columns, dialect);
  return spec.name === 'email_domain' ? dialect.domain(columns.value(spec.field)) : columns.value(spec.field);
}

/**
 * The engine counts the values as the rows spell them; those that are one to the filter are added up here, under the most frequent spelling.
 * `rows`: matches that it could not count.
 */
export function addUp(spec: FilterSpec, counted: Counted, rows: readonly Row[]): FacetCounts['values'] {
  const sums = new Map<string, [string, number]>();
  const add = (text: string, count: number): void => {
    const key = facetKey(spec.compares, text);
    const sum = sums.get(key) ?? [text, 0];
    sums.set(key, [sum[0], sum[1] + count]);
  };
  for (const [raw, count] of counted) {
    const text = textOf(spec, raw);
    // Where a column that is missing has one value for all rows, some engines count it even of none.
    if (text !== null && Number(count) > 0) add(text, Number(count));
  }
  for (const [text, count] of countValues(spec, rows)) add(text, count);
  return [...sums.values()];
}

function isText({ compares }: FilterSpec): boolean {
  return compares !== 'number' && compares !== 'date' && compares !== 'presence';
}

/** Null where no row has a value: some engines count even then. */
function textOf(spec: FilterSpec, raw: unknown): string | null {
  if (raw === null) return null;
  if (spec.compares === 'presence') return String(raw !== true && raw !== 1);
  // A domain was cut off its address over there.
  return isText(spec) && spec.name !== 'email_domain' ? filteredText(spec, String(raw)) : String(raw);
}
