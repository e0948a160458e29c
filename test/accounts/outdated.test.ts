import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import { ensureDemoKey, takeOwnEmails } from '../../src/accounts/first_keys.ts';
import { openAccounts } from '../../src/accounts/open.ts';
import { EvenClock, forgetOutdated, outdatedAt } from '../../src/accounts/outdated.ts';
import { LIMITS } from '../../src/config/limits.ts';
import { dayOf, DAY_MS } from '../../src/lib/day.ts';
import type { Outdated } from '../../src/store/outdated_store.ts';
import { freshStore, NOON, TestClock } from './setting.ts';

test('the demo\'s key that was ended long ago is not made anew', async (t) => {
  const store = await freshStore(t);
  await takeOwnEmails(store, NOON);
  await ensureDemoKey(store, NOON);
  const demo = (await store.accountByEmail('demo@localhost'))!;
  for (const { id } of await store.keys(demo.id, { afterId: null, rowsMax: 9 })) await store.endKey(id, NOON);
  const later = NOON + LIMITS.endedKeyKeptMs + DAY_MS;
  await store.forgetOutdated(outdatedAt(later));
  assert.equal(await ensureDemoKey(store, later), null);
});

test('who signed up may enter an invite for as long as the operator was told, and use is kept for two years', async (t) => {
  const store = await freshStore(t);
  const account = { id: 'acc_1', email: 'jo@example.com', plan: 'preview', status: 'waiting', createdMs: NOON } as const;
  await store.addMember({ account, passwordHash: '$hash$one', invite: null, nowMs: NOON });
  await store.addUsage({ writer: 'w', number: 1, additions: [{ day: dayOf(NOON), accountId: 'acc_2', keyId: 'key_1', endpoint: 'find', requests: 1, units: 1 }] });
  const left = async (): Promise<number[]> => [(await store.accounts({ afterId: null, rowsMax: 9 })).length, (await store.usage(null, 0, 1e6)).length];
  await store.forgetOutdated(outdatedAt(NOON + LIMITS.waitingAccountKeptMs));
  assert.deepEqual(await left(), [1, 1]);
  await store.forgetOutdated(outdatedAt(NOON + LIMITS.waitingAccountKeptMs + 1));
  assert.deepEqual(await left(), [0, 1]);
  await store.forgetOutdated(outdatedAt(NOON + LIMITS.usageDaysKept * DAY_MS));
  assert.deepEqual(await left(), [0, 1]);
  await store.forgetOutdated(outdatedAt(NOON + (LIMITS.usageDaysKept + 1) * DAY_MS));
  assert.deepEqual(await left(), [0, 0]);
});

test('what has had its time is forgotten at every sweep, step by step as long as there is more', async (t) => {
  const asked: Outdated[] = [];
  const found = [100, 250, 99, 100];
  const store = { ...await freshStore(t), forgetOutdated: async (outdated: Outdated) => { asked.push(outdated); return found.shift()!; } };
  t.mock.timers.enable({ apis: ['setInterval'] });
  const clock = new TestClock();
  const accounts = await openAccounts({ store, adminKey: null, clock, onTrouble: (error) => { throw error; } });
  clock.pass(LIMITS.clockEvenMs);
  const at = outdatedAt(clock.unixMs());
  t.mock.timers.tick(LIMITS.ledgerSweepMs);
  while (found.length > 1) await sleep(1);
  await accounts.close();
  assert.deepEqual(asked, [at, at, at]);
});

test('a clock is believed an hour after the start, and an hour after somebody set it', () => {
  const clock = new TestClock();
  const even = new EvenClock(clock);
  const hourOfSweeps = (): boolean[] => Array.from({ length: LIMITS.clockEvenMs / LIMITS.ledgerSweepMs }, () => {
    clock.pass(LIMITS.ledgerSweepMs);
    return even.isEven();
  });
  const onlyTheLast = (sweeps: readonly boolean[]): void => assert.equal(sweeps.indexOf(true), sweeps.length - 1);
  onlyTheLast(hourOfSweeps());
  for (const ms of [3 * 365 * DAY_MS, -3 * 365 * DAY_MS]) {
    clock.jump(ms);
    assert.equal(even.isEven(), false);
    onlyTheLast(hourOfSweeps());
  }
  clock.jump(LIMITS.clockStepMs);
  assert.equal(even.isEven(), true, 'a clock that is put right by little');
});

test('a sweep ends after some steps however much is left, and with the service', async (t) => {
  let steps = 0;
  const store = { ...await freshStore(t), forgetOutdated: async () => { steps += 1; return LIMITS.outdatedRowsMax; } };
  await forgetOutdated(store, NOON, () => true);
  assert.equal(steps, LIMITS.outdatedStepsMax);
  await forgetOutdated(store, NOON, () => steps < LIMITS.outdatedStepsMax + 2);
  assert.equal(steps, LIMITS.outdatedStepsMax + 2);
});
