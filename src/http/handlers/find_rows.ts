import type { ByteSink } from '../../encode/byte_sink.ts';
import { csvHeaders, writeCsv } from '../../encode/csv.ts';
import { encodeJson, writeResults } from '../../encode/json.ts';
import { encodeMsgpack, packRows } from '../../encode/msgpack.ts';
import { contentType, type Media } from '../../encode/negotiate.ts';
import type { RowShape } from '../../encode/rows.ts';
import type { SinkPool } from '../../encode/sink_pool.ts';
import type { Find, FoundPage } from '../../find/find.ts';
import { monotonicMs } from '../../lib/clock.ts';
import type { FindAnswer } from '../../model/answer.ts';
import type { Query } from '../../model/query.ts';
import { headerLines, ownLines } from '../answer_lines.ts';
import type { Call } from '../call.ts';
import { answerOfPage, settleWritten, timingLine, writtenUntilMs } from './find_answer.ts';

type PageMedia = Exclude<Media, 'ndjson'>;
export type Answering = { readonly media: PageMedia; readonly find: Find; readonly shape: RowShape; readonly sinks: SinkPool };

/** Of rows that are put together here: filled, of several sources, or such as no thread that scans has made. Fails of a broken row before anything is settled or sent. */
export async function answerRows(call: Call, query: Query, found: FoundPage, { media, find, shape, sinks }: Answering): Promise<void> {
  if (!call.exchange.live) return;
  const sink = sinks.take();
  try {
    const encodedFrom = monotonicMs();
    const rows = await writerOf(media)(sink, found.page.rows, shape, writtenUntilMs(call, query));
    if (!call.exchange.live) return;
    const given = settleWritten(call, find, query, found, { rows, bytes: sink.length });
    answerWritten(call, query, given, { media, sink, encodedFrom });
  } finally {
    sinks.give(sink);
  }
}

function writerOf(media: PageMedia): typeof writeResults {
  switch (media) {
    case 'json': return writeResults;
    case 'msgpack': return packRows;
    case 'csv': return writeCsv;
    default: return media satisfies never;
  }
}

type Written = { readonly media: PageMedia; readonly sink: ByteSink; readonly encodedFrom: number };

/** Of rows that the sink holds. */
export function answerWritten(call: Call, query: Query, found: FoundPage, { media, sink, encodedFrom }: Written): void {
  const answer = answerOfPage(call, query, found, encodedFrom);
  const body = bodyOf(media, sink, { rows: found.page.returned, answer });
  const lines = timingLine(found, monotonicMs() - encodedFrom) + (media === 'csv' ? headerLines(csvHeaders(answer)) : '');
  call.answer({ status: 200, contentType: contentType(media), headers: ownLines(lines), body });
}

function bodyOf(media: PageMedia, sink: ByteSink, { rows, answer }: { readonly rows: number; readonly answer: FindAnswer }): Uint8Array {
  switch (media) {
    case 'json': return encodeJson(sink, answer);
    case 'msgpack': return encodeMsgpack(sink, rows, answer);
    case 'csv': return sink.view();
    default: return media satisfies never;
  }
}
