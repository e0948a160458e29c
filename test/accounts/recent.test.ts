import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Attempts } from '../../src/accounts/attempts.ts';
import { type RecentRequest, RecentRequests } from '../../src/accounts/recent.ts';
import { LIMITS } from '../../src/config/limits.ts';

function request(id: string): RecentRequest {
  return { id, unixMs: 1, keyId: 'k', method: 'POST', route: '/v1/find', status: 200, error: null, ms: 1, rows: 1, units: 1 };
}

test('an account sees its last requests, the newest first, and no others', () => {
  const recent = new RecentRequests();
  for (let at = 0; at < LIMITS.recentRequestsKept + 3; at += 1) recent.note('a', request(`a${at}`));
  recent.note('b', request('b0'));
  const ids = recent.of('a').map(({ id }) => id);
  assert.equal(ids.length, LIMITS.recentRequestsKept);
  assert.deepEqual([ids[0], ids.at(-1)], [`a${LIMITS.recentRequestsKept + 2}`, 'a3']);
  assert.deepEqual(recent.of('b').map(({ id }) => id), ['b0']);
  assert.deepEqual(recent.of('c'), []);
});

test('attempts are counted over a sliding window, for so many names at most', () => {
  const attempts = new Attempts(1_000, 2);
  assert.deepEqual([attempts.tryOne('a', 2, 0), attempts.tryOne('a', 2, 500), attempts.tryOne('a', 2, 900)], [null, null, 1]);
  assert.equal(attempts.tryOne('a', 2, 1_000), null);
  attempts.forget('a');
  assert.equal(attempts.tryOne('a', 1, 1_000), null);
  attempts.tryOne('b', 1, 1_000);
  attempts.tryOne('c', 1, 1_000);
  assert.equal(attempts.tryOne('b', 1, 1_001), 1);
  assert.equal(attempts.tryOne('a', 1, 1_001), null);
});
