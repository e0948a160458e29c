import type { NumbersScale } from './numbers_column.ts';
import type { SegmentSummary } from './segment.ts';

/** Consecutive rows of one country; those without one come last. */
export type CountryRange = readonly [country: string | null, start: number, end: number];

export type ColumnMeta = { readonly name: string; readonly form: 'texts' | 'lookup' | 'numbers'; readonly listed: boolean; readonly scale: NumbersScale | null };

/** A dictionary whose values phrases are looked for in: the column of that name, or list number `at`; its values are numbered from `base`. */
export type PhraseSource = { readonly of: 'column' | 'list'; readonly name: string; readonly at: number; readonly base: number; readonly size: number };

/** The JSON of section `meta`: what the arrays mean. */
export type SegmentMeta = Omit<SegmentSummary, 'indexBytes' | 'rowsBytes' | 'countries'> & {
  /** Of compact rows: the bytes of all as NDJSON. */
  readonly textBytes?: number;
  readonly ranges: readonly CountryRange[];
  readonly columns: readonly ColumnMeta[];
  readonly presence: readonly string[];
  readonly phrases: readonly PhraseSource[];
  /** Searchable fields in which phrases are verified in the row. */
  readonly looseFields: readonly string[];
};
