import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { digestOf } from '../../../src/accounts/key.ts';
import type { Account, Invite, Key, Store, Usage, UsageBatch } from '../../../src/store/store.ts';
import { pause } from '../../support/runners.ts';

/** Gives an empty store that is closed and gone after the test; `again` opens the same one as another process would. */
export type FreshStore = (test: TestContext) => Promise<{ store: Store; again(): Promise<Store> }>;

const ALL = { afterId: null, rowsMax: 100 };

export function account(id: string, over: Partial<Account> = {}): Account {
  return { id, email: `${id}@example.com`, plan: 'preview', status: 'active', createdMs: 1_000, ...over };
}

export function key(id: string, accountId: string, over: Partial<Key> = {}): Key {
  return { id, accountId, kind: 'external', digest: digestOf(id), name: 'first', hint: 'ldx_abcd', createdMs: 2_000, endsMs: null, ...over };
}

export function invite(id: string, over: Partial<Invite> = {}): Invite {
  return { id, digest: digestOf(id), usesMax: 1, usesLeft: 1, createdMs: 3_000, expiresMs: null, ...over };
}

export function usage(over: Partial<Usage>): Usage {
  return { day: 20_000, accountId: 'a', keyId: 'k', endpoint: 'find', requests: 1, units: 1, ...over };
}

/** Of many at once on a busy machine some wait too long for a connection: they have done nothing, and come again. */
export async function insisting<T>(change: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await change();
    } catch (error) {
      if ((error as { cause?: { kind?: string } }).cause?.kind !== 'unable' || tries === 100) throw error;
      await pause(20);
    }
  }
}

let batches = 0;

export function batch(additions: readonly Usage[], writer = 'w'): UsageBatch {
  batches += 1;
  return { writer, number: batches, additions };
}

