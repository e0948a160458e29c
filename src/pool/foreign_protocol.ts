import type { MessagePort } from 'node:worker_threads';
import type { FacetCounts } from '../model/answer.ts';
import type { RowOrder } from '../model/query.ts';
import type { SharedSuppressions } from '../model/suppression/suppressions.ts';
import type { Description, FailureCode, Figures, ForeignSettings, Search } from '../sources/source.ts';

/**
 * What passes between this side of the threads and the sources that are no lakes:
 *
 *   describe    a task and its result; so are the figures
 *   close       the last task: nothing of a source runs any more when it is done, so that the thread may be ended
 *   scan        a task that ends with the scan; rows and news come over its port:
 *
 *     reader ── more ──▶ scan      one credit, one piece of rows; streams begin with several
 *     reader ── wanted ▶ scan      it has none left and waits: of a page, and of a stream that has enough, no more is read before
 *     reader ── cancel ▶ scan      the work is stopped on the other side of the socket too
 *     reader ◀── rows ── scan      a transferred buffer; `last` where no row is left
 *     reader ◀─ counted ─ scan     once, whenever it is known; of a scan that fails what of it is known by then
 *     reader ◀─ dropped ─ scan     rows that could not be used, before the piece that they would have been in
 *     reader ◀─ incomplete ─ scan  a part of the source cannot be read: before the last row that was asked for
 *     reader ◀─ failed ── scan     the last message, or else
 *     reader ◀── over ─── scan
 */
export type ForeignTask =
  | { readonly kind: 'describe' | 'figures'; readonly source: ForeignSettings; readonly deadlineMs: number }
  | { readonly kind: 'close' }
  | { readonly kind: 'scan'; readonly source: ForeignSettings; readonly request: ForeignRequest; readonly port: MessagePort };

export type ForeignRequest = Search & {
  readonly order: RowOrder;
  /** As the last row's mark; '' from the start. */
  readonly after: string;
  readonly fields: readonly string[] | null;
  /** Rows that match are as if they were not there; null where there can be none. */
  readonly suppressions: SharedSuppressions | null;
  /** Rows of a piece; 0 asks for the total and the facets alone. */
  readonly rowsMax: number;
  /** Whether all rows are wanted: they are then read ahead of the reader. */
  readonly whole: boolean;
  /** Where all are, the call is done with so many of them, unless some fall away on the way: no more is read before the reader waits for it. */
  readonly rowsEnough?: number;
  readonly count: boolean;
  readonly facets: readonly string[];
  /** On the monotonic clock of `lib/clock`. */
  readonly deadlineMs: number;
};

export type TaskReply = { readonly ok: true; readonly description: Description | null; readonly figures: Figures | null } | Failed;
export type Failed = { readonly ok: false; readonly code: FailureCode | 'timed_out'; readonly detail: string };

/** Each for all rows, one behind the other: start, end, phase, seen, keyStart, keyEnd, class. Starts and ends are offsets into `bytes`, where the keys stand behind the rows. */
export const TABLE_COLUMNS = 7;

export type RowsMessage = { readonly kind: 'rows'; readonly rows: number; readonly table: Float64Array; readonly bytes: Uint8Array; readonly last: boolean };

/** How a scan failed, or its counting. */
export type Struck = { readonly code: FailureCode | 'deadline' | 'cancelled' | 'crashed'; readonly detail: string };

export type ScanMessage =
  | RowsMessage
  | CountedMessage
  | { readonly kind: 'dropped'; readonly rows: number }
  | { readonly kind: 'incomplete' }
  | (Struck & { readonly kind: 'failed' })
  | { readonly kind: 'over' };

export type CountedMessage = {
  readonly kind: 'counted';
  readonly matched: number | null;
  /** Suppressed rows may be among the `matched`. */
  readonly atMost: boolean;
  /** More may match. */
  readonly atLeast: boolean;
  readonly facets: readonly FacetCounts[] | null;
  /** Why some of it is missing; null where nothing is but what the source cannot count. */
  readonly missed: Struck | null;
};

export type ReaderMessage = 'more' | 'wanted' | 'cancel';
