import { csvHeaders, encodeCsv } from '../../encode/csv.ts';
import { contentType } from '../../encode/negotiate.ts';
import type { RowShape } from '../../encode/rows.ts';
import type { Find, FoundPage } from '../../find/find.ts';
import { monotonicMs } from '../../lib/clock.ts';
import type { Query } from '../../model/query.ts';
import { headerLines, ownLines } from '../answer_lines.ts';
import type { Call } from '../call.ts';
import { answerOfPage, settleWritten, timingLine, writtenUntilMs } from './find_answer.ts';

export async function answerCsv(call: Call, find: Find, query: Query, found: FoundPage, shape: RowShape): Promise<void> {
  if (!call.exchange.live) return;
  const encodedFrom = monotonicMs();
  const { body, rows } = await encodeCsv(found.page.rows, shape, writtenUntilMs(call, query));
  if (!call.exchange.live) return;
  const given = settleWritten(call, find, query, found, { rows, bytes: body.length });
  const answer = answerOfPage(call, query, given, encodedFrom);
  const lines = timingLine(given, monotonicMs() - encodedFrom) + headerLines(csvHeaders(answer));
  call.answer({ status: 200, contentType: contentType('csv'), headers: ownLines(lines), body });
}
