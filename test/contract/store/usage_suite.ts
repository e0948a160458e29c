import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LIMITS } from '../../../src/config/limits.ts';
import type { Store, UsageBatch, UsageSum, UsageSums } from '../../../src/store/store.ts';
import { batch, type FreshStore, usage } from './store_suite.ts';

/** What every store keeps of what was used. */
export function usageSuite(name: string, fresh: FreshStore): void {
  describe(`usage in ${name}`, () => {
    test('adds up by day, account and endpoint, whatever the key', async (t) => {
      const { store } = await fresh(t);
      await store.addUsage(batch([usage({ units: 5 }), usage({ units: -2, requests: 0 }), usage({ keyId: 'l' }), usage({ endpoint: 'validate', units: 7 }), usage({ accountId: 'b' })]));
      await store.addUsage(batch([usage({}), usage({ day: 20_001 })]));
      const day = { day: 20_000, accountId: 'a' };
      assert.deepEqual(await store.usage('a', 20_000, 20_000), [{ ...day, endpoint: 'find', units: 5, requests: 3 }, { ...day, endpoint: 'validate', units: 7, requests: 1 }]);
      assert.deepEqual((await store.usage('a', 20_000, 20_001)).map((row) => row.day), [20_000, 20_000, 20_001]);
      assert.deepEqual((await store.usage(null, 20_000, 20_001)).map(({ accountId }) => accountId), ['a', 'a', 'b', 'a']);
      assert.deepEqual(await store.unitsOn(20_000), new Map([['a', 12], ['b', 1]]));
      assert.deepEqual(await store.unitsOn(20_000, ['b', 'nobody']), new Map([['b', 1]]));
      assert.deepEqual(await store.unitsOn(20_000, []), new Map());
      assert.deepEqual(await store.unitsOn(1), new Map());
    });

    test('is summed up by account and by endpoint, step by step, each account once', async (t) => {
      const { store } = await fresh(t);
      const accounts = LIMITS.usageRowsInSum + 10;
      // Of the account that the first step ends in there is more than fits.
      const additions = Array.from({ length: accounts }, (_, at) => usage({ accountId: `acc_${String(at).padStart(6, '0')}`, units: 2 }));
      const { accountId } = additions[LIMITS.usageRowsInSum - 1]!;
      const more = ['k1', 'k2', 'k3'].map((keyId) => usage({ accountId, keyId, endpoint: 'validate' }));
      await store.addUsage(batch([...additions, ...more, usage({ day: 20_001 })]));
      const summed = async (by: 'account' | 'endpoint'): Promise<UsageSum[]> => {
        const sums: UsageSum[] = [];
        for (let after: string | null = null; ;) {
          const step: UsageSums = await store.usageSums(20_000, by, after);
          sums.push(...step.sums);
          if (step.nextAfter === null) return sums;
          after = step.nextAfter;
        }
      };
      const byAccount = await summed('account');
      assert.deepEqual(byAccount.map(({ name: id }) => id), additions.map(({ accountId: id }) => id));
      assert.deepEqual(byAccount[LIMITS.usageRowsInSum - 1], { name: accountId, requests: 4, units: 5 });
      const byEndpoint = new Map<string, number>();
      for (const { name: endpoint, units } of await summed('endpoint')) byEndpoint.set(endpoint, (byEndpoint.get(endpoint) ?? 0) + units);
      assert.deepEqual(byEndpoint, new Map([['find', 2 * accounts], ['validate', 3]]));
      assert.deepEqual(await store.usageSums(1, 'account', null), { sums: [], nextAfter: null });
    });

    test('of one write is kept whole or not at all', async (t) => {
      const { store } = await fresh(t);
      await assert.rejects(store.addUsage(batch([usage({}), usage({ units: Number.NaN })])));
      assert.deepEqual(await store.usage('a', 0, 1e6), []);
    });

    test('is counted once however often its batch is given, and of two processes adds up', async (t) => {
      const { store, again } = await fresh(t);
      const other = await again();
      const first = batch([usage({ units: 3 })]);
      await Promise.all([store.addUsage(first), store.addUsage(first), store.addUsage(first)]);
      await store.addUsage(first);
      await store.addUsage({ ...first, writer: 'of another' });
      assert.deepEqual(await store.unitsOn(20_000), new Map([['a', 6]]));
      const many = (writer: string) => Array.from({ length: 20 }, () => batch([usage({}), usage({ accountId: 'b', keyId: 'l' })], writer));
      const inTurn = async (one: Store, given: UsageBatch[]) => { for (const each of given) await one.addUsage(each); };
      await Promise.all([inTurn(store, many('w1')), inTurn(other, many('w2'))]);
      assert.deepEqual(await other.unitsOn(20_000), new Map([['a', 46], ['b', 40]]));
    });
  });
}
