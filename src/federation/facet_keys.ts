import { LIMITS } from '../config/limits.ts';
import { isAscii } from '../lib/ascii.ts';
import { keep } from '../lib/keep.ts';
import { facetKey } from '../model/compare.ts';
import type { Comparison } from '../model/filter.ts';

const known: Partial<Record<Comparison, Map<string, string>>> = {};

/** `facetKey`, remembered beyond ASCII, where it costs microseconds: a facet of towns has hundreds of such values, and the next call has the same. */
export function knownFacetKey(compares: Comparison, text: string): string {
  if (isAscii(text) || text.length > LIMITS.knownTextCharactersMax) return facetKey(compares, text);
  const keys = (known[compares] ??= new Map<string, string>());
  return keys.get(text) ?? keep(keys, text, facetKey(compares, text), LIMITS.facetKeysKnownMax);
}
