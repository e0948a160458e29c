import { LIMITS } from '../../config/limits.ts';
import { csvHeaders, encodeCsv } from '../../encode/csv.ts';
import { contentType } from '../../encode/negotiate.ts';
import type { RowShape } from '../../encode/rows.ts';
import type { Find, FoundPage } from '../../find/find.ts';
import { monotonicMs } from '../../lib/clock.ts';
import type { Query } from '../../model/query.ts';
import { headerLines, ownLines } from '../answer_lines.ts';
import type { Call } from '../call.ts';
import { answerOf, settleFound, timingLine } from './find_answer.ts';

/** A large page takes longer to be made than many deadlines leave: it ends behind the rows that were made by then. */
export async function answerCsv(call: Call, find: Find, query: Query, found: FoundPage, shape: RowShape): Promise<void> {
  if (!call.exchange.live) return;
  const encodedFrom = monotonicMs();
  const { body, rows } = await encodeCsv(found.page.rows, shape, call.receivedMs + query.timeoutMs + LIMITS.rowsLateMs);
  if (!call.exchange.live) return;
  const given = rows === found.page.rows.length ? found : find.cutPage(found, query, rows);
  settleFound(call, given.page);
  const answer = answerOf(call, query, { report: given.page, nextCursor: given.nextCursor, tookMs: encodedFrom - call.receivedMs });
  const lines = timingLine(given, monotonicMs() - encodedFrom) + headerLines(csvHeaders(answer));
  call.answer({ status: 200, contentType: contentType('csv'), headers: ownLines(lines), body });
}
