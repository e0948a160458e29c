import { LIMITS } from '../config/limits.ts';
import { comparable, filteredTexts } from '../model/compare.ts';
import type { Filter } from '../model/filter.ts';
import type { LookupColumn } from '../segment/lookup_column.ts';
import { readRow, type NumbersEntry, type Segment, type SegmentColumn } from '../segment/reader.ts';
import type { TextsColumn } from '../segment/texts_column.ts';
import type { Leaf } from './leaf.ts';
import type { Clause, NumberClause, RowClause } from './reading.ts';
import type { Span } from './span.ts';
import { anyOf } from './union.ts';

type TermsFilter = Extract<Filter, { readonly kind: 'terms' }>;

/** What a filter asks of a segment; null where it can match no row. Not read here is what the order of the rows answers: see `read`. */
export type FilterReading = { readonly clauses: readonly Clause[]; readonly numbers: readonly NumberClause[]; readonly rowClauses: readonly RowClause[] } | null;

const ANY: FilterReading = { clauses: [], numbers: [], rowClauses: [] };

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
  return { clauses: [{ negated: absent, leaves: [{ form: 'bits', bits: presence.bits, fromWord: 0, presence }], disjoint: true, coded: null }], numbers: [], rowClauses: [] };
}

/** What rows must have one of the values, or none of them; `NO_ROW` where no row has any. */
type ValuesReading = { readonly clause: Clause | null; readonly rowClause: RowClause | null };
const NO_ROW: ValuesReading = { clause: null, rowClause: null };

function readTerms(segment: Segment, { name, include, exclude }: TermsFilter, column: SegmentColumn | undefined, span: Span): FilterReading {
  if (column === undefined) return include === null ? ANY : null;
  if (column.form === 'numbers') throw new Error(`filter ${name} compares no texts`);
  const readingOf = (values: readonly string[], negated: boolean): ValuesReading =>
    (column.form === 'texts' ? { clause: valueClause(column.column, values, { span, negated }), rowClause: null } : readLookup(segment, name, column.column, values, negated));
  const included = include === null ? null : readingOf(include, false);
  if (included?.clause === null) return null;
  const readings = [included ?? NO_ROW, exclude.length === 0 ? NO_ROW : readingOf(exclude, true)];
  return { clauses: readings.flatMap(({ clause }) => clause ?? []), numbers: [], rowClauses: readings.flatMap(({ rowClause }) => rowClause ?? []) };
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

/** Each candidate is read: few of them now, many as the scan comes to them, as where a file has one address in all of its rows. */
function readLookup(segment: Segment, name: string, column: LookupColumn, values: readonly string[], negated: boolean): ValuesReading {
  const spec = segment.vocabulary.filters.find((each) => each.name === name)!;
  const wanted = new Set(values);
  const candidates = Uint32Array.from(new Set(values.flatMap((value) => column.candidates(value)))).sort();
  const test = (row: number): boolean => filteredTexts(spec, readRow(segment, row)).some((text) => wanted.has(comparable(spec.compares, text)));
  const clauseOf = (rows: Uint32Array): Clause => ({ negated, leaves: [{ form: 'rows', rows }], disjoint: true, coded: null });
  if (candidates.length <= LIMITS.lookupRowsMax) {
    const rows = candidates.filter(test);
    return rows.length === 0 ? NO_ROW : { clause: clauseOf(rows), rowClause: null };
  }
  return { clause: negated ? null : clauseOf(candidates), rowClause: { among: { form: 'rows', rows: candidates }, wanted: !negated, test } };
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
  return { clauses: [], numbers, rowClauses: [] };
}

function numberClause({ column }: NumbersEntry, intervals: readonly (readonly [number, number])[], negated: boolean): NumberClause {
  const codes = intervals.map(([min, max]) => column.codesWithin(min, max)).filter(([low, high]) => low <= high);
  return { negated, codes: column.codes, intervals: apart(codes) };
}

/** The same ascending, with those that overlap made one. */
function apart(intervals: readonly (readonly [low: number, high: number])[]): readonly (readonly [low: number, high: number])[] {
  const joined: [low: number, high: number][] = [];
  for (const [low, high] of intervals.toSorted(([a], [b]) => a - b)) {
    const last = joined.at(-1);
    if (last !== undefined && low <= last[1]) last[1] = Math.max(last[1], high); else joined.push([low, high]);
  }
  return joined;
}
