import { Matcher } from '../../filter/matcher.ts';
import type { Reading } from '../../filter/reading.ts';
import { monotonicMs } from '../../lib/clock.ts';
import type { ScanReply, ScanRequest } from '../../pool/protocol.ts';
import { lessDead } from './count.ts';
import { gather } from './gather.ts';
import type { Interrupt } from './interrupt.ts';
import { rankedPage, storedPage, type Page } from './page.ts';
import { Tally, type Totals } from './tally.ts';
import type { ScanTarget } from './target.ts';

type Scanned = Extract<ScanReply, { readonly ok: true }>;

/** What a slice gives at once, and how it goes on: its rows never wait for its tally. */
export type RowsSlice = Omit<Scanned, keyof Totals | 'tally' | 'heldBy'> & {
  /** Null where there is nothing to tally, or no longer any use in it. */
  readonly tally: Tally | null;
  readonly struck: 'deadline' | 'cancelled' | null;
};

/** The rows of one slice. `resting`: the tally that an earlier slice of the same scan began. */
export function scanRows(target: ScanTarget, request: ScanRequest, interrupt: Interrupt, resting: Tally | null): RowsSlice {
  const startedMs = monotonicMs();
  let read: Reading | null = null;
  const prepared = (): Reading => (read ??= target.readings.read(request.filters, request.terms));
  const page = pageOf(target, prepared, request, interrupt);
  const ranked = request.order === 'identity';
  const { table, bytes } = gather({ segment: target.segment, page, copy: request.copy, identities: request.identities, ranked });
  const struck = page.stop === 'deadline' || page.stop === 'cancelled' ? page.stop : null;
  const wanted = struck === null && (request.count || request.facets.length > 0);
  const tally = wanted ? resting ?? new Tally(target, prepared, request, totalIn(page, request)) : null;
  return { ok: true, rows: page.rows.length, table, bytes, stop: page.stop, after: page.after, tookMs: monotonicMs() - startedMs, tally, struck };
}

/** A caller who is gone, or whom nothing can reach in time, is found out before anything is prepared. */
function pageOf({ segment, dead }: ScanTarget, prepared: () => Reading, request: ScanRequest, interrupt: Interrupt): Page {
  const struck = interrupt.struck();
  if (struck !== null || request.rowsMax === 0) return { rows: new Uint32Array(), stop: struck ?? 'full', after: request.after };
  const reading = prepared();
  const input = { segment, reading, matcher: new Matcher(lessDead(reading, dead)), request, interrupt };
  return request.order === 'identity' ? rankedPage(input) : storedPage(input);
}

/** A first page that is the last one has them all. */
function totalIn({ stop, rows }: Page, { after }: ScanRequest): number | null {
  return stop === 'end' && after < 0 ? rows.length : null;
}

/**
 * The reply of a slice once its tally has had its time; `totals` null where it did not get to its end. Where a slice was over before it
 * could look for one row more, the total may say that there is none.
 */
export function replyOf(slice: RowsSlice, { request, totals, interrupt, heldBy, talliedMs }: {
  readonly request: ScanRequest; readonly totals: Totals | null; readonly interrupt: Interrupt; readonly heldBy: number | null; readonly talliedMs: number;
}): ScanReply {
  const { rows, table, bytes, after, tally, struck, tookMs } = slice;
  const unfinished = tally !== null && totals === null;
  const state = struck ?? (unfinished ? interrupt.struck() ?? 'unfinished' : 'done');
  const matched = totals?.matched ?? null;
  const facets = totals?.facets ?? null;
  const stop = slice.stop === 'full' && request.after < 0 && rows === matched ? 'end' : slice.stop;
  return { ok: true, rows, table, bytes, stop, after, tally: state, heldBy, matched, facets, tookMs: tookMs + talliedMs };
}
