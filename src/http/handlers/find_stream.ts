import { unitsOfRows } from '../../accounts/plans.ts';
import { contentType } from '../../encode/negotiate.ts';
import type { RowShape } from '../../encode/rows.ts';
import type { Find, FoundStream, Leaving } from '../../find/find.ts';
import { monotonicMs } from '../../lib/clock.ts';
import { hundredths } from '../../lib/rounding.ts';
import type { StreamAnswer } from '../../model/answer.ts';
import { ORDER_HEADER, ORDER_IDENTITY } from '../../model/hops.ts';
import type { Query } from '../../model/query.ts';
import { STATUS_GONE, type Call } from '../call.ts';
import { answerOf } from './find_answer.ts';
import { NdjsonOutlet } from './ndjson_outlet.ts';

/** Streams a search as lines. Once the stream has begun, whatever fails is its last line, and thrown on to be logged. */
export async function streamFind(call: Call, find: Find, query: Query, shape: RowShape): Promise<void> {
  let outlet: NdjsonOutlet | null = null;
  const leaving = leavingOf(call);
  try {
    const found = await find.stream(query, call.receivedMs, leaving, () => {
      call.begin(contentType('ndjson'), query.hops === undefined ? [] : [[ORDER_HEADER, ORDER_IDENTITY]]);
      outlet = new NdjsonOutlet(call, shape, leaving);
      return outlet;
    });
    call.sources = found.end.outcomes;
    if (!call.exchange.live) call.status = STATUS_GONE;
    call.settle(unitsOfRows(found.end.returned));
    await outlet!.last({ '@end': endOf(call, query, found, outlet!.deliverMs) });
  } catch (error) {
    if (outlet === null) throw error;
    call.settle(unitsOfRows((outlet as NdjsonOutlet).rowsSent));
    await (outlet as NdjsonOutlet).fail(error);
    throw error;
  }
}

/** A key that is revoked ends its streams as a caller who leaves does, but that he is told. */
function leavingOf({ exchange, permit }: Call): Leaving & { readonly revoked: boolean } {
  let revoked = false;
  permit?.onRevoked(() => { revoked = true; });
  return {
    get revoked() { return revoked; },
    onGone(listener) {
      exchange.onGone(listener);
      permit?.onRevoked(listener);
    },
  };
}

function endOf(call: Call, query: Query, { end, nextCursor, planMs, streamMs }: FoundStream, deliverMs: number): StreamAnswer {
  return {
    ...answerOf(call, query, { report: end, nextCursor, tookMs: monotonicMs() - call.receivedMs }),
    units_charged: call.permit?.charged ?? 0,
    units_remaining: call.unitsRemaining(),
    timing: { plan: hundredths(planMs), stream: hundredths(streamMs), deliver: hundredths(deliverMs) },
  };
}
