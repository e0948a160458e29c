import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { describe, test, type TestContext } from 'node:test';
import { Authenticator } from '../../src/accounts/authenticate.ts';
import type { Caller } from '../../src/accounts/caller.ts';
import { settingKey } from '../../src/accounts/first_keys.ts';
import { ensureAccount, issueKey, rotateKey } from '../../src/accounts/issue.ts';
import { mintKey } from '../../src/accounts/key.ts';
import { LIMITS } from '../../src/config/limits.ts';
import { AppError } from '../../src/model/errors.ts';
import type { Store } from '../../src/store/store.ts';
import { freshStore, NOON, TestClock } from './setting.ts';

const STRANGERS_MAX = LIMITS.strangeLookupsAtOnceMax + LIMITS.strangeLookupsWaitingMax;

/** A store that counts look-ups, and keeps them waiting or fails when told to. */
class WatchedStore {
  lookups = 0;
  fails = false;
  #gate: Promise<void> = Promise.resolve();
  readonly store: Store;

  constructor(inner: Store) {
    this.store = {
      ...inner,
      keyByDigest: async (digest) => {
        this.lookups += 1;
        this.#failIfTold();
        const found = await inner.keyByDigest(digest);
        await this.#gate;
        return found;
      },
      revision: async () => {
        this.#failIfTold();
        return inner.revision();
      },
    };
  }

  /** Look-ups wait from now until the function that this gives is called. */
  shut(): () => void {
    const opened = new EventEmitter();
    this.#gate = once(opened, 'open').then(() => undefined);
    return () => opened.emit('open');
  }

  #failIfTold(): void {
    if (this.fails) throw new AppError('store_unavailable', 'Told to fail.');
  }
}

async function setting(t: TestContext) {
  const clock = new TestClock();
  const watched = new WatchedStore(await freshStore(t));
  const { store } = watched;
  const account = await ensureAccount(store, 'jo@example.com', { plan: 'standard', status: 'active', nowMs: NOON });
  const issued = await issueKey(store, account.id, { kind: 'external', name: '', nowMs: NOON });
  const authenticator = new Authenticator(store, clock, null);
  await authenticator.refresh();
  return { clock, watched, store, account, issued, authenticator };
}

/** Whether the answer was there at once. */
function atOnce(answer: unknown): answer is Caller | null {
  return !(answer instanceof Promise);
}

describe('a key', () => {
  test('stands for its account, kind and plan, and is known at once from the second time on', async (t) => {
    const { authenticator, account, issued, watched } = await setting(t);
    const first = await authenticator.authenticate(issued.key);
    assert.deepEqual(first, { accountId: account.id, keyId: issued.record.id, kind: 'external', plan: 'standard' });
    const second = authenticator.authenticate(issued.key);
    assert.ok(atOnce(second));
    assert.equal(second, first);
    assert.equal(watched.lookups, 1);
  });

  test('that is mistyped is rejected without a look-up', async (t) => {
    const { authenticator, issued, watched } = await setting(t);
    const mistyped = issued.key.slice(0, -1) + (issued.key.endsWith('0') ? '1' : '0');
    for (const text of ['', 'x', mistyped, issued.key.toLowerCase(), `${issued.key} `]) assert.equal(authenticator.authenticate(text), null);
    assert.equal(watched.lookups, 0);
  });

  test('that nobody issued opens nothing', async (t) => {
    const { authenticator } = await setting(t);
    assert.equal(await authenticator.authenticate(mintKey('external')), null);
    assert.equal(await authenticator.authenticate(mintKey('admin')), null);
  });

  test('of an account that is not active opens nothing', async (t) => {
    const { authenticator, account, issued, store } = await setting(t);
    for (const status of ['waiting', 'suspended'] as const) {
      await store.changeAccount(account.id, { status });
      assert.equal(await authenticator.authenticate(issued.key), null);
    }
    await store.changeAccount(account.id, { status: 'active' });
    assert.notEqual(await authenticator.authenticate(issued.key), null);
  });
});

