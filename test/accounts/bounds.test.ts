import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Authenticator } from '../../src/accounts/authenticate.ts';
import { base62 } from '../../src/accounts/base62.ts';
import { ensureAccount, issueKey } from '../../src/accounts/issue.ts';
import { checksum } from '../../src/accounts/key.ts';
import { LIMITS } from '../../src/config/limits.ts';
import type { Store } from '../../src/store/store.ts';
import { callerOn, capsAt, freshStore, granted, NOON, TestClock } from './setting.ts';

test('the memory of keys is bounded: the one known longest makes room', async (t) => {
  const inner = await freshStore(t);
  const account = await ensureAccount(inner, 'jo@example.com', { plan: 'preview', status: 'active', nowMs: NOON });
  const { record } = await issueKey(inner, account.id, { kind: 'external', name: '', nowMs: NOON });
  let lookups = 0;
  const store: Store = { ...inner, keyByDigest: async (digest) => { lookups += 1; return { key: { ...record, digest }, account }; } };
  const authenticator = new Authenticator(store, new TestClock(), null);
  await authenticator.refresh();
  const numbered = (number: number): string => {
    const body = `ldx_${base62(number, 32)}`;
    return body + checksum(body);
  };
  for (let number = 0; number <= LIMITS.keysCachedMax; number += 1) await authenticator.authenticate(numbered(number));
  assert.equal(lookups, LIMITS.keysCachedMax + 1);
  await authenticator.authenticate(numbered(1));
  assert.equal(lookups, LIMITS.keysCachedMax + 1);
  await authenticator.authenticate(numbered(0));
  assert.equal(lookups, LIMITS.keysCachedMax + 2);
});

test('more accounts than can be told apart are turned away, until some are idle', async (t) => {
  const clock = new TestClock();
  const { caps } = capsAt(clock, await freshStore(t));
  const of = (number: number) => ({ ...callerOn('unlimited'), accountId: `acc_${number}` });
  const free = { endpoint: 'sources', unitsMost: 0 } as const;
  for (let number = 0; number < LIMITS.accountsTrackedMax; number += 1) granted(caps.admit(of(number), free)).settle(0);
  assert.throws(() => caps.admit(of(LIMITS.accountsTrackedMax), free), { code: 'overloaded' });
  caps.sweep();
  granted(caps.admit(of(LIMITS.accountsTrackedMax), free)).settle(0);
});

test('where usage cannot be written for so long that its memory is full, calls are turned away rather than forgotten', async (t) => {
  const { caps, usage } = capsAt(new TestClock(), await freshStore(t));
  for (let key = 0; key < LIMITS.usageCellsMax; key += 1) usage.count({ accountId: 'acc', keyId: String(key) }, 'find', 20_000, 1, 1);
  assert.throws(() => caps.admit(callerOn('unlimited'), { endpoint: 'find', unitsMost: 1 }), { code: 'store_unavailable' });
});
