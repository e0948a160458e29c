import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { monotonicMs } from '../../src/lib/clock.ts';
import { Deadline } from '../../src/validate/deadline.ts';
import { LookupCache } from '../../src/validate/lookup_cache.ts';

test('a refresh behind the back of who asks may fail; who waits for the next hears of it', async (t) => {
  let [nowMs, broken] = [0, false];
  const cache = new LookupCache<{ readonly found: string }>(8, 60_000, async () => {
    await turn();
    if (broken) throw new Error('broken');
    return { value: { found: 'it' }, ttlMs: 1_000, failure: null };
  }, () => nowMs);
  const deadline = new Deadline(monotonicMs() + 20_000);
  t.after(() => deadline.close());
  assert.equal((await cache.wait('acme.com', deadline))?.state, 'miss');
  [nowMs, broken] = [1_001, true];
  assert.equal(cache.peek('acme.com')?.state, 'stale');
  for (let turns = 0; turns < 5; turns++) await turn();
  await assert.rejects(cache.wait('acme.com', deadline), /broken/);
});
