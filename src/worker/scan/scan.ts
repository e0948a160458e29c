import { Matcher } from '../../filter/matcher.ts';
import type { Reading } from '../../filter/reading.ts';
import type { TrayWriter } from '../../pool/tray_protocol.ts';
import type { ScanReply, ScanRequest, TextAt } from '../../pool/protocol.ts';
import { countAtOnce, lessDead } from './count.ts';
import { gather } from './gather.ts';
import type { Interrupt } from './interrupt.ts';
import { rankedPage, type Page } from './page.ts';
import { writeText } from './page_text.ts';
import { storedPage } from './stored_page.ts';
import { Tally, type Totals } from './tally.ts';
import type { ScanTarget } from './target.ts';

type Scanned = Extract<ScanReply<TextAt>, { readonly ok: true }>;
/** The rows themselves, in one of the forms in which they leave the thread. */
type Rows = Pick<Scanned, 'table' | 'bytes' | 'text'>;

/** What a slice found at once, and how it goes on: its rows never wait for its tally. */
export type RowsSlice = {
  readonly page: Page;
  /** A tray among them must be told of, or put back. */
  readonly rows: Rows;
  /** Where they were asked for and took no time worth telling. */
  readonly totals: Totals | null;
  /** Null where there is nothing left to tally, or no longer any use in it. */
  readonly tally: Tally | null;
  readonly struck: 'deadline' | 'cancelled' | null;
};

type Given = {
  /** The tally that an earlier slice of the same scan began. */
  readonly resting: Tally | null;
  readonly trays: TrayWriter | null;
  readonly startedMs: number;
};

/** The rows of one slice; to read and write them is of its time too. */
export function scanRows(target: ScanTarget, request: ScanRequest, interrupt: Interrupt, { resting, trays, startedMs }: Given): RowsSlice {
  let read: Reading | null = null;
  const prepared = (): Reading => (read ??= target.readings.read(request.filters, request.terms));
  const page = pageOf(target, prepared, { request, interrupt, struck: interrupt.struck(startedMs) });
  const struck = page.stop === 'deadline' || page.stop === 'cancelled' ? page.stop : null;
  const wanted = struck === null && (request.count || request.facets.length > 0);
  const known = wanted && resting === null && request.count ? totalIn(page, request) ?? countAtOnce({ reading: prepared(), dead: target.dead, segment: target.segment }) : null;
  const totals = known !== null && request.facets.length === 0 ? { matched: known, facets: null } : null;
  const tally = wanted && totals === null ? resting ?? new Tally(target, prepared, request, known) : null;
  return { page, rows: gatherRows(target, request, page, trays), totals, tally, struck };
}

const NO_TABLE = new Float64Array();

function gatherRows({ segment }: ScanTarget, request: ScanRequest, page: Page, trays: TrayWriter | null): Rows {
  const text = writeText(segment, page.rows, request, trays);
  return text !== null ? { text, table: NO_TABLE, bytes: null } : { text, ...gather({ segment, page, copy: request.copy, ranked: request.order === 'identity' }) };
}

/** A caller who is gone, or whom nothing can reach in time, is found out before anything is prepared. */
function pageOf({ segment, dead }: ScanTarget, prepared: () => Reading, { request, interrupt, struck }: {
  readonly request: ScanRequest; readonly interrupt: Interrupt; readonly struck: ReturnType<Interrupt['struck']>;
}): Page {
  if (struck !== null || request.rowsMax === 0) return { rows: new Uint32Array(), stop: struck ?? 'full', after: request.after };
  const reading = prepared();
  const input = { segment, reading, matcher: new Matcher(lessDead(reading, dead)), request, interrupt };
  return request.order === 'identity' ? rankedPage(input) : storedPage(input);
}

/** A first page that is the last one has them all; others may have found them all on the way. */
function totalIn({ stop, rows, matched }: Page, { after }: ScanRequest): number | null {
  return matched ?? (stop === 'end' && after < 0 ? rows.length : null);
}

/**
 * The reply of a slice once its tally has had its time; `totals` null where it did not get to its end. Where a slice was over before it
 * could look for one row more, the total may say that there is none.
 */
export function replyOf(slice: RowsSlice, { request, totals, beside, interrupt, heldBy, tookMs }: {
  readonly request: ScanRequest; readonly totals: Totals | null; readonly beside: readonly number[] | null; readonly interrupt: Interrupt; readonly heldBy: number | null; readonly tookMs: number;
}): ScanReply<TextAt> {
  const { page, rows: { table, bytes, text }, tally, struck } = slice;
  const { after } = page;
  const rows = page.rows.length;
  const unfinished = tally !== null && totals === null;
  const state = struck ?? (unfinished ? interrupt.struck() ?? 'unfinished' : 'done');
  const matched = totals?.matched ?? null;
  const facets = totals?.facets ?? null;
  const stop = page.stop === 'full' && request.after < 0 && rows === matched ? 'end' : page.stop;
  return { ok: true, rows, table, bytes, text, stop, after, tally: state, heldBy, matched, facets, beside, tookMs };
}
