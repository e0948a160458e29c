import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { test, type TestContext } from 'node:test';
import { ensureAdminKey, ensureDemoKey } from '../../src/accounts/first_keys.ts';
import { isKey } from '../../src/accounts/key.ts';
import { newKey } from '../../src/accounts/issue.ts';
import { type Accounts, openAccounts } from '../../src/accounts/open.ts';
import { LIMITS } from '../../src/config/limits.ts';
import { AppError } from '../../src/model/errors.ts';
import type { PlanName } from '../../src/model/account.ts';
import type { Store } from '../../src/store/store.ts';
import { until } from '../support/until.ts';
import { freshStore, granted, refused, NOON, TestClock } from './setting.ts';

const TODAY = '2026-03-14';

async function opened(store: Store, over: Partial<Parameters<typeof openAccounts>[0]> = {}): Promise<Accounts> {
  return openAccounts({ store, adminKey: null, onTrouble: (error) => { throw error; }, ...over });
}

async function caller(accounts: Accounts, store: Store) {
  const key = await ensureDemoKey(store, NOON);
  return { key: key!, caller: (await accounts.authenticate(key!))! };
}

/** The timers under test do not keep the process alive; this one does. */
async function soon(event: Promise<void>): Promise<void> {
  const late = new AbortController();
  await Promise.race([event, sleep(60_000, undefined, { signal: late.signal }).then(() => assert.fail('It never came.'))]);
  late.abort();
}

/** Has the store polled, again and again, until something is over: the timers come when the test says so. What the clock of the machine does is nothing to it. */
function pollsOf(t: TestContext): (over: Promise<unknown>) => Promise<void> {
  t.mock.timers.enable({ apis: ['setInterval'] });
  return async (over) => {
    while (await Promise.race([over.then(() => false), sleep(5, true)])) t.mock.timers.tick(LIMITS.keyPollMs);
  };
}

test('the first start makes the demo key, on the unlimited plan, and only that start can show it', async (t) => {
  const store = await freshStore(t);
  const key = await ensureDemoKey(store, NOON);
  assert.ok(key !== null && isKey(key) && key.startsWith('ldx_'));
  assert.equal(await ensureDemoKey(store, NOON), null);
  const account = await store.accountByEmail('demo@localhost');
  assert.equal(account!.plan, 'unlimited');
  for (const { id } of await store.keys(account!.id, { afterId: null, rowsMax: 9 })) await store.endKey(id, 0);
  assert.equal(await ensureDemoKey(store, NOON), null, 'not even after it was revoked');
});

test('without an admin key one is made once, on a terminal only', async (t) => {
  const store = await freshStore(t);
  assert.equal(await ensureAdminKey(store, { interactive: false, nowMs: NOON }), null);
  const key = await ensureAdminKey(store, { interactive: true, nowMs: NOON });
  assert.ok(key !== null && isKey(key) && key.startsWith('lda_'));
  assert.equal(await ensureAdminKey(store, { interactive: true, nowMs: NOON }), null);
  const accounts = await opened(store);
  assert.equal((await accounts.authenticate(key))!.kind, 'admin');
  await accounts.close();
});

test('usage by day and endpoint is there at once, and all of it after a restart', async (t) => {
  const store = await freshStore(t);
  const clock = { monotonicMs: () => performance.now(), unixMs: () => NOON };
  const before = await opened(store, { clock });
  const { caller: who, key } = await caller(before, store);
  granted(await before.admit(who, { endpoint: 'find', unitsMost: 10 })).settle(3);
  granted(await before.admit(who, { endpoint: 'find', unitsMost: 1 })).settle(0);
  granted(await before.admit(who, { endpoint: 'validate', unitsMost: 50 })).settle(50);
  const expected = [{ day: TODAY, requests: 3, units: 53, endpoints: { find: { requests: 2, units: 3 }, validate: { requests: 1, units: 50 } } }];
  assert.deepEqual(await before.usageOf(who.accountId, 0, 1e6), expected);
  await before.close();
  const after = await opened(store, { clock });
  assert.deepEqual(await after.usageOf(who.accountId, 0, 1e6), expected);
  assert.deepEqual(await after.usageOf('another', 0, 1e6), []);
  assert.equal(after.standing((await after.authenticate(key))!).daily.used, 53);
  await after.close();
});

