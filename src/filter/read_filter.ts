import { LIMITS } from '../config/limits.ts';
import { comparable, filteredTexts } from '../model/compare.ts';
import type { Filter } from '../model/filter.ts';
import type { LookupColumn } from '../segment/lookup_column.ts';
import { readText, type NumbersEntry, type Segment, type SegmentColumn } from '../segment/reader.ts';
import { fieldReader } from '../segment/row_field.ts';
import { brokenRow } from '../segment/row_form.ts';
import type { TextsColumn } from '../segment/texts_column.ts';
import type { Leaf } from './leaf.ts';
import type { Clause, NumberClause, RowClause } from './reading.ts';
import type { Span } from './span.ts';
import { anyOf } from './union.ts';

type TermsFilter = Extract<Filter, { readonly kind: 'terms' }>;

/** What a filter asks of a segment; null where it can match no row. Not read here is what the order of the rows answers: see `read`. */
type FilterReading = { readonly clauses: readonly Clause[]; readonly numbers: readonly NumberClause[]; readonly rowClauses: readonly RowClause[] } | null;

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
  return { clauses: [{ negated: absent, leaves: [{ form: 'bits', bits: presence.bits, fromWord: 0, presence, join: null }], disjoint: true, coded: null }], numbers: [], rowClauses: [] };
}

function readTerms(segment: Segment, { name, include, exclude }: TermsFilter, column: SegmentColumn | undefined, span: Span): FilterReading {
  if (column === undefined) return include === null ? ANY : null;
  if (column.form === 'numbers') throw new Error(`filter ${name} compares no texts`);
  const clauses: Clause[] = [];
  const rowClauses: RowClause[] = [];
  const read = (values: readonly string[], negated: boolean): boolean => {
    if (column.form === 'lookup') return readLookup({ segment, name, column: column.column, values, negated }, clauses, rowClauses);
    const clause = valueClause(column.column, values, { span, negated });
    if (clause !== null) clauses.push(clause);
    return clause !== null;
  };
  if (include !== null && !read(include, false)) return null;
  if (exclude.length > 0) read(exclude, true);
  return { clauses, numbers: [], rowClauses };
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

type Lookup = { readonly segment: Segment; readonly name: string; readonly column: LookupColumn; readonly values: readonly string[]; readonly negated: boolean };

/** Each candidate is read: few of them now, many as the scan comes to them, as where a file has one address in all of its rows. False where no row has any of the values. */
function readLookup({ segment, name, column, values, negated }: Lookup, clauses: Clause[], rowClauses: RowClause[]): boolean {
  const spec = segment.vocabulary.filters.find((each) => each.name === name)!;
  const wanted = new Set(values);
  const candidates = column.candidates(values);
  const fieldOf = fieldReader(spec.field);
  const test = (row: number): boolean => {
    const value = fieldOf(readText(segment, row));
    // What has none is never pointed to.
    if (value === null) throw brokenRow();
    return filteredTexts(spec, { [spec.field]: value }).some((text) => wanted.has(comparable(spec.compares, text)));
  };
  const isFew = candidates.length <= LIMITS.lookupRowsMax;
  const rows = isFew ? candidates.filter(test) : candidates;
  if (rows.length === 0) return false;
  if (isFew || !negated) clauses.push({ negated, leaves: [{ form: 'rows', rows }], disjoint: true, coded: null });
  if (!isFew) rowClauses.push({ among: { form: 'rows', rows }, wanted: !negated, test });
  return true;
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
