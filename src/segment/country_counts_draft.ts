import { hasBit } from '../lib/bits.ts';
import { pairsOf } from './country_counts.ts';
import { COUNTED_VALUES_MAX, COUNTS_ROWS_PER_BYTE } from './layout.ts';
import type { CountryRange } from './meta.ts';
import type { SectionDrafts } from './sections.ts';

/** A column of one code a row, 0 to `values`, which stands for null. */
export type CodedColumn = { readonly column: number; readonly codes: ArrayLike<number>; readonly values: number };

type Counted = { readonly first: CodedColumn; readonly second: CodedColumn; readonly cells: number };

/**
 * Counts the rows of each large country by the values of every two columns of few values, with and without each presence: see
 * docs/segment-format.md. Costs some 15 ns a row for each two columns, and at most a byte of `COUNTS_ROWS_PER_BYTE` rows.
 */
export function draftCountryCounts(drafts: SectionDrafts, ranges: readonly CountryRange[], columns: readonly CodedColumn[], presence: readonly Int32Array[]): void {
  const small = columns.filter(({ values }) => values > 0 && values <= COUNTED_VALUES_MAX);
  const pairs = pairsOf(small).map(([first, second]): Counted => ({ first, second, cells: (first.values + 1) * (second.values + 1) }));
  const width = 1 + presence.length;
  const at = new Uint32Array(ranges.length * pairs.length);
  const counts: Uint32Array[] = [];
  let words = 0;
  ranges.forEach(([, start, end], range) => pairs.forEach((pair, place) => {
    if (pair.cells * width * Uint32Array.BYTES_PER_ELEMENT * COUNTS_ROWS_PER_BYTE > end - start) return;
    at[range * pairs.length + place] = words + 1;
    counts.push(countPair(pair, [start, end], presence));
    words += pair.cells * width;
  }));
  drafts.addJson('counts', { columns: small.map(({ column }) => column) });
  drafts.add('counts.at', at);
  const data = new Uint32Array(words);
  let filled = 0;
  for (const one of counts) {
    data.set(one, filled);
    filled += one.length;
  }
  drafts.add('counts.data', data);
}

function countPair({ first, second, cells }: Counted, [start, end]: readonly [number, number], presence: readonly Int32Array[]): Uint32Array {
  const width = 1 + presence.length;
  const counts = new Uint32Array(cells * width);
  for (let row = start; row < end; row++) {
    const cell = (first.codes[row]! * (second.values + 1) + second.codes[row]!) * width;
    counts[cell]!++;
    for (let which = 0; which < presence.length; which++) if (hasBit(presence[which]!, row)) counts[cell + 1 + which]!++;
  }
  return counts;
}