describe('a revoked key is dead everywhere within 1 s', () => {
  test('at the next poll, whoever revoked it', async (t) => {
    const { authenticator, issued, store } = await setting(t);
    await authenticator.authenticate(issued.key);
    await store.endKey(issued.record.id, NOON);
    await authenticator.refresh();
    assert.equal(await authenticator.authenticate(issued.key), null);
  });

  test('also where the clock of who revoked it is ahead of this one, or this one is put back', async (t) => {
    const { authenticator, issued, store } = await setting(t);
    await authenticator.authenticate(issued.key);
    await store.endKey(issued.record.id, NOON + 3_600_000);
    await authenticator.refresh();
    assert.equal(await authenticator.authenticate(issued.key), null);
  });

  test('even where no poll came through: what was remembered is believed for less than a second', async (t) => {
    const { authenticator, clock, issued, store } = await setting(t);
    await authenticator.authenticate(issued.key);
    await store.endKey(issued.record.id, NOON);
    clock.pass(999);
    assert.equal(await authenticator.authenticate(issued.key), null);
  });

  test('and where the store is out of reach, calls fail rather than pass', async (t) => {
    const { authenticator, clock, issued, watched } = await setting(t);
    await authenticator.authenticate(issued.key);
    watched.fails = true;
    await assert.rejects(authenticator.refresh(), { code: 'store_unavailable' });
    assert.ok(atOnce(authenticator.authenticate(issued.key)));
    clock.pass(LIMITS.keyTrustMs);
    await assert.rejects(async () => authenticator.authenticate(issued.key), { code: 'store_unavailable' });
    watched.fails = false;
    await authenticator.refresh();
    assert.ok(atOnce(authenticator.authenticate(issued.key)), 'unchanged meanwhile, so still known');
  });

  test('a look-up that was under way when it was revoked is not remembered', async (t) => {
    const { authenticator, issued, store, watched } = await setting(t);
    const open = watched.shut();
    const early = authenticator.authenticate(issued.key);
    await new Promise((resume) => setImmediate(resume));
    await store.endKey(issued.record.id, NOON);
    await authenticator.refresh();
    open();
    await early;
    assert.equal(await authenticator.authenticate(issued.key), null);
  });

  test('nor is it answered from a look-up older than that', async (t) => {
    const { authenticator, clock, issued, watched } = await setting(t);
    const open = watched.shut();
    const slow = authenticator.authenticate(issued.key);
    clock.pass(LIMITS.keyTrustMs);
    open();
    await assert.rejects(async () => slow, { code: 'store_unavailable' });
  });

  test('a rotated key lives on for the overlap that was chosen, and no longer', async (t) => {
    const { authenticator, clock, issued, store } = await setting(t);
    const next = await rotateKey(store, issued.record, { overlapMs: 60_000, nowMs: NOON });
    await authenticator.refresh();
    assert.notEqual(await authenticator.authenticate(next!.key), null);
    assert.notEqual(await authenticator.authenticate(issued.key), null);
    clock.unix += 59_999;
    assert.ok(atOnce(authenticator.authenticate(issued.key)));
    clock.unix += 1;
    assert.equal(await authenticator.authenticate(issued.key), null);
    assert.equal(await rotateKey(store, issued.record, { overlapMs: 0, nowMs: NOON + 60_000 }), null);
    await assert.rejects(rotateKey(store, next!.record, { overlapMs: 7 * 86_400_000 + 1, nowMs: NOON }), { code: 'invalid_field' });
  });

  test('with no overlap it is dead at once', async (t) => {
    const { authenticator, issued, store } = await setting(t);
    await rotateKey(store, issued.record, { overlapMs: 0, nowMs: NOON });
    await authenticator.refresh();
    assert.equal(await authenticator.authenticate(issued.key), null);
  });
});

test('a change of plan is seen at the next poll', async (t) => {
  const { authenticator, account, issued, store } = await setting(t);
  await authenticator.authenticate(issued.key);
  await store.changeAccount(account.id, { plan: 'unlimited' });
  await authenticator.refresh();
  assert.equal((await authenticator.authenticate(issued.key))!.plan, 'unlimited');
});

test('calls with one key share its look-up, and look-ups under way are bounded', async (t) => {
  const { authenticator, issued, watched } = await setting(t);
  const open = watched.shut();
  const shared = Array.from({ length: 64 }, () => authenticator.authenticate(issued.key));
  const others = Array.from({ length: STRANGERS_MAX - 1 }, () => authenticator.authenticate(mintKey('external')));
  await assert.rejects(async () => authenticator.authenticate(mintKey('external')), { code: 'overloaded' });
  open();
  assert.equal(new Set(await Promise.all(shared)).size, 1);
  assert.deepEqual(new Set(await Promise.all(others)), new Set([null]));
  assert.equal(watched.lookups, STRANGERS_MAX);
});

