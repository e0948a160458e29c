/** How a filter was served by one source. */
export type FilterUse = { readonly pushed: readonly string[]; readonly residual: readonly string[]; readonly unsupported: readonly string[] };

/** What became of one source in one call: the `sources` entry of the answer. */
export type Outcome = {
  readonly source: string;
  readonly status: 'complete' | 'partial' | 'failed' | 'skipped';
  /** Null when complete; else a short phrase without host, path or provider text. */
  readonly reason: string | null;
  readonly returned: number;
  /** Rows that match in this source; null where it did not count. */
  readonly matched: number | null;
  readonly took_ms: number;
  readonly filters: FilterUse;
};

export type TotalRelation = 'eq' | 'gte' | 'lte' | 'approx';
