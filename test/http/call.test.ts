import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Accounts } from '../../src/accounts/open.ts';
import type { Permit } from '../../src/accounts/permit.ts';
import { LIMITS } from '../../src/config/limits.ts';
import { Call } from '../../src/http/call.ts';
import { makeCors } from '../../src/http/cors.ts';
import { problemAnswer } from '../../src/http/problem.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import { KeptExchange } from '../support/exchanges.ts';
import { turnsMeanwhile } from '../support/turns_meanwhile.ts';

const BODIES = 8;

function sending(bytes: number): { readonly call: Call; readonly exchange: KeptExchange } {
  const exchange = new KeptExchange();
  exchange.body = new Uint8Array(bytes);
  return { call: new Call(exchange, 'id-1', new Map(), problemAnswer, {} as Accounts, makeCors([])), exchange };
}

/** In one turn of the loop, one after the other, as bodies come from their sockets. */
function eachComing<T, R>(all: readonly T[], read: (one: T, at: number) => Promise<R>): Promise<R[]> {
  return Promise.all(all.map((one, at) => new Promise<R>((resolve) => { setImmediate(() => resolve(read(one, at))); })));
}

/** As the reading of a long body does. */
function holdTheLoop(): void {
  const untilMs = monotonicMs() + LIMITS.mainTurnMs;
  while (monotonicMs() <= untilMs);
}

test('of long bodies that are whole at once each is read in a turn of its own', async () => {
  const calls = Array.from({ length: BODIES }, () => sending(LIMITS.bodyUntimedBytes + 1).call);
  const { turns } = await turnsMeanwhile(() => eachComing(calls, async (call) => {
    assert.notEqual(await call.body(), null);
    holdTheLoop();
  }));
  assert.ok(turns >= BODIES - 1, `${turns} turns`);
});

test('a short body waits for no turn, whatever was read before it', async () => {
  const order: string[] = [];
  const bodies = [['long', LIMITS.bodyUntimedBytes + 1], ['second long', LIMITS.bodyUntimedBytes + 1], ['short', LIMITS.bodyUntimedBytes]] as const;
  await eachComing(bodies, async ([name, bytes]) => {
    await sending(bytes).call.body();
    order.push(name);
    holdTheLoop();
  });
  assert.deepEqual(order, ['long', 'short', 'second long']);
});

test('who leaves while his body waits for its turn is not read', async () => {
  const calls = Array.from({ length: 3 }, () => sending(LIMITS.bodyUntimedBytes + 1));
  const bodies = await eachComing(calls, async ({ call }, at) => {
    const body = await call.body();
    if (at === 0) calls[2]!.exchange.leave();
    holdTheLoop();
    return body === null ? 'none' : 'read';
  });
  assert.deepEqual(bodies, ['read', 'read', 'none']);
});

test('a body that is whole after its key has ended is not read, whatever is asked', async () => {
  const { call } = sending(1);
  call.permit = { revoked: true } as unknown as Permit;
  await assert.rejects(call.body(), { code: 'unauthorized' });
});