test('a flood of keys that nobody knows takes few places in the store, and none from a key that opened something before', async (t) => {
  const { authenticator, store, account, issued, watched } = await setting(t);
  await authenticator.authenticate(issued.key);
  await store.changeAccount(account.id, { plan: 'unlimited' });
  await authenticator.refresh();
  const before = watched.lookups;
  const open = watched.shut();
  const flood = Array.from({ length: 2 * LIMITS.keyLookupsMax }, async () => authenticator.authenticate(mintKey('external')));
  const told = Promise.allSettled(flood);
  assert.equal(watched.lookups - before, LIMITS.strangeLookupsAtOnceMax);
  const known = authenticator.authenticate(issued.key);
  assert.equal(watched.lookups - before, LIMITS.strangeLookupsAtOnceMax + 1, 'asked at once');
  open();
  assert.equal((await known)!.plan, 'unlimited');
  const outcomes = await told;
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, STRANGERS_MAX);
  const fresh = await issueKey(store, account.id, { kind: 'external', name: '', nowMs: NOON });
  assert.notEqual(await authenticator.authenticate(fresh.key), null, 'a key made a moment ago');
});

test('keys that nobody knows wait for a store that does not answer no longer than for one look-up, however many they are', async (t) => {
  const { authenticator, clock, issued, watched } = await setting(t);
  const open = watched.shut();
  const flood = Array.from({ length: STRANGERS_MAX - 1 }, async () => authenticator.authenticate(mintKey('external')));
  const told = Promise.allSettled([...flood, authenticator.authenticate(issued.key)]);
  clock.pass(LIMITS.keyTrustMs);
  open();
  const outcomes = await told;
  assert.deepEqual(new Set(outcomes.map((outcome) => outcome.status === 'rejected' && (outcome.reason as AppError).code)), new Set(['store_unavailable']));
  assert.equal(watched.lookups, LIMITS.strangeLookupsAtOnceMax, 'those behind are not asked for');
  assert.equal((await authenticator.authenticate(issued.key))?.plan, 'standard', 'no place is lost');
});

test('the key of the settings opens as an admin, is nowhere in the store, and any other still needs a look-up', async (t) => {
  const { clock, store, issued } = await setting(t);
  const key = mintKey('admin');
  const authenticator = new Authenticator(store, clock, await settingKey(store, key, NOON));
  await authenticator.refresh();
  const caller = await authenticator.authenticate(key);
  assert.deepEqual([caller!.kind, caller!.plan], ['admin', 'unlimited']);
  assert.equal((await authenticator.authenticate(issued.key))!.kind, 'external');
  assert.equal(await authenticator.authenticate(mintKey('admin')), null);
  assert.equal(await authenticator.authenticate('anything'), null);
  assert.equal((await store.keys(caller!.accountId, { afterId: null, rowsMax: 9 })).length, 0);
});

test('the key of the settings, where it was made as any other, ends as any other, and what it runs too', async (t) => {
  const { clock, store, account } = await setting(t);
  const made = await issueKey(store, account.id, { kind: 'admin', name: '', nowMs: NOON });
  const opened = async (): Promise<Authenticator> => {
    const authenticator = new Authenticator(store, clock, await settingKey(store, made.key, NOON));
    await authenticator.refresh();
    return authenticator;
  };
  const authenticator = await opened();
  const caller = (await authenticator.authenticate(made.key))!;
  assert.equal((await authenticator.present(caller))?.kind, 'admin');
  await store.endKey(made.record.id, NOON);
  await authenticator.refresh();
  assert.deepEqual([await authenticator.authenticate(made.key), await authenticator.present(caller)], [null, null]);
  assert.equal(await (await opened()).authenticate(made.key), null, 'also after a restart');
});

test('the key of the settings goes by its account as others do: by its plan, and not while it is suspended', async (t) => {
  const store = await freshStore(t);
  const key = mintKey('admin');
  const made = await settingKey(store, key, NOON);
  const authenticator = new Authenticator(store, new TestClock(), made);
  await authenticator.refresh();
  const before = await authenticator.authenticate(key);
  assert.equal(before, made.caller);
  const change = async (changed: Parameters<typeof store.changeAccount>[1]): Promise<void> => {
    await store.changeAccount(made.caller.accountId, changed);
    await authenticator.refresh();
  };
  await change({ plan: 'standard' });
  assert.deepEqual(await authenticator.authenticate(key), { ...made.caller, plan: 'standard' });
  assert.equal((await authenticator.present(before!))!.plan, 'standard');
  await change({ status: 'suspended' });
  assert.deepEqual([await authenticator.authenticate(key), await authenticator.present(before!)], [null, null]);
  await change({ status: 'active' });
  assert.deepEqual(await authenticator.authenticate(key), { ...made.caller, plan: 'standard' });
});
