import type { Dataset } from './dataset.ts';
import type { Outcome, TotalRelation } from './outcome.ts';

/** The most frequent values of each facet over all matches, the most frequent first. */
export type Facets = Readonly<Record<string, readonly { readonly value: string; readonly count: number }[]>>;

/** All values of one filter over the matches with their counts, unless there are too many: then the most frequent. `untoldMax`: what another value may count at most. */
export type FacetCounts = { readonly name: string; readonly values: readonly (readonly [value: string, count: number])[]; readonly untoldMax?: number };

/** An answer of find but for its rows, in the order of its members on the wire. */
export type FindAnswer = {
  readonly total: number;
  readonly warnings: readonly string[];
  readonly errors: readonly string[];
  readonly type: Dataset;
  readonly returned: number;
  readonly next_cursor: string | null;
  readonly total_relation: TotalRelation;
  readonly partial: boolean;
  readonly took_ms: number;
  readonly request_id: string;
  /** Null where none were asked for. */
  readonly facets: Facets | null;
  readonly client_ref: string | null;
  readonly sources: readonly Outcome[];
};

/** Milliseconds of a stream: rows are scanned, merged and written at once, so only the waiting for the reader stands apart. */
type StreamTiming = { readonly plan: number; readonly stream: number; readonly deliver: number };

/** The last line of a stream: what headers carry on a page stands here. `units_remaining` is null on a plan without a budget. */
export type StreamAnswer = FindAnswer & {
  readonly units_charged: number;
  readonly units_remaining: number | null;
  readonly timing: StreamTiming;
};
