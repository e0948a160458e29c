import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { makeSurroundings } from '../../../src/http/surroundings.ts';
import type { CorkHolder } from '../../../src/http/uws/cork_holder.ts';
import { UwsExchange } from '../../../src/http/uws/exchange.ts';
import type { UwsHead } from '../../../src/http/uws/head.ts';
import type { HttpResponse } from '../../../src/http/uws/native.ts';

type Bounds = { readonly bodyDropBytesMax: number; readonly bodyDropMsMax: number };

/** A caller whose body is too large, answered as soon as that is known, who goes on sending under a clock of his own. */
function dropped(t: TestContext, bounds: Bounds): { send(bytes: number, ms: number): void; readonly closedMs: number | null } {
  let nowMs = 0;
  let closedMs: number | null = null;
  const timers = new Map<object, { readonly act: () => void; readonly atMs: number }>();
  t.mock.method(globalThis, 'setTimeout', (act: () => void, ms: number) => {
    const timer = {};
    timers.set(timer, { act, atMs: nowMs + Math.max(1, ms) });
    return timer;
  });
  t.mock.method(globalThis, 'clearTimeout', (timer: object) => { timers.delete(timer); });
  const surroundings = makeSurroundings({ host: '', port: 0, bounds });
  t.after(() => surroundings.stalls.stop());
  let receive = (_chunk: ArrayBuffer, _last: boolean): void => assert.fail('nothing is heard of the body');
  const response = {
    onAborted: () => {},
    onData: (listener: typeof receive) => { receive = listener; },
    cork: (act: () => void) => act(),
    writeStatus: () => {},
    writeHeader: () => {},
    close: () => { closedMs ??= nowMs; },
  };
  const exchange = new UwsExchange(response as unknown as HttpResponse, { method: 'POST' } as UwsHead, 1e10, surroundings, { holds: false } as CorkHolder);
  exchange.answer(413, [], 'too large');
  return {
    get closedMs() { return closedMs; },
    send(bytes, ms) {
      receive(new ArrayBuffer(bytes), false);
      nowMs += ms;
      for (const [timer, { act, atMs }] of timers) if (atMs <= nowMs && timers.delete(timer)) act();
    },
  };
}

test('a body of which too much was dropped is cut, though its next piece always comes before a timer can strike', (t) => {
  const caller = dropped(t, { bodyDropBytesMax: 1_000, bodyDropMsMax: 2_000 });
  for (let piece = 0; piece < 20; piece += 1) caller.send(100, 0.5);
  assert.ok(caller.closedMs !== null && caller.closedMs > 4 && caller.closedMs <= 7, `closed after ${caller.closedMs} ms`);
});

test('one of which little is dropped is cut when its time is over', (t) => {
  const caller = dropped(t, { bodyDropBytesMax: 1_000, bodyDropMsMax: 5 });
  for (let piece = 0; piece < 20; piece += 1) caller.send(1, 0.5);
  assert.equal(caller.closedMs, 5);
});
