import type { SourceConfig } from '../config/sources.ts';
import type { FacetCounts } from '../model/answer.ts';
import type { Row } from '../model/field.ts';
import type { Filter } from '../model/filter.ts';
import type { TotalRelation } from '../model/outcome.ts';
import type { RowOrder, Term } from '../model/query.ts';
import type { Vocabulary } from '../model/vocabulary.ts';

/** A source that is no lake: it lives in another program, and may be slow, wrong or gone. */
export type ForeignConfig = Exclude<SourceConfig, { readonly kind: 'lake' }>;
export type ForeignSettings = {
  readonly config: ForeignConfig;
  readonly vocabulary: Vocabulary;
  /** Counted across the threads: see `replicas/tallies`. */
  readonly tallies?: SharedArrayBuffer;
};

/** `pushed`: the source itself decides, and what it cannot decide for sure is tested again here. `residual`: tested here alone. */
export type FilterSupport = 'pushed' | 'residual' | 'unsupported';

export type Description = {
  /** Fields that the source has a column for. */
  readonly fields: readonly string[];
  readonly filters: Readonly<Record<string, FilterSupport>>;
  /** What the operator should mend, in words that may leave the house. */
  readonly trouble: string | null;
};

/** What takes a look at every row to know. */
export type Figures = {
  readonly rows: number | null;
  readonly updatedAt: string | null;
  readonly fill: Readonly<Record<string, number>>;
  readonly countries: Readonly<Record<string, number>>;
};

export type Search = {
  readonly filters: readonly Filter[];
  readonly terms: readonly Term[];
  /** Filters whose values are counted too; left out, any may be. */
  readonly facets?: readonly string[];
  /** The gateways that the search has passed, this one the last; a source that is a gateway too is told. */
  readonly hops?: readonly string[];
};

export type RowsRequest = Search & {
  /** `stored`: whatever is cheapest, but always the same. `identity`: class, then the bytes of the key (contract 3.3). */
  readonly order: RowOrder;
  /** Where the rows go on; null from the start. */
  readonly from: Place | null;
  /** Row fields that are wanted beside `id` and `source`, in row order; null for all of them. */
  readonly fields: readonly string[] | null;
  /** Rows that will do for now; null where all are wanted. */
  readonly rowsWanted: number | null;
  /** Where all are wanted, so many will do unless some fall away here: an engine that is asked in words, and bills by the row, is asked for no more at first. */
  readonly rowsEnough?: number;
  /** Told of rows that came and could not be used. */
  readonly dropped?: (rows: number) => void;
  /** Told before the last row that was asked for where a part of the source cannot be read: a page may be full without coming to the end, which tells it too. */
  readonly incomplete?: () => void;
};

/**
 * A place in the order of a source. The order falls into phases that are read one after the other, each by one key: an engine walks
 * an index in each of them, where one order over all would make it sort. `seen` rows of this very key have been passed.
 */
export type Place = { readonly phase: number; readonly key: string; readonly seen: number };

/** A row as the engine made it. */
export type FoundRow = {
  /** The whole row as JSON without blanks, its members in the order of the vocabulary, nulls spelled out: a text, or its bytes where the engine sends those. */
  readonly json: string | Buffer;
  readonly phase: number;
  readonly key: string;
  /** The class of its identity, where rows come in the order of identity; `key` is then the identity itself. */
  readonly keyClass: number;
  /** False where the engine could not tell whether the row matches. */
  readonly sure: boolean;
  /** The same as `json`, where it was read on the way here. */
  readonly row?: Row;
};

/** How many match for sure, and the rows of which it must still be told: null where they are too many. `relation` is of `sure`, `eq` where it is left out. */
export type Count = { readonly sure: number; readonly unsure: readonly string[] | null; readonly relation?: TotalRelation };

/**
 * One source, open in its thread. Every call takes a signal that strikes at the deadline or when the caller has left; the work is then
 * stopped on the other side too. What fails is thrown as `SourceFailure`.
 */
export interface ForeignSource {
  /** Quick: it tells that the source is there, too. */
  describe(signal: AbortSignal): Promise<Description>;
  figures(signal: AbortSignal): Promise<Figures>;
  /** Batches in order. No connection is held between two batches unless all rows are wanted. */
  rows(request: RowsRequest, signal: AbortSignal): AsyncGenerator<readonly FoundRow[]>;
  count(search: Search, signal: AbortSignal): Promise<Count>;
  /** Null where it cannot tell for sure. */
  facet(name: string, search: Search, signal: AbortSignal): Promise<FacetCounts | null>;
  close(): Promise<void>;
}

/**
 * `unreachable`: it did not take the connection. `refused`: it would not run what was asked. `broken`: it failed amid the answer.
 * `malformed`: its answer is not what was agreed. `overloaded`: it has no room, or asks to come back later. `partial`: it says itself that
 * rows are missing. `looped`: it asks this gateway in turn. `too_many`: more rows match than can be put in order here.
 * `incomplete`: a part of it cannot be read; the rest was given. `changed`: the place where its rows are to go on is none in the order that they have by now.
 */
export type FailureCode = 'unreachable' | 'refused' | 'broken' | 'malformed' | 'overloaded' | 'partial' | 'looped' | 'too_many' | 'incomplete' | 'changed';

/** A failure of a source. The message is for the operator's log: it may quote the provider, and never reaches a caller. */
export class SourceFailure extends Error {
  override readonly name = 'SourceFailure';
  readonly code: FailureCode;
  /** Whether the other side may have begun to work on what it was asked; not where it says that it rolled that back. */
  readonly started: boolean;

  constructor(code: FailureCode, message: string, started: boolean = code !== 'unreachable') {
    super(message);
    this.code = code;
    this.started = started;
  }
}
