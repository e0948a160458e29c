import { comparable, filteredTexts } from '../model/compare.ts';
import type { Filter, FilterSpec } from '../model/filter.ts';
import type { LookupColumn } from '../segment/lookup_column.ts';
import { readRow, type NumbersEntry, type Segment, type SegmentColumn } from '../segment/reader.ts';
import type { TextsColumn } from '../segment/texts_column.ts';
import type { Leaf } from './leaf.ts';
import type { Clause, NumberClause } from './reading.ts';
import type { Span } from './span.ts';
import { anyOf } from './union.ts';

type TermsFilter = Extract<Filter, { readonly kind: 'terms' }>;

/** What a filter asks of a segment; null where it can match no row. Not read here is what the order of the rows answers: see `read`. */
export type FilterReading = { readonly clauses: readonly Clause[]; readonly numbers: readonly NumberClause[] } | null;

const ANY: FilterReading = { clauses: [], numbers: [] };

export function readFilter(segment: Segment, filter: Filter, span: Span): FilterReading {
  switch (filter.kind) {
    case 'presence': return readPresence(segment, filter);
    case 'terms': return readTerms(segment, filter, segment.columns.get(filter.name), span);
    case 'intervals': return readIntervals(filter, segment.columns.get(filter.name));
    default: return filter satisfies never;
  }
}

function readPresence(segment: Segment, { name, present, absent }: Extract<Filter, { readonly kind: 'presence' }>): FilterReading {
  if (present && absent) return ANY;
  if (!present && !absent) return null;
  const field = segment.vocabulary.filters.find((spec) => spec.name === name)?.field;
  const presence = field === undefined ? undefined : segment.presence.get(field);
  if (presence === undefined) return absent ? ANY : null;
  return { clauses: [{ negated: absent, leaves: [{ form: 'bits', bits: presence.bits, fromWord: 0, presence }], disjoint: true, coded: null }], numbers: [] };
}

function readTerms(segment: Segment, { name, include, exclude }: TermsFilter, column: SegmentColumn | undefined, span: Span): FilterReading {
  if (column === undefined) return include === null ? ANY : null;
  if (column.form === 'numbers') throw new Error(`filter ${name} compares no texts`);
  const clauseOf = (values: readonly string[], negated: boolean): Clause | null =>
    (column.form === 'texts' ? valueClause(column.column, values, { span, negated }) : lookupClause(segment, name, column.column, values, negated));
  const clauses: Clause[] = [];
  if (include !== null) {
    const clause = clauseOf(include, false);
    if (clause === null) return null;
    clauses.push(clause);
  }
  const excluded = exclude.length === 0 ? null : clauseOf(exclude, true);
  if (excluded !== null) clauses.push(excluded);
  return { clauses, numbers: [] };
}

/** Null where no row has any of the values. */
function valueClause({ at, keys, rows, codes, ends }: TextsColumn, values: readonly string[], { span, negated }: { readonly span: Span; readonly negated: boolean }): Clause | null {
  const wanted: number[] = [];
  const leaves: Leaf[] = [];
  for (const value of values) {
    const code = keys.find(value);
    if (code === -1) continue;
    wanted.push(code);
    leaves.push(rows.open(code));
  }
  if (wanted.length === 0) return null;
  return anyOf(leaves, { span, negated, disjoint: ends === null, coded: ends === null ? { column: at, codes, wanted } : null });
}

/** Null where no row holds one of the values: each candidate is read. */
function lookupClause(segment: Segment, name: string, column: LookupColumn, values: readonly string[], negated: boolean): Clause | null {
  const spec = segment.vocabulary.filters.find((each) => each.name === name)!;
  const rows = new Set(values.flatMap((value) => column.candidates(value).filter((row) => holdsText(segment, spec, row, value))));
  return rows.size === 0 ? null : { negated, leaves: [{ form: 'rows', rows: Uint32Array.from(rows).sort() }], disjoint: true, coded: null };
}

function holdsText(segment: Segment, spec: FilterSpec, row: number, value: string): boolean {
  return filteredTexts(spec, readRow(segment, row)).some((text) => comparable(spec.compares, text) === value);
}

function readIntervals({ name, include, exclude }: Extract<Filter, { readonly kind: 'intervals' }>, column: SegmentColumn | undefined): FilterReading {
  if (column === undefined) return include === null ? ANY : null;
  if (column.form !== 'numbers') throw new Error(`filter ${name} compares no numbers`);
  const numbers: NumberClause[] = [];
  if (include !== null) {
    const clause = numberClause(column, include, false);
    if (clause.intervals.length === 0) return null;
    numbers.push(clause);
  }
  const excluded = numberClause(column, exclude, true);
  if (excluded.intervals.length > 0) numbers.push(excluded);
  return { clauses: [], numbers };
}

function numberClause({ column }: NumbersEntry, intervals: readonly (readonly [number, number])[], negated: boolean): NumberClause {
  const codes = intervals.map(([min, max]) => column.codesWithin(min, max)).filter(([low, high]) => low <= high);
  return { negated, codes: column.codes, intervals: codes };
}
