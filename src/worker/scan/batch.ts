import { monotonicMs } from '../../lib/clock.ts';
import type { TrayWriter } from '../../pool/tray_protocol.ts';
import type { ScanReply, ScanRequest, TextAt } from '../../pool/protocol.ts';
import { Interrupt } from './interrupt.ts';
import { replyOf, scanRows, type RowsSlice } from './scan.ts';
import type { Tallies } from './tallies.ts';
import type { ScanTarget } from './target.ts';

/** The thread that scans, and what it keeps from one batch to the next. */
export type ScanThread = {
  readonly id: number;
  readonly cancelFlags: Int32Array;
  readonly targets: ReadonlyMap<string, ScanTarget>;
  readonly tallies: Tallies;
  /** Where pages may be written as text; null where there is no such place. */
  readonly trays: TrayWriter | null;
};

type Begun = { readonly request: ScanRequest; readonly target: ScanTarget; readonly interrupt: Interrupt; readonly slice: RowsSlice };

/**
 * One slice of each scan, all within one budget: the rows of all first, then their tallies, each of which is given an even share of what
 * is left, so that a cheap one is never late for a dear one. Scans that the budget did not reach are left out; the first always gets a step.
 */
export function scanBatch(thread: ScanThread, scans: readonly ScanRequest[], sliceMs: number): ScanReply<TextAt>[] {
  thread.tallies.sweep(thread.cancelFlags);
  const endMs = sliceEnd(scans, sliceMs);
  const begun: (Begun | ScanReply<TextAt>)[] = [];
  for (const request of scans) {
    if (begun.length > 0 && monotonicMs() >= endMs) break;
    begun.push(failingAlone(() => begin(thread, request, endMs)));
  }
  return begun.map((one, at) => ('ok' in one ? one : failingAlone(() => finish(thread, one, shareEnd(endMs, begun.length - at)))));
}

/** No later than the first deadline of a scan that can still meet its own: the replies of a batch come home together. */
function sliceEnd(scans: readonly ScanRequest[], sliceMs: number): number {
  const nowMs = monotonicMs();
  return scans.reduce((endMs, { deadlineMs }) => (deadlineMs > nowMs ? Math.min(endMs, deadlineMs) : endMs), nowMs + sliceMs);
}

function shareEnd(endMs: number, left: number): number {
  const nowMs = monotonicMs();
  return nowMs + (endMs - nowMs) / left;
}

function begin(thread: ScanThread, request: ScanRequest, sliceEndMs: number): Begun | ScanReply<TextAt> {
  const target = thread.targets.get(request.segment);
  if (target === undefined) return { ok: false, code: 'segment_unknown', detail: 'the segment is not mounted' };
  const interrupt = new Interrupt(request, thread.cancelFlags, sliceEndMs);
  const resting = request.rowsMax === 0 ? thread.tallies.take(request, target) : null;
  return { request, target, interrupt, slice: scanRows(target, request, interrupt, { resting, trays: thread.trays }) };
}

function finish(thread: ScanThread, begun: Begun, sliceEndMs: number): ScanReply<TextAt> {
  try {
    return tallied(thread, begun, sliceEndMs);
  } catch (error) {
    const { text } = begun.slice.rows;
    if (text !== null) thread.trays!.putBack(text.tray);
    throw error;
  }
}

function tallied({ id, tallies }: ScanThread, { request, target, interrupt, slice }: Begun, sliceEndMs: number): ScanReply<TextAt> {
  const startedMs = monotonicMs();
  interrupt.renew(sliceEndMs);
  const totals = slice.tally?.advance(interrupt) ?? null;
  const rests = slice.tally !== null && totals === null && interrupt.struck() === null && tallies.keep(request, target, slice.tally);
  return replyOf(slice, { request, totals, interrupt, heldBy: rests ? id : null, talliedMs: monotonicMs() - startedMs });
}

function failingAlone<T>(act: () => T): T | ScanReply<TextAt> {
  try {
    return act();
  } catch (error) {
    return { ok: false, code: 'scan_crashed', detail: error instanceof Error ? error.stack ?? error.message : String(error) };
  }
}
