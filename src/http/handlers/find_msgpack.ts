import { encodeMsgpack, packRows } from '../../encode/msgpack.ts';
import { contentType } from '../../encode/negotiate.ts';
import type { RowShape } from '../../encode/rows.ts';
import type { Find, FoundPage } from '../../find/find.ts';
import { monotonicMs } from '../../lib/clock.ts';
import type { Query } from '../../model/query.ts';
import { ownLines } from '../answer_lines.ts';
import type { Call } from '../call.ts';
import { answerOfPage, settleWritten, timingLine, writtenUntilMs } from './find_answer.ts';

export async function answerMsgpack(call: Call, find: Find, query: Query, found: FoundPage, shape: RowShape): Promise<void> {
  if (!call.exchange.live) return;
  const encodedFrom = monotonicMs();
  const packed = await packRows(found.page.rows, shape, writtenUntilMs(call, query));
  if (!call.exchange.live) return;
  const given = settleWritten(call, find, query, found, packed);
  const body = encodeMsgpack(packed, answerOfPage(call, query, given, encodedFrom));
  call.answer({ status: 200, contentType: contentType('msgpack'), headers: ownLines(timingLine(given, monotonicMs() - encodedFrom)), body });
}
