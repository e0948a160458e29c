import { unitsOfRows } from '../../accounts/plans.ts';
import type { FoundPage, FoundStream } from '../../find/find.ts';
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

export function settleFound(call: Call, { returned, outcomes }: FoundPage['page']): void {
  call.rows = returned;
  call.sources = outcomes;
  call.settle(unitsOfRows(returned));
}

export function timingLine({ planMs, scanMs, mergeMs }: FoundPage, encodeMs: number): string {
  return `\r\nServer-Timing: plan;dur=${hundredthsText(planMs)}, scan;dur=${hundredthsText(scanMs)}, merge;dur=${hundredthsText(mergeMs)}, encode;dur=${hundredthsText(encodeMs)}`;
}