test('usage that the store refuses is kept and written later, health tells meanwhile, and both ends of it are told once', async (t) => {
  const inner = await freshStore(t);
  let refuses = true;
  const troubles: unknown[] = [];
  let well = 0;
  const store: Store = { ...inner, addUsage: async (rows) => { if (refuses) throw new Error('refused'); await inner.addUsage(rows); } };
  const accounts = await opened(store, { onTrouble: (error) => troubles.push(error), onWell: () => { well += 1; } });
  const { caller: who } = await caller(accounts, store);
  granted(await accounts.admit(who, { endpoint: 'find', unitsMost: 2 })).settle(2);
  while (accounts.health().status === 'ok') await sleep(10);
  await sleep(1_000);
  assert.deepEqual([troubles.length, well], [1, 0]);
  assert.deepEqual(accounts.health(), { status: 'degraded', detail: 'it is read, but takes no changes' });
  assert.equal((await accounts.usageOf(who.accountId, 0, 1e6))[0]!.units, 2);
  refuses = false;
  while (accounts.health().status === 'degraded') await sleep(10);
  assert.deepEqual([troubles.length, well], [1, 1]);
  const [row] = await inner.usage(who.accountId, 0, 1e6);
  assert.deepEqual([row!.requests, row!.units], [1, 2]);
  await accounts.close();
});

test('whether a key still stands is asked of the store once, however many streams it has', async (t) => {
  const polled = pollsOf(t);
  const inner = await freshStore(t);
  let asked = 0;
  const store: Store = { ...inner, keyByDigest: (digest) => { asked += 1; return inner.keyByDigest(digest); } };
  const accounts = await opened(store);
  const { caller: who } = await caller(accounts, store);
  const streams = await Promise.all(Array.from({ length: 50 }, async () => granted(await accounts.admit(who, { endpoint: 'find', unitsMost: 1 }))));
  const ended = streams.map((stream) => new Promise<void>((resume) => { stream.onRevoked(resume); }));
  asked = 0;
  await inner.endKey(who.keyId, 0);
  await polled(Promise.all(ended));
  assert.equal(asked, 1);
  for (const stream of streams) stream.settle(1);
  await accounts.close();
});

test('who asks for usage behind one whom the store failed is told so too, and who comes later asks anew', async (t) => {
  const inner = await freshStore(t);
  let asked = 0;
  let fails = true;
  const store: Store = {
    ...inner,
    usage: async (...of) => {
      asked += 1;
      await sleep(1);
      if (fails) throw new AppError('store_unavailable', 'It hangs.');
      return inner.usage(...of);
    },
  };
  const accounts = await opened(store);
  const told = await Promise.allSettled(Array.from({ length: 20 }, () => accounts.usageOf('acc', 0, 1e6)));
  assert.deepEqual([told.filter(({ status }) => status === 'rejected').length, asked], [20, 1]);
  fails = false;
  assert.deepEqual(await accounts.usageOf('acc', 0, 1e6), []);
  assert.equal(asked, 2);
  await accounts.close();
});

test('a key revoked by another process is dead with the next poll, and so are its streams', async (t) => {
  const polled = pollsOf(t);
  const store = await freshStore(t);
  const accounts = await opened(store);
  const { caller: who, key } = await caller(accounts, store);
  const stream = granted(await accounts.admit(who, { endpoint: 'find', unitsMost: 1 }));
  const done = granted(await accounts.admit(who, { endpoint: 'find', unitsMost: 1 }));
  let told = 0;
  const ended = new Promise<void>((resume) => stream.onRevoked(() => { told += 1; resume(); }));
  done.onRevoked(() => assert.fail('a settled call is not told'));
  done.settle(1);
  await polled(sleep(50));
  assert.equal(told, 0);
  await store.endKey(who.keyId, 0);
  await polled(ended);
  assert.equal(await accounts.authenticate(key), null);
  await polled(sleep(50));
  assert.equal(told, 1);
  stream.settle(1);
  await accounts.close();
});

test('all that a call of a revoked key runs is told, not the last that asked alone', async (t) => {
  const store = await freshStore(t);
  const accounts = await opened(store);
  const { caller: who } = await caller(accounts, store);
  const stream = granted(await accounts.admit(who, { endpoint: 'find', unitsMost: 1 }));
  const told: string[] = [];
  stream.onRevoked(() => { told.push('scan'); });
  const ended = new Promise<void>((resume) => stream.onRevoked(() => { told.push('source'); resume(); }));
  await store.endKey(who.keyId, 0);
  await soon(ended);
  assert.deepEqual(told, ['scan', 'source']);
  stream.settle(1);
  await accounts.close();
});

test('a call that asks to be told only after its key has ended is told at once', async (t) => {
  const polled = pollsOf(t);
  const store = await freshStore(t);
  const accounts = await opened(store);
  const { caller: who, key } = await caller(accounts, store);
  const uploading = granted(await accounts.admit(who, { endpoint: 'find', unitsMost: 1 }));
  await store.endKey(who.keyId, 0);
  await polled((async () => { while (!uploading.revoked) await sleep(5); })());
  let told = 0;
  uploading.onRevoked(() => { told += 1; });
  assert.deepEqual([told, await accounts.authenticate(key)], [1, null]);
  uploading.settle(1);
  await accounts.close();
});

