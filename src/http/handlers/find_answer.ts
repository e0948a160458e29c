import { unitsOfRows } from '../../accounts/plans.ts';
import { LIMITS } from '../../config/limits.ts';
import type { Find, FoundPage, FoundStream } from '../../find/find.ts';
import { hundredths, hundredthsText } from '../../lib/rounding.ts';
import type { FindAnswer } from '../../model/answer.ts';
import type { Query } from '../../model/query.ts';
import type { Call } from '../call.ts';

type Found = {
  /** What a page and the end of a stream both tell. */
  readonly report: Pick<FoundPage['page'], keyof FoundPage['page'] & keyof FoundStream['end']>;
  readonly nextCursor: string | null;
  readonly tookMs: number;
};

/** All of an answer but its rows, of a page and of a stream. */
export function answerOf(call: Call, query: Query, { report, nextCursor, tookMs }: Found): FindAnswer {
  return {
    total: report.total,
    warnings: report.warnings,
    errors: report.errors,
    type: query.type,
    returned: report.returned,
    next_cursor: nextCursor,
    total_relation: report.relation,
    partial: report.partial,
    took_ms: hundredths(tookMs),
    request_id: call.requestId,
    facets: report.facets,
    client_ref: query.clientRef,
    sources: report.outcomes,
  };
}

/** `took_ms` ends where the encoding begins, which writes it. */
export function answerOfPage(call: Call, query: Query, { page, nextCursor }: FoundPage, encodedFrom: number): FindAnswer {
  return answerOf(call, query, { report: page, nextCursor, tookMs: encodedFrom - call.receivedMs });
}

/** A large page takes longer to be written than many deadlines leave: it ends behind the rows that were written by then. */
export function writtenUntilMs({ receivedMs }: Call, { timeoutMs }: Query): number {
  return receivedMs + timeoutMs + LIMITS.rowsLateMs;
}

type Written = { readonly rows: number; readonly bytes: number };

/** The page of the rows that were written, for which its caller pays. One that is full is as whole as one of fewer rows that were asked for. */
export function settleWritten(call: Call, find: Find, query: Query, found: FoundPage, { rows, bytes }: Written): FoundPage {
  const given = rows === found.page.rows.length ? found : find.cutPage(found, query, rows, bytes < LIMITS.answerBytesMax);
  settleFound(call, given.page);
  return given;
}

export function settleFound(call: Call, { returned, outcomes }: FoundPage['page']): void {
  call.rows = returned;
  call.sources = outcomes;
  call.settle(unitsOfRows(returned));
}

export function timingLine({ planMs, scanMs, mergeMs }: FoundPage, encodeMs: number): string {
  return `\r\nServer-Timing: plan;dur=${hundredthsText(planMs)}, scan;dur=${hundredthsText(scanMs)}, merge;dur=${hundredthsText(mergeMs)}, encode;dur=${hundredthsText(encodeMs)}`;
}
