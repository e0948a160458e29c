import type { Dataset } from './dataset.ts';
import type { Filter } from './filter.ts';

/** One part of a free text. A word and a prefix hold one folded word, a phrase two or more, in one field. */
export type Term = { readonly kind: 'word' | 'prefix' | 'phrase'; readonly words: readonly string[]; readonly negated: boolean };

/** `stored` needs no look at keys, and streams runs of rows; `identity` lets the same person of several sources meet. */
export type RowOrder = 'stored' | 'identity';

/** A search, checked and normalised: plain data, frozen, free of the request's wording. */
export type Query = {
  readonly type: Dataset;
  readonly terms: readonly Term[];
  readonly filters: readonly Filter[];
  /** Row fields to return, in row order; null for all of them. */
  readonly fields: readonly string[] | null;
  readonly only: readonly string[] | null;
  readonly ignore: readonly string[];
  readonly limit: number;
  readonly cursor: string | null;
  readonly timeoutMs: number;
  readonly dedupe: boolean;
  readonly count: 'exact' | 'none';
  readonly facets: readonly string[];
  readonly strict: boolean;
  readonly clientRef: string | null;
  readonly delivery: 'page' | 'stream';
  /** The gateways that passed the search on to this one, the first of them first; left out where a caller asked himself. */
  readonly hops?: readonly string[];
};

/** Whether nothing is to be told but the rows. */
export function isUncounted({ count, facets }: Query): boolean {
  return count === 'none' && facets.length === 0;
}
