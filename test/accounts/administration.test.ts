import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Administration } from '../../src/accounts/administration.ts';
import { dayOf } from '../../src/lib/day.ts';
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
