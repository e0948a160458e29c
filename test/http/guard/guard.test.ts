import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { OwnCaps } from '../../../src/accounts/own_caps.ts';
import type { Caller } from '../../../src/accounts/caller.ts';
import { Permit } from '../../../src/accounts/permit.ts';
import type { RequestHead } from '../../../src/http/exchange.ts';
import { flatHeaders } from '../../../src/http/answer_lines.ts';
import { guardCaps } from '../../../src/http/guard/caps.ts';
import { guardKey } from '../../../src/http/guard/key.ts';
import { rateLines, unitLines } from '../../../src/http/guard/rate_headers.ts';
import { AppError } from '../../../src/model/errors.ts';
import { callerOn, capsAt, freshStore, TestClock } from '../../accounts/setting.ts';

const EXTERNAL = callerOn('preview');
const ADMIN: Caller = { ...callerOn('unlimited'), kind: 'admin' };

/** Knows two keys; `slow` answers in a promise. */
const accounts = {
  authenticate(key: string): Caller | null | Promise<Caller | null> {
    if (key.startsWith('slow')) return Promise.resolve(key === 'slow' ? EXTERNAL : null);
    return { external: EXTERNAL, admin: ADMIN }[key] ?? null;
  },
};

function head(authorization?: string, over: Partial<RequestHead> = {}): RequestHead {
  const headers = new Map(authorization === undefined ? [] : [['authorization', authorization]]);
  return { method: 'GET', path: '/v1/sources', query: '', headers, remoteAddress: '127.0.0.1', arrivedMs: 0, ...over };
}

async function code(authorization: string): Promise<string> {
  const verdict = await guardKey(accounts, head(authorization));
  return verdict instanceof AppError ? verdict.code : verdict.kind;
}

describe('the key', () => {
  test('is a bearer token, its scheme in any case', async () => {
    for (const authorization of ['Bearer external', 'bearer external', 'BEARER   external', 'Bearer external ', 'Bearer slow']) {
      assert.equal(await code(authorization), 'external', authorization);
    }
  });

  test('is looked for nowhere else, and all 401s are the same', async () => {
    const details = new Set<string>();
    for (const authorization of [undefined, '', 'Bearer', 'Bearer ', 'Basic external', 'external', 'Bearer external x', 'Bearerexternal', 'Bearer unknown', 'Bearer slow-unknown', 'Bearer \u00e9']) {
      const verdict = await guardKey(accounts, head(authorization, { query: 'key=external&access_token=external' }));
      assert.ok(verdict instanceof AppError && verdict.code === 'unauthorized', authorization);
      details.add(verdict.message);
    }
    assert.equal(details.size, 1);
  });

  test('is one of a customer or of an operator', async () => {
    assert.equal(await code('Bearer admin'), 'admin');
    assert.equal(await code('Bearer external'), 'external');
  });
});

async function caps(t: TestContext): Promise<OwnCaps> {
  return capsAt(new TestClock(), await freshStore(t)).caps;
}

test('a cap that was hit is rate_limited, names the cap and the wait, and says the same wait for Retry-After', async (t) => {
  const accounts = await caps(t);
  for (let call = 0; call < 30; call += 1) (guardCaps(accounts, EXTERNAL, { endpoint: 'find', unitsMost: 1 }) as Permit).settle(1);
  const verdict = guardCaps(accounts, EXTERNAL, { endpoint: 'find', unitsMost: 1 });
  assert.ok(verdict instanceof AppError && verdict.code === 'rate_limited');
  assert.equal(verdict.retryAfter, 60);
  assert.match(verdict.message, /burst cap.*retry in 60 s/);
});

test('RateLimit-Policy and RateLimit state the burst and the daily budget of a capped plan', async (t) => {
  const accounts = await caps(t);
  assert.deepEqual(flatHeaders(rateLines(accounts.standing(EXTERNAL))), [
    'RateLimit-Policy', '"burst";q=30;w=60, "daily";q=10000;w=86400;qu="units"',
    'RateLimit', '"burst";r=30;t=0, "daily";r=10000;t=43200',
  ]);
  const permit = guardCaps(accounts, EXTERNAL, { endpoint: 'find', unitsMost: 10 }) as Permit;
  assert.equal(flatHeaders(rateLines(accounts.standing(EXTERNAL)))[3], '"burst";r=29;t=60, "daily";r=9990;t=43200');
  permit.settle(2);
  assert.deepEqual(flatHeaders(unitLines(permit.charged, accounts.standing(EXTERNAL).daily.remaining)), ['X-Units-Charged', '2', 'X-Units-Remaining', '9998']);
});

test('a plan without caps states what was charged and no more', async (t) => {
  const accounts = await caps(t);
  const permit = guardCaps(accounts, ADMIN, { endpoint: 'validate', unitsMost: 5 }) as Permit;
  permit.settle(5);
  assert.deepEqual(flatHeaders(rateLines(accounts.standing(ADMIN))), []);
  assert.deepEqual(flatHeaders(unitLines(permit.charged, accounts.standing(ADMIN).daily.remaining)), ['X-Units-Charged', '5']);
});
