import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Outdated } from '../../../src/store/outdated_store.ts';
import type { NewMember, Store, Usage } from '../../../src/store/store.ts';
import { digestOf } from '../../../src/accounts/key.ts';
import { account, batch, type FreshStore, key } from './store_suite.ts';

const BOUNDS: Outdated = { waitingCreatedMs: 1_000, waitingMax: 100, keysEndedMs: 5_000, keysKeptOf: [], usageDay: 20_000, rowsMax: 100 };
const ALL = { afterId: null, rowsMax: 100 };

function member(id: string, createdMs: number): NewMember {
  return { account: account(id, { status: 'waiting', createdMs }), passwordHash: '$hash$one', invite: null, nowMs: createdMs };
}

function used(accountId: string, day: number): Usage {
  return { day, accountId, keyId: 'k', endpoint: 'find', requests: 1, units: 1 };
}

const ids = async (store: Store): Promise<string[]> => (await store.accounts(ALL)).map(({ id }) => id);
const keyIds = async (store: Store): Promise<string[]> => (await store.keys(null, ALL)).map(({ id }) => id);

/** What every store forgets, and keeps. */
export function outdatedSuite(name: string, fresh: FreshStore): void {
  describe(`what has had its time in ${name}`, () => {
    test('is an account that waits for long, with its password and sessions, and none that was ever more than that', async (t) => {
      const { store } = await fresh(t);
      for (const id of ['gone', 'keyed', 'used', 'opened']) await store.addMember(member(id, 999));
      await store.addMember(member('young', 1_000));
      await store.addKey(key('k-keyed', 'keyed', { endsMs: 9_000 }));
      await store.addUsage(batch([used('used', 20_000)]));
      await store.changeAccount('opened', { status: 'active' });
      await store.addSession({ digest: digestOf('s'), accountId: 'gone', createdMs: 999, usedMs: 999 }, '$hash$one', 3);
      const revision = await store.revision();
      await store.forgetOutdated(BOUNDS);
      assert.deepEqual(await ids(store), ['keyed', 'opened', 'used', 'young']);
      assert.deepEqual([await store.memberByEmail('gone@example.com'), await store.session(digestOf('s'))], [null, null]);
      assert.notEqual(await store.revision(), revision);
      assert.equal(await store.addMember({ ...member('again', 2_000), account: account('again', { email: 'gone@example.com', status: 'waiting' }) }), 'waiting');
    });

    test('are the oldest of more accounts that wait than may', async (t) => {
      const { store } = await fresh(t);
      for (const [at, id] of ['e', 'd', 'c', 'b', 'a'].entries()) await store.addMember(member(id, 2_000 + at));
      await store.addAccount(account('z', { createdMs: 1 }));
      await store.forgetOutdated({ ...BOUNDS, waitingMax: 5 });
      assert.deepEqual(await ids(store), ['a', 'b', 'c', 'd', 'e', 'z']);
      await store.forgetOutdated({ ...BOUNDS, waitingMax: 2 });
      assert.deepEqual(await ids(store), ['a', 'b', 'z']);
    });

    test('are keys that ended long ago, but of accounts whose keys are kept', async (t) => {
      const { store } = await fresh(t);
      for (const id of ['a', 'own']) await store.addAccount(account(id));
      for (const [id, accountId, endsMs] of [['k1', 'a', 4_999], ['k2', 'a', 5_000], ['k3', 'a', null], ['k4', 'own', 1]] as const) await store.addKey(key(id, accountId, { endsMs }));
      await store.forgetOutdated({ ...BOUNDS, keysKeptOf: ['own@example.com', 'nobody@example.com'] });
      assert.deepEqual(await keyIds(store), ['k2', 'k3', 'k4']);
      assert.equal(await store.keyByDigest(digestOf('k1')), null);
    });

    test('is use of days long past, and the revision of keys is the same', async (t) => {
      const { store } = await fresh(t);
      await store.addUsage(batch([used('a', 19_999), used('b', 20_000), used('a', 20_001)]));
      const revision = await store.revision();
      await store.forgetOutdated(BOUNDS);
      assert.deepEqual((await store.usage(null, 0, 30_000)).map(({ day, accountId }) => [day, accountId]), [[20_000, 'b'], [20_001, 'a']]);
      assert.equal(await store.revision(), revision);
    });

    test('goes a few of a kind at a time, by several processes at once', async (t) => {
      const { store, again } = await fresh(t);
      const other = await again();
      await store.addAccount(account('z'));
      const numbers = Array.from({ length: 9 }, (_, at) => at);
      for (const at of numbers) {
        await store.addMember(member(`w${at}`, at));
        await store.addKey(key(`k${at}`, 'z', { endsMs: 1 }));
      }
      await store.addUsage(batch(numbers.map((at) => used(`z${at}`, 1))));
      const left = async (): Promise<number[]> => [(await ids(store)).length - 1, (await keyIds(store)).length, (await store.usage(null, 0, 30_000)).length];
      assert.equal(await store.forgetOutdated({ ...BOUNDS, rowsMax: 4 }), 12);
      assert.deepEqual(await left(), [5, 5, 5]);
      await Promise.all([store, other].map((one) => one.forgetOutdated({ ...BOUNDS, rowsMax: 4 })));
      await store.forgetOutdated({ ...BOUNDS, rowsMax: 4 });
      assert.deepEqual(await left(), [0, 0, 0]);
    });
  });
}
