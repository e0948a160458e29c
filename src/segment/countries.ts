import { hasBit } from '../lib/bits.ts';
import { IDENTITY_FIELDS } from '../model/identity.ts';
import type { Vocabulary } from '../model/vocabulary.ts';
import type { SegmentMeta } from './meta.ts';

/** Rows of one country. Identities of the first class come first: [start, keyed) have the field that leads, [keyed, end) lack it. */
export type CountryRows = { readonly country: string | null; readonly start: number; readonly keyed: number; readonly end: number };

export type Countries = {
  /** In their order. */
  readonly all: readonly CountryRows[];
  readonly of: ReadonlyMap<string, CountryRows>;
  /** The presence that parts each country in two runs of rows, and the filter that asks for it; null where the field that leads has none: `keyed` says nothing then. */
  readonly parted: { readonly filter: string; readonly which: number } | null;
};

type PresenceBits = { readonly field: string; readonly which: number; readonly bits: Int32Array };

export function countriesOf({ dataset, ranges }: SegmentMeta, { filters }: Vocabulary, presence: readonly PresenceBits[]): Countries {
  const leading = presence.find(({ field }) => field === IDENTITY_FIELDS[dataset][0]);
  const filter = filters.find(({ compares, field }) => compares === 'presence' && field === leading?.field);
  const all = ranges.map(([country, start, end]): CountryRows => ({ country, start, keyed: leading === undefined ? end : firstWithout(leading.bits, start, end), end }));
  return {
    all,
    of: new Map(all.flatMap((rows) => (rows.country === null ? [] : [[rows.country, rows] as const]))),
    parted: leading === undefined || filter === undefined ? null : { filter: filter.name, which: leading.which },
  };
}

/** The first row of [start, end) without the bit, where those with it come first; `end` where there is none. */
function firstWithout(bits: Int32Array, start: number, end: number): number {
  let low = start;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (hasBit(bits, middle)) low = middle + 1; else high = middle;
  }
  return low;
}
