import { LIMITS } from '../../config/limits.ts';
import { hasBit } from '../../lib/bits.ts';
import { momentText } from '../../lib/moment.ts';
import { comparable, filteredTexts } from '../../model/compare.ts';
import type { FilterSpec } from '../../model/filter.ts';
import type { FacetCounts } from '../../model/answer.ts';
import type { CountryRange } from '../../segment/meta.ts';
import type { NumbersColumn } from '../../segment/numbers_column.ts';
import type { Segment } from '../../segment/reader.ts';
import { fieldReader } from '../../segment/row_field.ts';
import type { TextsColumn } from '../../segment/texts_column.ts';
import { eachText } from './compact_text.ts';

/** Counts one filter's values over matches that are handed to it in ascending lists; `sign` -1 takes a list back out. */
export interface FacetCounter {
  /** Whether every row must be read. */
  readonly reads: boolean;
  /** The column, where the running counts of its postings can stand in for lists. */
  readonly column: { readonly column: TextsColumn; addCount(code: number, count: number): void } | null;
  add(list: Uint32Array, count: number, sign: 1 | -1): void;
  /** Null where there were more different values than it counts: which of them are the most frequent nobody knows. */
  values(): FacetCounts['values'] | null;
}

export function facetCounter(segment: Segment, name: string, distinctMax: number = LIMITS.scanFacetDistinctMax): FacetCounter {
  const spec = segment.vocabulary.filters.find((each) => each.name === name);
  if (spec === undefined) return nullsOnly();
  if (spec.compares === 'country') return countryCounter(segment.meta.ranges);
  if (spec.compares === 'presence') return presenceCounter(segment, spec.field);
  const column = segment.columns.get(name);
  if (column === undefined) return nullsOnly();
  switch (column.form) {
    case 'texts': return column.column.ends === null ? textsCounter(column.column) : listsCounter(column.column, column.column.ends);
    case 'numbers': return numbersCounter(column.column, spec.compares === 'date', distinctMax);
    case 'lookup': return readCounter(segment, spec, distinctMax);
    default: return column satisfies never;
  }
}

