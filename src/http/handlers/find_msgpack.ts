import { LIMITS } from '../../config/limits.ts';
import { encodeMsgpack, packRows } from '../../encode/msgpack.ts';
import { contentType } from '../../encode/negotiate.ts';
import type { RowShape } from '../../encode/rows.ts';
import type { Find, FoundPage } from '../../find/find.ts';
import { monotonicMs } from '../../lib/clock.ts';
import type { Query } from '../../model/query.ts';
import { ownLines } from '../answer_lines.ts';
import type { Call } from '../call.ts';
import { answerOf, settleFound, timingLine } from './find_answer.ts';

/** A page whose rows take longer to be packed than its deadline leaves ends behind those that were by then. */
export async function answerMsgpack(call: Call, find: Find, query: Query, found: FoundPage, shape: RowShape): Promise<void> {
  if (!call.exchange.live) return;
  const encodedFrom = monotonicMs();
  const packed = await packRows(found.page.rows, shape, call.receivedMs + query.timeoutMs + LIMITS.rowsLateMs);
  if (!call.exchange.live) return;
  const given = packed.length === found.page.rows.length ? found : find.cutPage(found, query, packed.length);
  settleFound(call, given.page);
  const body = encodeMsgpack(packed, answerOf(call, query, { report: given.page, nextCursor: given.nextCursor, tookMs: encodedFrom - call.receivedMs }));
  call.answer({ status: 200, contentType: contentType('msgpack'), headers: ownLines(timingLine(given, monotonicMs() - encodedFrom)), body });
}
