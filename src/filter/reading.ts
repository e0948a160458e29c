import type { CountedPresence } from '../segment/country_counts.ts';
import type { Leaf } from './leaf.ts';

/** Rows must be in one of the leaves; `negated`: in none of them. */
export type Clause = {
  readonly negated: boolean;
  readonly leaves: readonly Leaf[];
  /** No row is in two leaves. */
  readonly disjoint: boolean;
  /** The same by the code of each row, where the column has one code a row: cheaper for a few rows than leaves put together. Else null. */
  readonly coded: Coded | null;
};

/** `column` is its number in the segment. */
export type Coded = { readonly column: number; readonly codes: Uint8Array | Uint16Array | Uint32Array; readonly wanted: readonly number[] };

/** Rows must have a code in one of the intervals (at least one, both ends inclusive, ascending and apart); `negated`: in none of them. */
export type NumberClause = {
  readonly negated: boolean;
  readonly codes: Uint8Array | Uint16Array | Uint32Array | Float64Array;
  readonly intervals: readonly (readonly [low: number, high: number])[];
};

/** Rows of `among` pass only where `test` says `wanted`. Each test reads a row. */
export type RowClause = {
  readonly among: Leaf;
  readonly wanted: boolean;
  readonly test: (row: number) => boolean;
};

/** A search as one segment reads it: a conjunction over consecutive rows. `ranges` are those of single countries, or of one part of each, ascending. */
export type Reading = {
  readonly ranges: readonly (readonly [start: number, end: number])[];
  /** The presence that the rows of all ranges have, or lack, by where they lie; null where the ranges are whole countries. */
  readonly part: CountedPresence | null;
  readonly clauses: readonly Clause[];
  readonly numbers: readonly NumberClause[];
  readonly rowClauses: readonly RowClause[];
};

export const NOTHING: Reading = { ranges: [], part: null, clauses: [], numbers: [], rowClauses: [] };

/** The ranges with those that touch made one. */
export function joinedRanges({ ranges }: Pick<Reading, 'ranges'>): readonly (readonly [start: number, end: number])[] {
  if (ranges.length <= 1) return ranges;
  const joined: [start: number, end: number][] = [];
  for (const [start, end] of ranges) {
    const last = joined.at(-1);
    if (last !== undefined && last[1] === start) last[1] = end; else joined.push([start, end]);
  }
  return joined;
}
