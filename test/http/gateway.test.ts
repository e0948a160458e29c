import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Accounts } from '../../src/accounts/open.ts';
import { makeCors } from '../../src/http/cors.ts';
import { makeGateway, type Phase } from '../../src/http/gateway.ts';
import type { Instruments } from '../../src/telemetry/instruments.ts';
import type { Log } from '../../src/telemetry/log.ts';
import { KeptExchange } from '../support/exchanges.ts';

const ORIGIN = 'https://app.example';
const NOTHING = (): void => {};

/** What a gateway with one route answers while it is in the phase. */
async function answered(phase: Phase, method: string, headers: Readonly<Record<string, string>>): Promise<{ status: number; headers: string }> {
  const exchange = new KeptExchange();
  const log = { request: NOTHING, error: NOTHING } as unknown as Log;
  const instruments = { requests: { add: NOTHING }, requestSeconds: { observe: NOTHING } } as unknown as Instruments;
  const handle = makeGateway({
    routes: [{ method: 'POST', path: '/v1/find', access: 'open', handle: (call) => call.answerNothing() }],
    accounts: {} as Accounts, cors: makeCors([ORIGIN]), log, instruments, phase: () => phase,
  });
  await handle(Object.assign(exchange, { head: { ...exchange.head, method, headers: new Map(Object.entries(headers)) } }));
  return { status: exchange.status, headers: String(exchange.headers) };
}

const PREFLIGHT = { origin: ORIGIN, 'access-control-request-method': 'POST' };

for (const phase of ['starting', 'draining'] as const) {
  test(`a page of an allowed origin gets to read that the service is ${phase}: its preflight is answered as ever`, async () => {
    const asked = await answered(phase, 'OPTIONS', PREFLIGHT);
    assert.equal(asked.status, 204);
    assert.match(asked.headers, /Access-Control-Allow-Methods: OPTIONS, POST/);
    assert.match(asked.headers, /Access-Control-Allow-Origin: https:\/\/app\.example/);
    const refused = await answered(phase, 'POST', { origin: ORIGIN });
    assert.equal(refused.status, 503);
    assert.match(refused.headers, /Access-Control-Allow-Origin: https:\/\/app\.example/);
    assert.match(refused.headers, /Access-Control-Expose-Headers: .*Retry-After/);
  });

  test(`an OPTIONS that is no preflight of an allowed origin is told that the service is ${phase}`, async () => {
    const others: readonly Readonly<Record<string, string>>[] = [{}, { origin: ORIGIN }, { ...PREFLIGHT, origin: 'https://other.example' }];
    for (const headers of others) assert.equal((await answered(phase, 'OPTIONS', headers)).status, 503);
  });
}
