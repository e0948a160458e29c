import { monotonicMs } from '../../lib/clock.ts';
import type { TrayWriter } from '../../pool/tray_protocol.ts';
import type { FailedReply, ScanReply, ScanRequest, TextAt } from '../../pool/protocol.ts';
import { countBeside, type Targets } from './beside.ts';
import { Interrupt } from './interrupt.ts';
import { replyOf, scanRows, type RowsSlice } from './scan.ts';
import type { Tallies } from './tallies.ts';
import type { Tally } from './tally.ts';
import type { ScanTarget } from './target.ts';

/** The thread that scans, and what it keeps from one batch to the next. */
export type ScanThread = {
  readonly id: number;
  readonly cancelFlags: Int32Array;
  readonly targets: Targets;
  readonly tallies: Tallies;
  /** Where pages may be written as text; null where there is no such place. */
  readonly trays: TrayWriter | null;
};

/** A scan whose rows are found: from `startedMs` to `foundMs`, where the next one starts. */
type Begun = {
  readonly request: ScanRequest;
  readonly target: ScanTarget;
  readonly interrupt: Interrupt;
  readonly slice: RowsSlice;
  readonly beside: readonly number[] | null;
  readonly startedMs: number;
  readonly foundMs: number;
};

/** What is left of a batch's time, and how many of its scans are to share it. */
type Left = { readonly endMs: number; readonly scans: number };

/**
 * One slice of each scan, all within one budget: the rows of all first, then their tallies, each of which is given an even share of what
 * is left, so that a cheap one is never late for a dear one. Scans that the budget did not reach are left out; the first always gets a step.
 */
export function scanBatch(thread: ScanThread, scans: readonly ScanRequest[], sliceMs: number): ScanReply<TextAt>[] {
  thread.tallies.sweep(thread.cancelFlags);
  let startedMs = monotonicMs();
  const endMs = sliceEnd(scans, startedMs, sliceMs);
  const begun: (Begun | ScanReply<TextAt>)[] = [];
  for (const request of scans) {
    if (begun.length > 0 && startedMs >= endMs) break;
    const one = begin(thread, request, { startedMs, endMs });
    begun.push(one);
    startedMs = 'ok' in one ? monotonicMs() : one.foundMs;
  }
  const replies: ScanReply<TextAt>[] = [];
  for (const one of begun) replies.push('ok' in one ? one : finish(thread, one, { endMs, scans: begun.length - replies.length }));
  return replies;
}

/** No later than the first deadline of a scan that can still meet its own: the replies of a batch come home together. */
function sliceEnd(scans: readonly ScanRequest[], nowMs: number, sliceMs: number): number {
  let endMs = nowMs + sliceMs;
  for (const { deadlineMs } of scans) if (deadlineMs > nowMs && deadlineMs < endMs) endMs = deadlineMs;
  return endMs;
}

function begin(thread: ScanThread, request: ScanRequest, { startedMs, endMs }: { readonly startedMs: number; readonly endMs: number }): Begun | ScanReply<TextAt> {
  const target = targetOf(thread.targets, request.segment);
  if ('ok' in target) return target;
  const interrupt = new Interrupt(request, thread.cancelFlags, endMs);
  try {
    const resting = request.rowsMax === 0 ? thread.tallies.take(request, target) : null;
    const slice = scanRows(target, request, interrupt, { resting, trays: thread.trays, startedMs });
    const beside = request.beside.length === 0 || slice.struck !== null ? null : countBeside(thread.targets, request);
    return { request, target, interrupt, slice, beside, startedMs, foundMs: monotonicMs() };
  } catch (error) {
    return failed('scan_crashed', error);
  }
}

function targetOf(targets: Targets, segment: string): ScanTarget | FailedReply {
  try {
    return targets.get(segment) ?? { ok: false, code: 'segment_unknown', detail: 'the segment is not mounted' };
  } catch (error) {
    return failed('segment_unknown', error);
  }
}

function finish(thread: ScanThread, begun: Begun, left: Left): ScanReply<TextAt> {
  const { request, interrupt, slice, beside, startedMs, foundMs } = begun;
  if (slice.tally === null) return replyOf(slice, { request, totals: slice.totals, beside, interrupt, heldBy: null, tookMs: foundMs - startedMs });
  try {
    return tallied(thread, begun, slice.tally, left);
  } catch (error) {
    const { text } = slice.rows;
    if (text !== null) thread.trays!.putBack(text.tray);
    return failed('scan_crashed', error);
  }
}

function tallied({ id, tallies }: ScanThread, begun: Begun, tally: Tally, { endMs, scans }: Left): ScanReply<TextAt> {
  const { request, target, interrupt, slice, beside, startedMs, foundMs } = begun;
  const nowMs = monotonicMs();
  interrupt.renew(nowMs + (endMs - nowMs) / scans);
  const totals = tally.advance(interrupt);
  const rests = totals === null && interrupt.struck() === null && tallies.keep(request, target, tally);
  return replyOf(slice, { request, totals, beside, interrupt, heldBy: rests ? id : null, tookMs: foundMs - startedMs + monotonicMs() - nowMs });
}

/** A scan that throws fails alone. */
function failed(code: FailedReply['code'], error: unknown): FailedReply {
  return { ok: false, code, detail: error instanceof Error ? error.stack ?? error.message : String(error) };
}
