import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Accounts } from '../../../src/accounts/open.ts';
import { rowLayout, RowShape } from '../../../src/encode/rows.ts';
import type { Find, FoundStream, StreamOutlet } from '../../../src/find/find.ts';
import { Call } from '../../../src/http/call.ts';
import { makeCors } from '../../../src/http/cors.ts';
import { problemAnswer } from '../../../src/http/problem.ts';
import { streamFind } from '../../../src/http/handlers/find_stream.ts';
import { vocabulary } from '../../../src/model/vocabulary.ts';
import { KeptExchange } from '../../support/exchanges.ts';
import { queryOf } from '../../support/memory_lanes.ts';
import { pause } from '../../support/runners.ts';

const SHAPE = new RowShape(rowLayout(vocabulary('contacts')), null);
const ENDED: FoundStream = {
  end: { outcomes: [], warnings: [], errors: [], partial: false, total: 0, relation: 'eq', next: null, facets: null, returned: 0 },
  nextCursor: null, planMs: 0, streamMs: 0,
};

function callOver(exchange: KeptExchange): Call {
  return new Call(exchange, 'id-1', new Map(), problemAnswer, {} as Accounts, makeCors([]));
}

/** A search that goes as the test says. */
function finding(act: (outlet: StreamOutlet, onGone: (listener: () => void) => void) => Promise<void>): Find {
  return {
    stream: async (_: unknown, __: number, caller: { onGone(listener: () => void): void }, begin: () => StreamOutlet) => {
      await act(begin(), (listener) => caller.onGone(listener));
      return ENDED;
    },
  } as unknown as Find;
}

describe('a stream of lines', () => {
  it('sends a heartbeat after five seconds of silence, and never amid another write', async () => {
    const exchange = new KeptExchange();
    await streamFind(callOver(exchange), finding(async (outlet) => {
      await pause(7_600);
      await outlet.cursor('abc');
    }), queryOf({}), SHAPE);
    assert.deepEqual(exchange.lines.slice(0, 2), ['{"@heartbeat":{}}', '{"@cursor":"abc"}']);
    assert.match(exchange.lines.at(-1)!, /^\{"@end":/);
    assert.ok(exchange.ended);
  });

  it('that fails after it began says so in its last line, without a word of what is inside, and is logged', async () => {
    const exchange = new KeptExchange();
    await assert.rejects(streamFind(callOver(exchange), finding(() => Promise.reject(new Error('secret inside'))), queryOf({}), SHAPE), /secret inside/);
    assert.equal(exchange.lines.length, 1);
    const last = JSON.parse(exchange.lines[0]!) as { '@error': { error: string; request_id: string } };
    assert.deepEqual([last['@error'].error, last['@error'].request_id], ['internal', 'id-1']);
    assert.ok(!exchange.text.includes('secret'));
    assert.ok(exchange.ended);
  });

  it('tells the search when its reader has left', async () => {
    const exchange = new KeptExchange();
    let told = false;
    await streamFind(callOver(exchange), finding(async (_, onGone) => {
      onGone(() => { told = true; });
      exchange.leave();
    }), queryOf({}), SHAPE);
    assert.ok(told);
  });
});
