import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Administration } from '../../src/accounts/administration.ts';
import { LIMITS } from '../../src/config/limits.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import { dayOf, isoDay } from '../../src/lib/day.ts';
import type { Store } from '../../src/store/store.ts';
import { turnsMeanwhile } from '../support/turns_meanwhile.ts';
import { freshStore, NOON, TestClock } from './setting.ts';

const DAYS = 366;
const TODAY = dayOf(NOON);
const unasked = async (): Promise<never> => assert.fail();
const NO_SUPPRESSIONS = { add: unasked, remove: unasked, list: unasked };

test('while a year of usage is added up all else that is due has its turn', async (t) => {
  const store = await freshStore(t);
  await store.addUsage({ writer: 'w', number: 1, additions: [{ day: TODAY, accountId: 'acc', keyId: 'key', endpoint: 'find', requests: 1, units: 2 }] });
  const administration = new Administration(store, new TestClock(), NO_SUPPRESSIONS, async () => {});
  const { result: groups, turns } = await turnsMeanwhile(() => administration.usage(TODAY - DAYS + 1, TODAY, 'account'));
  assert.deepEqual(groups, [{ name: 'acc', requests: 1, units: 2 }]);
  assert.ok(turns >= DAYS, `${turns} turns in ${DAYS} days`);
});

test('of a day that many accounts used something on no more is added up at once than some of them', async (t) => {
  const store = await freshStore(t);
  const accounts = 3 * LIMITS.usageRowsInSum;
  const additions = Array.from({ length: accounts }, (_, at) => ({ day: TODAY, accountId: `acc_${at}`, keyId: 'key', endpoint: 'find', requests: 1, units: 2 }) as const);
  await store.addUsage({ writer: 'w', number: 1, additions });
  const steps: number[] = [];
  const watched: Store = {
    ...store,
    usageSums: async (...asked) => {
      const step = await store.usageSums(...asked);
      steps.push(step.sums.length);
      return step;
    },
  };
  const administration = new Administration(watched, new TestClock(), NO_SUPPRESSIONS, async () => {});
  assert.deepEqual(await administration.usage(TODAY, TODAY, 'day'), [{ name: isoDay(TODAY), requests: accounts, units: 2 * accounts }]);
  assert.equal((await administration.usage(TODAY, TODAY, 'account')).length, accounts);
  assert.ok(steps.every((sums) => sums <= LIMITS.usageRowsInSum), `${steps.join()} sums in a step`);
});

test('sums of usage that many operators ask for at once are read each in a turn of its own', async (t) => {
  const store = await freshStore(t);
  const reads: number[] = [];
  await turnsMeanwhile((turn) => {
    const watched: Store = { ...store, usageSums: (...asked) => { reads.push(turn()); return store.usageSums(...asked); } };
    const administration = new Administration(watched, new TestClock(), NO_SUPPRESSIONS, async () => {});
    return Promise.all(Array.from({ length: 4 }, () => administration.usage(TODAY - 1, TODAY, 'endpoint')));
  });
  assert.deepEqual([reads.length, new Set(reads).size], [8, 8]);
});

test('lists that many operators ask for at once let all else have its turn', async (t) => {
  const store = await freshStore(t);
  const account = await store.addAccount({ id: 'acc_1', email: 'jo@example.com', plan: 'preview', status: 'active', createdMs: NOON });
  const holding = <Row>(rows: Row[]): Promise<Row[]> => {
    for (const begunMs = monotonicMs(); monotonicMs() - begunMs < LIMITS.mainTurnMs;) { /* As a file that holds the thread. */ }
    return Promise.resolve(rows);
  };
  const slow: Store = { ...store, accounts: () => holding([account]), keys: () => holding([]), invites: () => holding([]) };
  const administration = new Administration(slow, new TestClock(), NO_SUPPRESSIONS, async () => {});
  const page = { afterId: null, rowsMax: 1 };
  const ask = () => Promise.all([1, 2, 3].flatMap(() => [administration.accounts(page), administration.keys(null, page), administration.invites(page)]));
  const { result: lists, turns } = await turnsMeanwhile(ask);
  assert.deepEqual(lists.map(({ rows }) => rows.length), [1, 0, 0, 1, 0, 0, 1, 0, 0]);
  assert.ok(turns >= lists.length - 1, `${turns} turns for ${lists.length} lists`);
});
