import { LIMITS } from '../config/limits.ts';
import type { Comparison, Filter } from '../model/filter.ts';
import { knownFacetKey } from './facet_keys.ts';
import type { CallContext, LaneReader } from './lane_reader.ts';

type Told = {
  readonly reader: LaneReader;
  readonly given: number;
  readonly counts: ReadonlyMap<string, number>;
  /** What a value that it did not give may count at most. */
  readonly least: number;
};
/** Of all lanes: their values with what they sum up to so far, the most frequent first, and how much a value may count that none of them gave. */
type Summed = { readonly ranked: readonly (readonly [key: string, sum: number])[]; readonly mayRise: number };
type Wanted = ReadonlyMap<LaneReader, ReadonlySet<string>>;

/**
 * A segment gives the first `scanFacetValuesMax` values of a facet, an engine the first `facetRowsMax`: what others count often may stand behind those. Such values are counted in it once
 * more, by a filter on them, so that the counts of the answer are of all matches. One lane alone gives its most frequent values whole. Where too many values come about as often as those
 * of the answer for all of them to be counted, that is told by the warnings given.
 */
export async function recountFacets({ query, vocabulary }: Pick<CallContext, 'query' | 'vocabulary'>, readers: readonly LaneReader[]): Promise<readonly string[]> {
  if (readers.length < 2) return NONE;
  const unsure = new Map<string, Set<string>>();
  for (const name of query.facets) {
    const { compares } = vocabulary.filters.find((filter) => filter.name === name)!;
    const keyOf = (value: string): string => knownFacetKey(compares, value);
    const told = readers.flatMap((reader) => toldBy(reader, name, keyOf));
    const summed = summedUp(told);
    if (summed.mayRise === 0) continue;
    const wanted = untold(told, summed);
    await Promise.all([...wanted].map(([reader, values]) => reader.recount(name, holding(name, compares, [...values]), (value) => values.has(keyOf(value)))));
    if (!mayMiss(told, summed, recounted(told, name, { summed, wanted }, keyOf))) continue;
    for (const { reader: { lane: { source } }, least } of told) if (least > 0) unsure.set(source, (unsure.get(source) ?? new Set()).add(name));
  }
  return [...unsure].map(([source, names]) =>
    `${source} has too many values of the ${names.size === 1 ? 'facet' : 'facets'} ${[...names].join(', ')} to compare them all: some that more rows have than those shown may be missing there`);
}

const NONE: readonly string[] = [];

function toldBy(reader: LaneReader, name: string, keyOf: (value: string) => string): Told[] {
  const facet = reader.facets?.find((one) => one.name === name);
  if (facet === undefined) return [];
  const { values, untoldMax = 0 } = facet;
  const isCut = reader.lane.kind === 'lake' && values.length >= LIMITS.scanFacetValuesMax;
  return [{ reader, given: values.length, counts: new Map(values.map(([value, count]) => [keyOf(value), count])), least: isCut ? values.at(-1)![1] : untoldMax }];
}

function summedUp(told: readonly Told[]): Summed {
  const mayRise = told.reduce((sum, { least }) => sum + least, 0);
  if (mayRise === 0) return { ranked: [], mayRise };
  const sums = new Map<string, number>();
  for (const { counts } of told) for (const [key, count] of counts) sums.set(key, (sums.get(key) ?? 0) + count);
  return { ranked: [...sums].sort((a, b) => b[1] - a[1]), mayRise };
}

/** By lane, the values that may be among those of the answer and that it did not give. */
function untold(told: readonly Told[], { ranked, mayRise }: Summed): Wanted {
  const wanted = new Map<LaneReader, Set<string>>();
  const enough = ranked[LIMITS.facetValuesMax - 1]?.[1] ?? 0;
  let left: number = LIMITS.facetValuesRecounted;
  for (const [key, sum] of ranked) {
    if (left === 0 || sum + mayRise < enough) break;
    const silent = told.filter(({ counts, least }) => least > 0 && !counts.has(key));
    if (silent.length > 0) left -= 1;
    for (const { reader } of silent) wanted.set(reader, (wanted.get(reader) ?? new Set()).add(key));
  }
  return wanted;
}

/** The sums of the values that were counted once more. */
function recounted(told: readonly Told[], name: string, { summed, wanted }: { readonly summed: Summed; readonly wanted: Wanted }, keyOf: (value: string) => string): ReadonlyMap<string, number> {
  const keys = new Set([...wanted.values()].flatMap((values) => [...values]));
  const sums = new Map(summed.ranked.filter(([key]) => keys.has(key)));
  for (const { reader, given } of told) {
    if (!wanted.has(reader)) continue;
    const more = reader.facets?.find((one) => one.name === name)?.values.slice(given) ?? [];
    for (const [value, count] of more) sums.set(keyOf(value), (sums.get(keyOf(value)) ?? 0) + count);
  }
  return sums;
}

/** Whether a value may have more rows than the last of the answer that was not counted in every lane, or given by none. */
function mayMiss(told: readonly Told[], { ranked, mayRise }: Summed, known: ReadonlyMap<string, number>): boolean {
  const sums = [...known.values()];
  for (let at = 0; at < ranked.length && sums.length < known.size + LIMITS.facetValuesMax; at += 1) if (!known.has(ranked[at]![0])) sums.push(ranked[at]![1]);
  const enough = sums.sort((a, b) => b - a)[LIMITS.facetValuesMax - 1] ?? 0;
  if (mayRise > enough) return true;
  for (const [key, sum] of ranked) {
    if (sum + mayRise <= enough) return false;
    if (known.has(key)) continue;
    const hidden = told.reduce((most, { counts, least }) => (counts.has(key) ? most : most + least), 0);
    if (hidden > 0 && sum + hidden > enough) return true;
  }
  return false;
}

function holding(name: string, compares: Comparison, keys: readonly string[]): Filter {
  if (compares !== 'number' && compares !== 'date') return { kind: 'terms', name, include: keys, exclude: [] };
  const numbers = keys.map(Number).filter(Number.isFinite).sort((a, b) => a - b);
  return { kind: 'intervals', name, include: numbers.map((number) => [number, number] as const), exclude: [] };
}
