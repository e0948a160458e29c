import type { AnswerRows } from '../encode/desk_rows.ts';
import type { FacetCounts } from '../model/answer.ts';
import type { Filter } from '../model/filter.ts';
import type { RowOrder, Term } from '../model/query.ts';
import type { SegmentMount } from '../segment/mount.ts';
import type { HeldText } from './tray_protocol.ts';

/**
 * What passes between this side of the threads and the other: plain data, sealed shared buffers, transferred bytes.
 *
 *   pool ── Mount ──▶ worker                          a Piscina task, a term of service: it lasts until there is another mount
 *   pool ── Scans ──▶ worker                          all scans that were waiting, through the mailbox of the term
 *   pool ◀── BatchReply {epoch, replies} ── worker    in the order of the scans; those that the batch's time did not reach are left out
 *
 * A long scan is a chain of slices, each begun `after` the mark the last one ended at. Asking for the next slice is the credit; a slow
 * reader asks late, and a caller who left does not ask again. The tally (total and facets) that does not fit the slice that began it
 * stays with its thread, `heldBy`, until it is asked for again with `rowsMax` 0 under the same ticket, or its call is over. A thread that
 * has lost it begins anew: a tally is late, never wrong.
 */

/** All that a worker may be asked to scan, as of `epoch`. */
export type Mount = { readonly epoch: number; readonly segments: readonly SegmentMount[]; readonly cancelFlags: SharedArrayBuffer };

export type Scans = {
  readonly epoch: number;
  readonly scans: readonly ScanRequest[];
  /** How long the scans of the batch may take together, but for one step each. */
  readonly sliceMs: number;
};

/** `mount` where the thread has not been told of that epoch. */
export type ScanBatch = Scans & { readonly mount: Mount | null };

/** `rows`: each by itself. Else one text of all, as they leave in an answer of that form. */
export type PageForm = 'rows' | AnswerRows;

export type ScanRequest = {
  readonly segment: string;
  /** Cancelled when the flag at `slot` no longer holds `ticket`. */
  readonly slot: number;
  readonly ticket: number;
  /** On the monotonic clock of `lib/clock`. */
  readonly deadlineMs: number;
  readonly filters: readonly Filter[];
  readonly terms: readonly Term[];
  /** `stored`: as the rows lie (country, then identity), the fast one. `identity`: by identity alone, which comes with the rows, for a merge. */
  readonly order: RowOrder;
  /** Mark of the last row already seen; -1 from the start. A row number in `stored` order, a rank in `identity` order. */
  readonly after: number;
  /** 0 asks for the total and the facets alone. */
  readonly rowsMax: number;
  /** A slice ends after the row that reaches this. */
  readonly bytesMax: number;
  /**
   * Whether the rows are copied into a transferred buffer; else they stay in the segment, and `bytes` is null. Rows on disk are always
   * copied, and those of which an identity does not stand in the row as it is compared (it then stands behind the rows).
   */
  readonly copy: boolean;
  /** Other than `rows`: they may come as one text in a tray, without a table, see `tray_protocol`; where none is free, or it cannot be made of them there, they come as ever. */
  readonly form: PageForm;
  /** What such a text has of each row; null where it has all. */
  readonly fields: readonly string[] | null;
  readonly count: boolean;
  readonly facets: readonly string[];
  /** Small segments of which nothing but the total is wanted, where they tell it at once. */
  readonly beside: readonly string[];
};

/** Rows in the form that was asked for, in JSON with a comma between any two, at [start, end) of a tray; there is room before and behind them. */
export type TextAt = { readonly tray: number; readonly start: number; readonly end: number };

/** `Text`: as the thread tells it, or as the service has it in hand. */
export type ScanReply<Text = HeldText> =
  | {
      readonly ok: true;
      readonly rows: number;
      /**
       * Column after column, each a number a row: start, end, mark, and in `identity` order class, start and end of the key. Offsets into
       * `bytes`, or into the segment's row bytes. Of rows that lie one behind the other, in `stored` order, a few numbers stand for all: the start of
       * the first, where they stay in the segment the end of the last of each `runPartRows` before the last, the end of the last, the mark of the first.
       */
      readonly table: Float64Array;
      readonly bytes: Uint8Array | null;
      /** Where the rows came as text: then there is no table. Whoever gets it releases it. */
      readonly text: Text | null;
      /** `end`: no row is left. `full`: ask again after the last mark, even of a slice without rows. The others say what struck; `after` is where the scan stands. */
      readonly stop: 'end' | 'full' | 'deadline' | 'cancelled';
      readonly after: number;
      /** Whether the total and the facets are what was asked for; `unfinished`: ask again with `rowsMax` 0. The others say what struck. */
      readonly tally: 'done' | 'unfinished' | 'deadline' | 'cancelled';
      /** The thread that keeps an unfinished tally; null where none does. */
      readonly heldBy: number | null;
      /** Matches in the whole segment; null where it was not asked or not finished. */
      readonly matched: number | null;
      readonly facets: readonly FacetCounts[] | null;
      /** Matches in each segment beside; null where none was asked, or one of them needs a scan of its own. */
      readonly beside: readonly number[] | null;
      readonly tookMs: number;
    }
  | FailedReply;

export type FailedReply = { readonly ok: false; readonly code: 'segment_unknown' | 'scan_crashed'; readonly detail: string };

export type BatchReply<Text = HeldText> = { readonly thread: number; readonly epoch: number; readonly replies: readonly ScanReply<Text>[] };
