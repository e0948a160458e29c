import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { UsageCounter } from '../../src/accounts/usage.ts';
import { LIMITS } from '../../src/config/limits.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import { nextTurn } from '../../src/lib/turns.ts';
import type { Store } from '../../src/store/store.ts';
import { turnsMeanwhile } from '../support/turns_meanwhile.ts';
import { freshStore } from './setting.ts';

const READERS = 12;

/** A counter with a use, and what many readers at once are told of it. */
async function askedByMany(t: TestContext) {
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
  const { result: answers, turns } = await turnsMeanwhile(() => Promise.all(Array.from({ length: READERS }, () => usage.of('acc_1', 20_000, 20_000))));
  assert.deepEqual(answers.map(([only]) => only?.units), Array.from({ length: READERS }, () => 2));
  return turns;
}

test('while many ask at once what was used all else that is due has its turn', async (t) => {
  const turns = await askedByMany(t);
  assert.ok(turns > 3, `${turns} turns`);
});

test('of many who ask at once what was used none stands behind all streams that wait for a turn', async (t) => {
  const over = new AbortController();
  t.after(() => { over.abort(); });
  const stream = async (): Promise<void> => {
    while (!over.signal.aborted) await nextTurn();
  };
  for (let streams = 0; streams < 10; streams += 1) void stream();
  const turns = await askedByMany(t);
  assert.ok(turns <= 2 * READERS, `${turns} turns`);
});
