import type { Chunk } from '../model/chunk.ts';
import type { Vocabulary } from '../model/vocabulary.ts';
import type { Filter } from '../model/filter.ts';
import type { Query, RowOrder } from '../model/query.ts';
import type { Lane } from '../plan/plan.ts';
import type { CancelLease } from '../pool/cancel.ts';
import type { FacetCounts } from '../model/answer.ts';
import type { PageForm } from '../pool/protocol.ts';
import type { ScanPool } from '../pool/scan_pool.ts';
import type { FailureCode } from '../sources/source.ts';
import type { ForeignScans } from './foreign_scans.ts';

/** What a search runs on, and until when. */
export type SearchCall = {
  readonly pool: ScanPool;
  readonly lease: CancelLease;
  readonly foreign: ForeignScans;
  /** Of the rows that are searched. */
  readonly vocabulary: Vocabulary;
  /** On the monotonic clock. */
  readonly deadlineMs: number;
  onGone(listener: () => void): void;
};

/** What one call shares with all its lanes. */
export type CallContext = SearchCall & {
  readonly query: Query;
  readonly order: RowOrder;
  /** As what rows of a lake may come, where they are asked for as text. */
  readonly form: PageForm;
};

export type LaneEnd = 'end' | 'deadline' | 'cancelled' | 'failed';
export type LaneFailure = FailureCode | 'worker_lost' | 'scan_crashed' | 'segment_unknown';

/**
 * Reads one lane, piece by piece, and remembers how it went. A lane that is lost says so in `ended`: nothing here rejects, but `next` where the walk cannot go on, with `stale_cursor`.
 */
export interface LaneReader {
  readonly lane: Lane;
  readonly ended: LaneEnd | null;
  readonly failure: LaneFailure | null;
  /** Why the total and the facets are missing though the rows came; null where they are not, or the source cannot count. */
  readonly uncounted: Exclude<LaneEnd, 'end'> | null;
  /** Matches of the lane in all; null where they were not asked for, or not counted. */
  readonly matched: number | null;
  readonly facets: readonly FacetCounts[] | null;
  /** Whether `matched` may count rows that are suppressed. */
  readonly overcounts: boolean;
  /** Whether there may be more of them. */
  readonly undercounts: boolean;
  /** Rows that came and could not be used. */
  readonly dropped: number;
  /** Counts one more of them, which has rotted where it is stored. */
  drop(): void;
  readonly tookMs: number;
  /** The next rows, at least one; null once the lane has ended. Asking for them is the credit. */
  next(rowsMax: number, bytesMax?: number): Promise<Chunk | null>;
  /** No row more is wanted; resolves once `matched` and `facets` are what they will be. */
  settle(): Promise<void>;
  /** Adds to a facet the values that `filter` asks for, which were left out of it. */
  recount(name: string, filter: Filter, isWanted: (value: string) => boolean): Promise<void>;
  /** Nobody waits for anything of it any more: what runs for it and would not end with the call's lease is stopped. */
  close(): void;
}
