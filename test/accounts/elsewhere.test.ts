import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { type Accounts, openAccounts } from '../../src/accounts/open.ts';
import { Permit } from '../../src/accounts/permit.ts';
import { DAY_MS } from '../../src/lib/day.ts';
import type { SharedCounts } from '../../src/store/shared_counts.ts';
import type { Store } from '../../src/store/store.ts';
import { countsAt } from '../contract/caps/shared_setting.ts';
import { callerOn, freshStore, granted, NOON, refused, TestClock } from './setting.ts';

const caller = callerOn('standard');
const UNITS = 1_000_000;

/** A gateway over the store, with a clock that stands; its timers are too slow to matter. */
function gateway(store: Store, clock = new TestClock(), shared: SharedCounts | null = null): Promise<Accounts> {
  return openAccounts({ store, shared, adminKey: null, clock, onTrouble: (error) => { throw error; } });
}

async function spend(accounts: Accounts, units: number): Promise<void> {
  granted(await accounts.admit(caller, { endpoint: 'validate', unitsMost: units })).settle(units);
}

const NOBODY_LISTENS = 'redis://127.0.0.1:1';

for (const [what, openCounts] of [
  ['that share a store alone', async () => null],
  ['whose shared caps are away', (t: TestContext) => countsAt(t, NOBODY_LISTENS)],
] as const) {
  test(`gateways ${what} learn of the units that the others wrote, and count none twice`, async (t) => {
    const store = await freshStore(t);
    const [one, two] = [await gateway(store, new TestClock(), await openCounts(t)), await gateway(store, new TestClock(), await openCounts(t))];
    await spend(one, 400_000);
    await one.flushUsage();
    await spend(two, 100_000);
    for (let round = 0; round < 3; round += 1) {
      await two.flushUsage();
      assert.equal(two.standing(caller).daily.used, 500_000);
      await spend(two, 0);
    }
    await spend(one, 1);
    await one.flushUsage();
    assert.equal(one.standing(caller).daily.used, 500_001);
    const denial = refused(await one.admit(caller, { endpoint: 'validate', unitsMost: UNITS - 500_000 }) as Permit);
    assert.equal(denial.cap, 'daily');
    await Promise.all([one.close(), two.close()]);
  });
}

for (const plan of ['standard', 'unlimited'] as const) {
  test(`a look at a gateway tells what an account on the plan ${plan} used at others before it calls here`, async (t) => {
    const store = await freshStore(t);
    const [one, two] = [await gateway(store), await gateway(store)];
    granted(await one.admit(callerOn(plan), { endpoint: 'validate', unitsMost: 4_000 })).settle(4_000);
    await one.flushUsage();
    assert.equal((await two.look(callerOn(plan))).daily.used, 4_000);
    const held = granted(await two.admit(callerOn(plan), { endpoint: 'validate', unitsMost: 10 }));
    assert.equal((await two.look(callerOn(plan))).daily.used, 4_010);
    held.settle(7);
    assert.equal((await two.look(callerOn(plan))).daily.used, 4_007);
    await Promise.all([one.close(), two.close()]);
  });
}

test('a look counts nothing twice that the store may have taken without a word', async (t) => {
  const store = await freshStore(t);
  const addUsage = store.addUsage.bind(store);
  const one = await gateway(store);
  await spend(one, 4_000);
  store.addUsage = async (batch) => {
    await addUsage(batch);
    throw new Error('The answer was lost.');
  };
  await assert.rejects(one.flushUsage());
  assert.equal((await one.look(caller)).daily.used, 4_000);
  store.addUsage = addUsage;
  await one.close();
});

test('gateways learn of each other again when a clock that was far ahead is put right', async (t) => {
  const store = await freshStore(t);
  const clock = new TestClock();
  const [one, two] = [await gateway(store, clock), await gateway(store, clock)];
  for (const jump of [365 * DAY_MS, -365 * DAY_MS]) {
    clock.jump(jump);
    await spend(one, 400_000);
    await one.flushUsage();
    await spend(two, 1);
    await two.flushUsage();
    assert.equal(two.standing(caller).daily.used, 400_001);
  }
  await Promise.all([one.close(), two.close()]);
});

test('what calls under way hold stays held while the units of others come in, and a restart counts all', async (t) => {
  const store = await freshStore(t);
  const [one, two] = [await gateway(store), await gateway(store)];
  await spend(one, 10);
  await one.flushUsage();
  const held = granted(await two.admit(caller, { endpoint: 'validate', unitsMost: 1_000 }));
  await two.flushUsage();
  assert.equal(two.standing(caller).daily.used, 1_010);
  held.settle(5);
  assert.equal(two.standing(caller).daily.used, 15);
  await Promise.all([one.close(), two.close()]);
  const three = await gateway(store);
  assert.equal(three.standing(caller).daily.used, 15);
  await spend(three, 1);
  await three.flushUsage();
  assert.equal(three.standing(caller).daily.used, 16);
  await three.close();
});

test('a new day begins with nothing used elsewhere, though yesterday\'s is still being written', async (t) => {
  const store = await freshStore(t);
  const clock = new TestClock();
  const [one, two] = [await gateway(store, clock), await gateway(store, clock)];
  await spend(one, 70);
  await one.flushUsage();
  await spend(two, 7);
  clock.unix = NOON + 86_400_000;
  clock.monotonic += 86_400_000;
  assert.equal(two.standing(caller).daily.used, 0);
  await two.flushUsage();
  assert.equal(two.standing(caller).daily.used, 0);
  await spend(one, 3);
  await one.flushUsage();
  await spend(two, 2);
  await two.flushUsage();
  assert.equal(two.standing(caller).daily.used, 5);
  await Promise.all([one.close(), two.close()]);
});
