import { LIMITS } from '../config/limits.ts';
import type { Comparison, Filter } from '../model/filter.ts';
import { knownFacetKey } from './facet_keys.ts';
import type { CallContext, LaneReader } from './lane_reader.ts';

type Told = { readonly reader: LaneReader; readonly counts: ReadonlyMap<string, number>; /** What a value that it did not give may count at most. */ readonly least: number };

/**
 * A segment gives the first `scanFacetValuesMax` values of a facet, an engine the first `facetRowsMax`: what others count often may stand behind those. Such values are counted in it once
 * more, by a filter on them, so that the counts of the answer are of all matches. One lane alone gives its most frequent values whole.
 */
export async function recountFacets({ query, vocabulary }: Pick<CallContext, 'query' | 'vocabulary'>, readers: readonly LaneReader[]): Promise<void> {
  if (readers.length < 2) return;
  for (const name of query.facets) {
    const { compares } = vocabulary.filters.find((filter) => filter.name === name)!;
    const keyOf = (value: string): string => knownFacetKey(compares, value);
    const asked = [...untold(readers.flatMap((reader) => toldBy(reader, name, keyOf)))];
    await Promise.all(asked.map(([reader, values]) => reader.recount(name, holding(name, compares, [...values]), (value) => values.has(keyOf(value)))));
  }
}

function toldBy(reader: LaneReader, name: string, keyOf: (value: string) => string): Told[] {
  const facet = reader.facets?.find((one) => one.name === name);
  if (facet === undefined) return [];
  const { values, untoldMax = 0 } = facet;
  const isCut = reader.lane.kind === 'lake' && values.length >= LIMITS.scanFacetValuesMax;
  return [{ reader, counts: new Map(values.map(([value, count]) => [keyOf(value), count])), least: isCut ? values.at(-1)![1] : untoldMax }];
}

/** By lane, the values that may be among those of the answer and that it did not give. */
function untold(told: readonly Told[]): ReadonlyMap<LaneReader, ReadonlySet<string>> {
  const wanted = new Map<LaneReader, Set<string>>();
  if (told.every(({ least }) => least === 0)) return wanted;
  const sums = new Map<string, number>();
  for (const { counts } of told) for (const [value, count] of counts) sums.set(value, (sums.get(value) ?? 0) + count);
  const ranked = [...sums].sort((a, b) => b[1] - a[1]);
  const enough = ranked[LIMITS.facetValuesMax - 1]?.[1] ?? 0;
  const mayRise = told.reduce((sum, { least }) => sum + least, 0);
  let left: number = LIMITS.facetValuesRecounted;
  for (const [value, sum] of ranked) {
    if (left === 0 || sum + mayRise < enough) break;
    const silent = told.filter(({ counts, least }) => least > 0 && !counts.has(value));
    if (silent.length > 0) left -= 1;
    for (const { reader } of silent) wanted.set(reader, (wanted.get(reader) ?? new Set()).add(value));
  }
  return wanted;
}

function holding(name: string, compares: Comparison, keys: readonly string[]): Filter {
  if (compares !== 'number' && compares !== 'date') return { kind: 'terms', name, include: keys, exclude: [] };
  const numbers = keys.map(Number).filter(Number.isFinite).sort((a, b) => a - b);
  return { kind: 'intervals', name, include: numbers.map((number) => [number, number] as const), exclude: [] };
}
