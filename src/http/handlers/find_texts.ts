import { joinCsv } from '../../encode/csv.ts';
import { encodeTexts } from '../../encode/json.ts';
import { joinPacked } from '../../encode/msgpack.ts';
import type { RowShape } from '../../encode/rows.ts';
import type { SinkPool } from '../../encode/sink_pool.ts';
import { releasePage, type FoundPage } from '../../find/find.ts';
import { monotonicMs } from '../../lib/clock.ts';
import type { Query } from '../../model/query.ts';
import { ownLines } from '../answer_lines.ts';
import type { Call } from '../call.ts';
import { answerOfPage, settleFound, timingLine } from './find_answer.ts';
import { answerWritten } from './find_rows.ts';

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

type Joining = { readonly media: 'msgpack' | 'csv'; readonly shape: RowShape; readonly sinks: SinkPool };

/** The same of maps of MessagePack, or lines of CSV. */
export function answerJoined(call: Call, query: Query, found: FoundPage, { media, shape, sinks }: Joining): void {
  const sink = sinks.take();
  try {
    if (!call.exchange.live) return;
    settleFound(call, found.page);
    const encodedFrom = monotonicMs();
    if (media === 'csv') joinCsv(sink, found.page.texts!, shape);
    else joinPacked(sink, found.page.texts!);
    answerWritten(call, query, found, { media, sink, encodedFrom });
  } finally {
    sinks.give(sink);
    releasePage(found.page);
  }
}