/** What every store keeps to. */
export function storeSuite(name: string, fresh: FreshStore): void {
  describe(`accounts in ${name}`, () => {
    test('are found by email, and listed by id from any of them on', async (t) => {
      const { store } = await fresh(t);
      for (const id of ['b', 'a', 'c']) assert.deepEqual(await store.addAccount(account(id)), account(id));
      assert.deepEqual(await store.accountByEmail('b@example.com'), account('b'));
      assert.equal(await store.accountByEmail('d@example.com'), null);
      assert.deepEqual((await store.accounts({ afterId: null, rowsMax: 2 })).map(({ id }) => id), ['a', 'b']);
      assert.deepEqual((await store.accounts({ afterId: 'b', rowsMax: 2 })).map(({ id }) => id), ['c']);
    });

    test('are one to an email: who comes second gets the first, unchanged', async (t) => {
      const { store } = await fresh(t);
      await store.addAccount(account('a'));
      const second = await store.addAccount(account('b', { email: 'a@example.com', plan: 'unlimited' }));
      assert.deepEqual(second, account('a'));
      assert.equal((await store.accounts(ALL)).length, 1);
    });

    test('change in what is named and nothing else', async (t) => {
      const { store } = await fresh(t);
      await store.addAccount(account('a'));
      await store.addAccount(account('b'));
      assert.equal(await store.changeAccount('a', { plan: 'standard' }), true);
      assert.equal(await store.changeAccount('a', { status: 'suspended' }), true);
      assert.equal(await store.changeAccount('x', { plan: 'standard' }), false);
      assert.deepEqual(await store.accounts(ALL), [account('a', { plan: 'standard', status: 'suspended' }), account('b')]);
    });
  });

  describe(`keys in ${name}`, () => {
    test('are found by their digest, with their account', async (t) => {
      const { store } = await fresh(t);
      await store.addAccount(account('a', { status: 'waiting' }));
      await store.addKey(key('k', 'a', { kind: 'admin', endsMs: 5 }));
      const found = await store.keyByDigest(digestOf('k'));
      assert.deepEqual({ ...found!.key, digest: Buffer.from(found!.key.digest) }, key('k', 'a', { kind: 'admin', endsMs: 5 }));
      assert.deepEqual(found!.account, account('a', { status: 'waiting' }));
      assert.equal(await store.keyByDigest(digestOf('other')), null);
    });

    test('are listed by account or all', async (t) => {
      const { store } = await fresh(t);
      for (const id of ['a', 'b']) await store.addAccount(account(id));
      for (const [id, owner] of [['k1', 'a'], ['k2', 'b'], ['k3', 'a']] as const) await store.addKey(key(id, owner));
      assert.deepEqual((await store.keys('a', ALL)).map(({ id }) => id), ['k1', 'k3']);
      assert.deepEqual((await store.keys('a', { afterId: 'k1', rowsMax: 1 })).map(({ id }) => id), ['k3']);
      assert.deepEqual((await store.keys(null, ALL)).map(({ id }) => id), ['k1', 'k2', 'k3']);
    });

    test('are not added to an account that is gone, or goes meanwhile', async (t) => {
      const { store, again } = await fresh(t);
      const other = await again();
      assert.equal(await store.addKey(key('k', 'a')), false);
      for (let round = 0; round < 20; round += 1) {
        const id = `a${round}`;
        await store.addAccount(account(id));
        const [added, deleted] = await Promise.all([store.addKey(key(`k${round}`, id)), other.deleteAccount(id)]);
        assert.deepEqual([typeof added, deleted, (await store.keys(id, ALL)).length], ['boolean', true, 0]);
      }
    });

    test('end once told, and never later than told before', async (t) => {
      const { store } = await fresh(t);
      await store.addAccount(account('a'));
      await store.addKey(key('k', 'a'));
      assert.equal(await store.endKey('k', 500), true);
      assert.equal(await store.endKey('k', 900), true);
      assert.equal((await store.keys('a', ALL))[0]!.endsMs, 500);
      await store.endKey('k', 400);
      assert.equal((await store.keys('a', ALL))[0]!.endsMs, 400);
      assert.equal(await store.endKey('x', 1), false);
      assert.deepEqual([await store.wasEnded(digestOf('k')), await store.wasEnded(digestOf('x'))], [true, false]);
    });

    test('that were ended open nothing, and are not replaced, by no clock', async (t) => {
      const { store } = await fresh(t);
      await store.addAccount(account('a'));
      for (const id of ['ended', 'rotated', 'ending']) await store.addKey(key(id, 'a'));
      await store.endKey('ended', 9_000);
      await store.replaceKey('rotated', { nowMs: 9_000, endsMs: 9_000, next: key('next', 'a'), livingMax: 20 });
      await store.replaceKey('ending', { nowMs: 100, endsMs: 9_000, next: key('other', 'a'), livingMax: 20 });
      const found = await Promise.all(['ended', 'rotated', 'ending', 'next'].map(async (id) => (await store.keyByDigest(digestOf(id)))?.key.id));
      assert.deepEqual(found, [undefined, undefined, 'ending', 'next']);
      for (const id of ['ended', 'rotated']) assert.equal(await store.replaceKey(id, { nowMs: 1, endsMs: 2, next: key('late', 'a'), livingMax: 20 }), 'ended');
    });

    test('are replaced while they live: the old one ends and the next one stands, or nothing happens', async (t) => {
      const { store } = await fresh(t);
      await store.addAccount(account('a'));
      await store.addAccount(account('b'));
      await store.addKey(key('k', 'a'));
      assert.equal(await store.replaceKey('k', { nowMs: 100, endsMs: 200, next: key('foreign', 'b'), livingMax: 20 }), 'ended');
      assert.equal(await store.replaceKey('k', { nowMs: 100, endsMs: 200, next: key('next', 'a'), livingMax: 20 }), 'replaced');
      assert.equal(await store.replaceKey('k', { nowMs: 200, endsMs: 200, next: key('late', 'a'), livingMax: 20 }), 'ended');
      await assert.rejects(store.replaceKey('next', { nowMs: 100, endsMs: 200, next: key('twin', 'a', { digest: digestOf('k') }), livingMax: 20 }));
      assert.deepEqual((await store.keys(null, ALL)).map(({ id, endsMs }) => [id, endsMs]), [['k', 200], ['next', null]]);
    });
  });

  describe(`rotated keys in ${name}`, () => {
    test('live on beside their successors only while the account may have so many', async (t) => {
      const { store } = await fresh(t);
      await store.addAccount(account('a'));
      await store.addKey(key('k0', 'a'));
      const rotate = (from: string, to: string, endsMs: number, livingMax = 3) => store.replaceKey(from, { nowMs: 100, endsMs, next: key(to, 'a'), livingMax });
      assert.equal(await rotate('k0', 'k1', 900), 'replaced');
      assert.equal(await rotate('k0', 'k2', 900), 'replaced', 'while it is ending');
      assert.equal(await rotate('k0', 'k3', 900), 'too_many');
      assert.equal(await rotate('k0', 'k3', 100), 'replaced', 'one for one');
      assert.equal(await rotate('k1', 'k4', 900), 'too_many');
      assert.equal(await store.endKey('k2', 100), true);
      assert.equal(await rotate('k1', 'k4', 900), 'replaced');
      assert.deepEqual((await store.keys('a', ALL)).map(({ id, endsMs }) => [id, endsMs]), [['k0', 100], ['k1', 900], ['k2', 100], ['k3', null], ['k4', null]]);
    });

    test('live on in no greater number though they are rotated at once', async (t) => {
      const { store } = await fresh(t);
      await store.addAccount(account('a'));
      await store.addKey(key('k', 'a'));
      const rotated = await Promise.all(Array.from({ length: 12 }, (_, at) => store.replaceKey('k', { nowMs: 100, endsMs: 900, next: key(`n${at}`, 'a'), livingMax: 5 })));
      assert.deepEqual([rotated.filter((one) => one === 'replaced').length, rotated.filter((one) => one === 'too_many').length], [4, 8]);
      assert.equal((await store.keysOfAccount('a', 100, 99)).length, 5);
    });
  });

  describe(`invites in ${name}`, () => {
    const redeem = (store: Store, code: string, accountId: string) => store.redeemInvite(digestOf(code), accountId, 10_000);

    test('activate a waiting account, as often as they were made for', async (t) => {
      const { store } = await fresh(t);
      for (const id of ['a', 'b', 'c']) await store.addAccount(account(id, { status: 'waiting' }));
      await store.addInvite(invite('i', { usesMax: 2, usesLeft: 2 }));
      assert.deepEqual([await redeem(store, 'i', 'a'), await redeem(store, 'i', 'b'), await redeem(store, 'i', 'c')], [true, true, false]);
      assert.deepEqual((await store.accounts(ALL)).map(({ status }) => status), ['active', 'active', 'waiting']);
      assert.equal((await store.invites(ALL))[0]!.usesLeft, 0);
    });

    test('are not spent on an account that does not wait, nor when they expired, nor where there is none', async (t) => {
      const { store } = await fresh(t);
      await store.addAccount(account('a'));
      await store.addAccount(account('s', { status: 'suspended' }));
      await store.addAccount(account('w', { status: 'waiting' }));
      await store.addInvite(invite('i'));
      await store.addInvite(invite('old', { expiresMs: 10_000 }));
      assert.deepEqual([await redeem(store, 'i', 'a'), await redeem(store, 'i', 's'), await redeem(store, 'i', 'x')], [false, false, false]);
      assert.deepEqual([await redeem(store, 'old', 'w'), await redeem(store, 'none', 'w')], [false, false]);
      assert.deepEqual((await store.invites(ALL)).map(({ id, usesLeft }) => [id, usesLeft]), [['i', 1], ['old', 1]]);
    });

    test('that are single-use succeed once among 50 in parallel', async (t) => {
      const { store, again } = await fresh(t);
      const other = await again();
      const ids = Array.from({ length: 50 }, (_, at) => `a${at}`);
      for (const id of ids) await store.addAccount(account(id, { status: 'waiting' }));
      await store.addInvite(invite('i'));
      const won = await Promise.all(ids.map((id, at) => insisting(() => redeem(at % 2 === 0 ? store : other, 'i', id))));
      assert.equal(won.filter(Boolean).length, 1);
      assert.equal((await store.accounts(ALL)).filter(({ status }) => status === 'active').length, 1);
    });
  });

  describe(`races in ${name}`, () => {
    test('for one account with two invites spend one of them', async (t) => {
      const { store, again } = await fresh(t);
      const other = await again();
      for (let round = 0; round < 8; round += 1) {
        const [id, one, two] = [`a${round}`, `i${round}`, `j${round}`];
        await store.addAccount(account(id, { status: 'waiting' }));
        for (const code of [one, two]) await store.addInvite(invite(code));
        const redeemed = await Promise.all([store.redeemInvite(digestOf(one), id, 1), other.redeemInvite(digestOf(two), id, 1)]);
        assert.equal(redeemed.filter(Boolean).length, 1);
      }
      assert.equal((await store.invites(ALL)).filter(({ usesLeft }) => usesLeft === 1).length, 8);
    });

    test('of many changes of the same keys and accounts all come to an end, and each is seen', async (t) => {
      const { store, again } = await fresh(t);
      const stores = [store, await again()];
      for (let at = 0; at < 4; at += 1) {
        await store.addAccount(account(`a${at}`));
        await store.addKey(key(`k${at}`, `a${at}`));
      }
      const before = await store.revision();
      const changes = Array.from({ length: 40 }, (_, at) => insisting(() => {
        const [one, id] = [stores[at % 2]!, at % 4];
        return at % 3 === 0 ? one.changeAccount(`a${id}`, { plan: 'standard' }) : at % 3 === 1 ? one.endKey(`k${id}`, 10_000 - at) : one.renameKey(`a${id}`, `k${id}`, `n${at}`);
      }));
      assert.deepEqual(await Promise.all(changes), changes.map(() => true));
      assert.equal((await store.revision()) - before, changes.length);
    });
  });

  test(`${name} keeps calls without a key of no more networks than it is told to, and of one day, and tells them page by page`, async (t) => {
    const { store } = await fresh(t);
    const called = (day: number, ...names: readonly string[]) => names.map((network) => ({ day, name: network, calls: 1 }));
    await store.keepPlaygroundCalls(called(20_000, 'a', 'b', 'c'), 3);
    const all = { afterName: null, rowsMax: 10 };
    assert.equal((await store.playgroundCalls(20_000, all)).length, 3);
    const page = await store.playgroundCalls(20_000, { ...all, rowsMax: 2 });
    assert.deepEqual([...page, ...await store.playgroundCalls(20_000, { afterName: page[1]!.name, rowsMax: 2 })], await store.playgroundCalls(20_000, all));
    await store.keepPlaygroundCalls(called(20_000, 'd', 'e'), 3);
    assert.equal((await store.playgroundCalls(20_000, all)).length, 3);
    await store.keepPlaygroundCalls(called(20_001, 'a', 'b'), 3);
    assert.deepEqual([await store.playgroundCalls(20_000, all), (await store.playgroundCalls(20_001, all)).length], [[], 2]);
  });

  test(`the first secret under a name stands in ${name}, whoever comes later`, async (t) => {
    const { store, again } = await fresh(t);
    const other = await again();
    const [first, second] = await Promise.all([store.secret('cursor', Buffer.from('one')), other.secret('cursor', Buffer.from('two'))]);
    assert.deepEqual(Buffer.from(first), Buffer.from(second));
    assert.equal(Buffer.from(await store.secret('other', Buffer.from('three'))).toString(), 'three');
  });

  test(`the revision of ${name} changes with every change of a key or an account, and not with usage`, async (t) => {
    const { store, again } = await fresh(t);
    const other = await again();
    await store.addAccount(account('a', { status: 'waiting' }));
    for (const id of ['k', 'l']) await store.addKey(key(id, 'a'));
    await store.addInvite(invite('i'));
    const seen = [await store.revision()];
    const steps = [
      () => other.endKey('l', 5_000),
      () => store.changeAccount('a', { plan: 'standard' }),
      () => store.replaceKey('k', { nowMs: 1, endsMs: 4_000, next: key('next', 'a'), livingMax: 20 }),
      () => other.redeemInvite(digestOf('i'), 'a', 1),
    ];
    for (const step of steps) {
      assert.ok(await step());
      seen.push(await store.revision());
    }
    assert.equal(new Set(seen).size, steps.length + 1);
    await store.addUsage(batch([usage({})]));
    assert.equal(await store.revision(), seen.at(-1));
  });

  test(`what ${name} acknowledged is there when it is opened again`, async (t) => {
    const { store, again } = await fresh(t);
    await store.addAccount(account('a'));
    await store.addKey(key('k', 'a'));
    await store.addUsage(batch([usage({})]));
    await store.close();
    await assert.rejects(store.revision(), { code: 'store_unavailable' });
    const opened = await again();
    assert.equal((await opened.keys('a', ALL)).length, 1);
    assert.deepEqual(await opened.unitsOn(20_000), new Map([['a', 1]]));
  });
}
