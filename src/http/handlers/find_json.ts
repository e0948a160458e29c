import { encodeJson, encodeTexts, writeResults } from '../../encode/json.ts';
import type { RowShape } from '../../encode/rows.ts';
import type { SinkPool } from '../../encode/sink_pool.ts';
import { releasePage, type Find, type FoundPage } from '../../find/find.ts';
import { monotonicMs } from '../../lib/clock.ts';
import type { Query } from '../../model/query.ts';
import { ownLines } from '../answer_lines.ts';
import type { Call } from '../call.ts';
import { answerOfPage, settleFound, settleWritten, timingLine, writtenUntilMs } from './find_answer.ts';

/** Of rows that are text already, at once: most calls. */
export function answerTexts(call: Call, query: Query, found: FoundPage, sinks: SinkPool): void {
  const sink = sinks.take();
  try {
    if (!call.exchange.live) return;
    settleFound(call, found.page);
    const encodedFrom = monotonicMs();
    const answer = answerOfPage(call, query, found, encodedFrom);
    const body = encodeTexts(sink, found.page.texts!, answer);
    call.answer({ status: 200, headers: ownLines(timingLine(found, monotonicMs() - encodedFrom)), body });
  } finally {
    sinks.give(sink);
    releasePage(found.page);
  }
}

/** Of rows that are put together here: cut down to some fields, filled, or of several sources. */
export async function answerRows(call: Call, find: Find, query: Query, found: FoundPage, { shape, sinks }: { readonly shape: RowShape; readonly sinks: SinkPool }): Promise<void> {
  if (!call.exchange.live) return;
  const sink = sinks.take();
  try {
    const encodedFrom = monotonicMs();
    const rows = await writeResults(sink, found.page.rows, shape, writtenUntilMs(call, query));
    if (!call.exchange.live) return;
    const given = settleWritten(call, find, query, found, { rows, bytes: sink.length });
    const body = encodeJson(sink, answerOfPage(call, query, given, encodedFrom));
    call.answer({ status: 200, headers: ownLines(timingLine(given, monotonicMs() - encodedFrom)), body });
  } finally {
    sinks.give(sink);
  }
}