test('a caller of whom the store says nothing holds up no other whose key has ended', async (t) => {
  const polled = pollsOf(t);
  const inner = await freshStore(t);
  let asked = Buffer.alloc(0);
  let silentOf: Buffer | null = null;
  let answer = (): void => {};
  const silence = new Promise<void>((resume) => { answer = resume; });
  const store: Store = {
    ...inner,
    keyByDigest: async (digest) => {
      asked = Buffer.from(digest);
      if (silentOf?.equals(digest) === true) await silence;
      return inner.keyByDigest(digest);
    },
  };
  const accounts = await opened(store);
  const one = await caller(accounts, store);
  silentOf = asked;
  const other = (await accounts.authenticate((await ensureAdminKey(store, { interactive: true, nowMs: NOON }))!))!;
  const admitted = async (who: typeof other) => granted(await accounts.admit(who, { endpoint: 'find', unitsMost: 1 }));
  // He is asked about first, whether that goes by the first or by the last call.
  const [running, ending, alsoRunning] = [await admitted(one.caller), await admitted(other), await admitted(one.caller)];
  const ended = new Promise<void>((resume) => { ending.onRevoked(resume); });
  await inner.endKey(other.keyId, 0);
  await polled(ended);
  answer();
  assert.equal(running.revoked, false);
  for (const permit of [running, ending, alsoRunning]) permit.settle(1);
  await accounts.close();
});

test('a stream of a rotated key is told when the overlap ends', async (t) => {
  const polled = pollsOf(t);
  const [store, clock] = [await freshStore(t), new TestClock()];
  const accounts = await opened(store, { clock });
  const { caller: who } = await caller(accounts, store);
  const stream = granted(await accounts.admit(who, { endpoint: 'find', unitsMost: 1 }));
  let told = false;
  const ended = new Promise<void>((resume) => stream.onRevoked(() => { told = true; resume(); }));
  assert.equal(await store.replaceKey(who.keyId, { nowMs: NOON, endsMs: NOON + 700, next: newKey(who.accountId, 'external', 'next', NOON).record, livingMax: 20 }), 'replaced');
  clock.pass(699);
  await polled(sleep(50));
  assert.equal(told, false);
  clock.pass(1);
  await polled(ended);
  stream.settle(1);
  await accounts.close();
});

test('closing writes what was counted', async (t) => {
  const store = await freshStore(t);
  const accounts = await opened(store);
  const { caller: who } = await caller(accounts, store);
  granted(await accounts.admit(who, { endpoint: 'schema', unitsMost: 0 })).settle(0);
  await accounts.close();
  assert.equal((await store.usage(who.accountId, 0, 1e6))[0]!.requests, 1);
});

test('a change of plan reaches the caps', async (t) => {
  const store = await freshStore(t);
  const accounts = await opened(store);
  const { caller: who, key } = await caller(accounts, store);
  await store.changeAccount(who.accountId, { plan: 'preview' });
  let now = who;
  while (now.plan !== 'preview') {
    await sleep(10);
    now = (await accounts.authenticate(key))!;
  }
  refused(await accounts.admit(now, { endpoint: 'validate', unitsMost: 10_001 }));
  await accounts.close();
});

test('a change of plan reaches the calls that are under way', async (t) => {
  const polled = pollsOf(t);
  const store = await freshStore(t);
  const accounts = await opened(store);
  const { caller: who } = await caller(accounts, store);
  const stream = granted(await accounts.admit(who, { endpoint: 'find', unitsMost: 1 }));
  const on = async (plan: PlanName): Promise<void> => {
    await store.changeAccount(who.accountId, { plan });
    await polled(until(() => stream.caller.plan === plan));
  };
  assert.equal(await stream.reserveMore(9_000), null);
  await on('preview');
  assert.equal(await stream.reserveMore(999), null, 'to the last unit of the new plan');
  assert.match((await stream.reserveMore(1))!.detail, /10000 units a day on the preview plan/);
  await on('standard');
  assert.equal(await stream.reserveMore(990_000), null);
  assert.match((await stream.reserveMore(1))!.detail, /1000000 units a day on the standard plan/);
  await on('unlimited');
  assert.equal(await stream.reserveMore(1), null);
  stream.settle(1_000_001);
  assert.equal((await accounts.look(who)).daily.used, 1_000_001);
  await accounts.close();
});
