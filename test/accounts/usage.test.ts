import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageCounter } from '../../src/accounts/usage.ts';
import { LIMITS } from '../../src/config/limits.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import type { Store } from '../../src/store/store.ts';
import { turnsMeanwhile } from '../support/turns_meanwhile.ts';
import { freshStore } from './setting.ts';

test('while many ask at once what was used all else that is due has its turn', async (t) => {
  const store = await freshStore(t);
  const slow: Store = {
    ...store,
    usage: (...asked) => {
      for (const begunMs = monotonicMs(); monotonicMs() - begunMs < LIMITS.mainTurnMs;) { /* As a file that holds the thread. */ }
      return store.usage(...asked);
    },
  };
  const usage = new UsageCounter(slow);
  usage.count({ accountId: 'acc_1', keyId: 'key_1' }, 'find', 20_000, 1, 2);
  const { result: answers, turns } = await turnsMeanwhile(() => Promise.all(Array.from({ length: 12 }, () => usage.of('acc_1', 20_000, 20_000))));
  assert.deepEqual(answers.map(([only]) => only?.units), Array.from({ length: 12 }, () => 2));
  assert.ok(turns > 3, `${turns} turns`);
});