/** The most frequent first; of equally frequent ones by value, and where not all of those fit the ones that were met first. */
export function mostFrequent(counts: readonly (readonly [value: string, count: number])[]): FacetCounts['values'] {
  const kept = largest(Int32Array.from(counts, ([, count]) => count)).map((at) => counts[at]!);
  return kept.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

function nullsOnly(): FacetCounter {
  return { reads: false, column: null, add: () => {}, values: () => [] };
}

function countryCounter(ranges: readonly CountryRange[]): FacetCounter {
  const counts = ranges.map(() => 0);
  return {
    reads: false,
    column: null,
    add(list, count, sign) {
      let range = 0;
      for (let at = 0; at < count; at++) {
        while (ranges[range]![2] <= list[at]!) range++;
        counts[range]! += sign;
      }
    },
    values: () => mostFrequent(ranges.flatMap(([country], at) => (country === null ? [] : [[country, counts[at]!] as const]))),
  };
}

function presenceCounter(segment: Segment, field: string): FacetCounter {
  const bits = segment.presence.get(field)!.bits;
  const counts = [0, 0];
  return {
    reads: false,
    column: null,
    add(list, count, sign) {
      for (let at = 0; at < count; at++) counts[hasBit(bits, list[at]!) ? 1 : 0]! += sign;
    },
    values: () => mostFrequent([['true', counts[1]!], ['false', counts[0]!]]),
  };
}

function textsCounter(column: TextsColumn): FacetCounter {
  const counts = new Int32Array(column.keys.size + 1);
  const { codes } = column;
  return {
    reads: false,
    column: { column, addCount: (code, count) => { counts[code]! += count; } },
    add(list, count, sign) {
      for (let at = 0; at < count; at++) counts[codes[list[at]!]!]! += sign;
    },
    values: () => mostFrequentCodes(column, counts),
  };
}

function listsCounter(column: TextsColumn, ends: Uint32Array): FacetCounter {
  const counts = new Int32Array(column.keys.size + 1);
  return {
    reads: false,
    column: { column, addCount: (code, count) => { counts[code]! += count; } },
    add(list, count, sign) {
      for (let at = 0; at < count; at++) {
        const row = list[at]!;
        for (let item = row === 0 ? 0 : ends[row - 1]!; item < ends[row]!; item++) counts[column.codes[item]!]! += sign;
      }
    },
    values: () => mostFrequentCodes(column, counts),
  };
}

/** The code after the last stands for null. Spellings are made only for the values that stay. */
export function mostFrequentCodes(column: { readonly keys: { readonly size: number }; display(code: number): string }, counts: Int32Array): FacetCounts['values'] {
  return mostFrequent(largest(counts.subarray(0, column.keys.size)).map((code) => [column.display(code), counts[code]!] as const));
}

/** The places of the largest counts, of equal ones the first. */
function largest(counts: Int32Array): number[] {
  const least = leastOfLargest(counts);
  const above: number[] = [];
  const equal: number[] = [];
  for (let at = 0; at < counts.length; at++) {
    if (counts[at]! > least) above.push(at);
    else if (counts[at] === least && equal.length < LIMITS.scanFacetValuesMax) equal.push(at);
  }
  return [...above, ...equal].slice(0, LIMITS.scanFacetValuesMax);
}

/** Counts below it are told apart by how many values have each; by far the most are. */
const TOLD_BELOW = 1_024;

/** The least of the counts that may stay, at least one. To sort the counts of a hundred thousand values takes longer than to count most searches. */
function leastOfLargest(counts: Int32Array): number {
  const having = new Uint32Array(TOLD_BELOW + 1);
  for (let at = 0; at < counts.length; at++) having[Math.max(0, Math.min(counts[at]!, TOLD_BELOW))]! += 1;
  let kept = having[TOLD_BELOW]!;
  if (kept >= LIMITS.scanFacetValuesMax) return counts.filter((count) => count >= TOLD_BELOW).sort()[kept - LIMITS.scanFacetValuesMax]!;
  for (let count = TOLD_BELOW - 1; count > 1; count--) {
    kept += having[count]!;
    if (kept >= LIMITS.scanFacetValuesMax) return count;
  }
  return 1;
}

function numbersCounter(column: NumbersColumn, isDate: boolean, distinctMax: number): FacetCounter {
  const counts = new Map<number, number>();
  let overflowed = false;
  return {
    reads: false,
    column: null,
    add(list, count, sign) {
      if (overflowed) return;
      for (let at = 0; at < count; at++) {
        const code = column.codes[list[at]!]!;
        const known = counts.get(code);
        if (known === undefined && counts.size >= distinctMax) overflowed = true;
        else counts.set(code, (known ?? 0) + sign);
      }
    },
    values: () => (overflowed ? null : mostFrequent([...counts].flatMap(([code, count]) => {
      const number = column.number(code);
      return number === null ? [] : [[isDate ? momentText(number) : String(number), count] as const];
    }))),
  };
}

/** Of a filter whose texts stand in the rows only. */
function readCounter(segment: Segment, spec: FilterSpec, distinctMax: number): FacetCounter {
  const counts = new Map<string, { readonly display: string; count: number }>();
  const fieldOf = fieldReader(spec.field);
  let overflowed = false;
  const addText = (text: string, sign: number): void => {
    const key = comparable(spec.compares, text);
    const known = counts.get(key);
    if (known !== undefined) known.count += sign;
    else if (counts.size < distinctMax) counts.set(key, { display: text, count: sign });
    else overflowed = true;
  };
  return {
    reads: true,
    column: null,
    add(list, count, sign) {
      if (overflowed) return;
      eachText(segment, list.subarray(0, count), (row) => {
        for (const text of filteredTexts(spec, { [spec.field]: fieldOf(row) })) addText(text, sign);
      });
    },
    values: () => (overflowed ? null : mostFrequent([...counts.values()].map(({ display, count }) => [display, count] as const))),
  };
}
