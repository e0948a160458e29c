import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { Caps } from '../../../src/accounts/caps.ts';
import { DAY_MS } from '../../../src/lib/day.ts';
import { Permit } from '../../../src/accounts/permit.ts';
import type { UsageCounter } from '../../../src/accounts/usage.ts';
import type { Store } from '../../../src/store/store.ts';
import { callerOn, freshStore, granted, NOON, refused, TestClock } from '../../accounts/setting.ts';

const FIND = { endpoint: 'find', unitsMost: 1 } as const;
const FREE = { endpoint: 'sources', unitsMost: 0 } as const;

/** New caps over a store; those before are forgotten as a process that ended is. */
type OpenCaps = (test: TestContext, clock: TestClock, store: Store) => Promise<{ readonly caps: Caps; readonly usage: UsageCounter }>;

/** What all caps keep to, whoever counts them. */
export function capsSuite(name: string, open: OpenCaps): void {
  const setting = async (test: TestContext) => {
    const clock = new TestClock();
    const store = await freshStore(test);
    return { clock, store, ...await open(test, clock, store) };
  };

  describe(`the burst of ${name}`, () => {
    test('is at most N in any 60 s, and says when the next place comes free', async (t) => {
      const { clock, caps } = await setting(t);
      const caller = callerOn('preview');
      for (let call = 0; call < 30; call += 1) {
        granted(await caps.admit(caller, FREE)).settle(0);
        clock.pass(1_000);
      }
      const denial = refused(await caps.admit(caller, FREE));
      assert.equal(denial.cap, 'burst');
      assert.equal(denial.retryAfterSeconds, 30);
      assert.match(denial.detail, /minute-window burst.*30 requests in any 60 s.*retry in 30 s/);
      clock.pass(29_999);
      caps.sweep();
      assert.equal(refused(await caps.admit(caller, FREE)).retryAfterSeconds, 1);
      clock.pass(1);
      granted(await caps.admit(caller, FREE)).settle(0);
      refused(await caps.admit(caller, FREE));
    });

    test('does not count what was turned away', async (t) => {
      const { clock, caps } = await setting(t);
      const caller = callerOn('preview');
      for (let call = 0; call < 30; call += 1) granted(await caps.admit(caller, FREE)).settle(0);
      for (let call = 0; call < 100; call += 1) refused(await caps.admit(caller, FREE));
      clock.pass(60_000);
      for (let call = 0; call < 30; call += 1) granted(await caps.admit(caller, FREE)).settle(0);
    });

    test('keeps its past when the plan changes', async (t) => {
      const { clock, caps } = await setting(t);
      for (let call = 0; call < 40; call += 1) {
        granted(await caps.admit({ ...callerOn('standard'), accountId: 'acc' }, FREE)).settle(0);
        clock.pass(100);
      }
      assert.equal(refused(await caps.admit({ ...callerOn('preview'), accountId: 'acc' }, FREE)).retryAfterSeconds, Math.ceil((60_000 - 3_000) / 1_000));
      granted(await caps.admit({ ...callerOn('standard'), accountId: 'acc' }, FREE)).settle(0);
    });
  });

  describe(`the daily unit budget of ${name}`, () => {
    test('is denied naming the cap and the wait until 00:00 UTC, where it resets', async (t) => {
      const { clock, caps } = await setting(t);
      const caller = callerOn('preview');
      granted(await caps.admit(caller, { endpoint: 'validate', unitsMost: 9_999 })).settle(9_999);
      const denial = refused(await caps.admit(caller, { endpoint: 'find', unitsMost: 2 }));
      assert.equal(denial.cap, 'daily');
      assert.equal(denial.retryAfterSeconds, 12 * 3_600);
      assert.match(denial.detail, /daily unit budget.*10000 units a day.*1 left, 2 needed.*00:00 UTC, in 43200 s/);
      granted(await caps.admit(caller, FIND)).settle(1);
      refused(await caps.admit(caller, FIND));
      granted(await caps.admit(caller, FREE)).settle(0);
      clock.pass(DAY_MS / 2);
      granted(await caps.admit(caller, { endpoint: 'validate', unitsMost: 10_000 })).settle(10_000);
    });

    test('that a smaller plan has less of than is used lets in what costs nothing', async (t) => {
      const { caps } = await setting(t);
      const account = { accountId: 'acc' };
      granted(await caps.admit({ ...callerOn('standard'), ...account }, { endpoint: 'validate', unitsMost: 20_000 })).settle(20_000);
      granted(await caps.admit({ ...callerOn('preview'), ...account }, FREE)).settle(0);
      assert.match(refused(await caps.admit({ ...callerOn('preview'), ...account }, FIND)).detail, /10000 units a day.*0 left, 1 needed/);
    });

    test('resets once, even if the clock falls back over midnight', async (t) => {
      const { clock, caps } = await setting(t);
      const caller = callerOn('preview');
      clock.pass(DAY_MS / 2);
      granted(await caps.admit(caller, { endpoint: 'validate', unitsMost: 10_000 })).settle(10_000);
      clock.unix -= 3_600_000;
      assert.equal(refused(await caps.admit(caller, FIND)).retryAfterSeconds, 25 * 3_600);
      clock.unix += 3_600_000;
      refused(await caps.admit(caller, FIND));
    });

    test('is that of the day again when a clock that was far ahead is put right', async (t) => {
      const { clock, caps } = await setting(t);
      const caller = callerOn('preview');
      const most = { endpoint: 'validate', unitsMost: 10_000 } as const;
      clock.jump(365 * DAY_MS);
      granted(await caps.admit(caller, most)).settle(10_000);
      clock.jump(-365 * DAY_MS);
      granted(await caps.admit(caller, most)).settle(10_000);
      assert.equal(refused(await caps.admit(caller, FIND)).retryAfterSeconds, 12 * 3_600);
      clock.pass(DAY_MS / 2);
      granted(await caps.admit(caller, most)).settle(10_000);
    });

    test('a page reserves its most and gives back the rest', async (t) => {
      const { caps } = await setting(t);
      const caller = callerOn('preview');
      granted(await caps.admit(caller, { endpoint: 'validate', unitsMost: 9_990 })).settle(9_990);
      const page = granted(await caps.admit(caller, FIND));
      assert.equal(await page.reserveMore(9), null);
      const denial = refused(await caps.admit(caller, FIND));
      assert.equal(denial.retryAfterSeconds, 1, 'what a call under way holds may come back at once');
      page.settle(2);
      assert.equal(page.charged, 2);
      assert.equal((await caps.look(caller)).daily.remaining, 8);
      refused(await caps.admit(caller, { endpoint: 'find', unitsMost: 9 }));
      granted(await caps.admit(caller, { endpoint: 'find', unitsMost: 8 }));
    });

    test('a call that is denied more is told of all it needs, and is not sent to wait for what it holds itself', async (t) => {
      const { caps } = await setting(t);
      const caller = callerOn('preview');
      granted(await caps.admit(caller, { endpoint: 'validate', unitsMost: 9_995 })).settle(9_995);
      const bulk = granted(await caps.admit(caller, FIND));
      const denial = (await bulk.reserveMore(5))!;
      assert.match(denial.detail, /5 left, 6 needed.*00:00 UTC, in 43200 s/);
      assert.equal(denial.retryAfterSeconds, 12 * 3_600);
      const other = granted(await caps.admit(caller, { endpoint: 'validate', unitsMost: 2 }));
      const waiting = (await bulk.reserveMore(4))!;
      assert.match(waiting.detail, /3 left, 5 needed.*calls under way hold 2; retry in 1 s/);
      other.settle(0);
      assert.equal(await bulk.reserveMore(4), null);
      bulk.settle(5);
      assert.equal((await caps.look(caller)).daily.remaining, 0);
    });

    test('a call that ends while it asks for more pays for what it used alone', async (t) => {
      const { caps, usage } = await setting(t);
      const caller = callerOn('preview');
      const page = granted(await caps.admit(caller, FIND));
      const more = page.reserveMore(9);
      page.settle(1);
      assert.equal(await more, null);
      assert.equal((await caps.look(caller)).daily.used, 1);
      assert.deepEqual((await usage.of(caller.accountId, 0, 1e6)).map(({ units }) => units), [1]);
    });

    test('a stream reserves 100 rows at a time and is told where the budget ends', async (t) => {
      const { caps } = await setting(t);
      const caller = callerOn('preview');
      const stream = granted(await caps.admit(caller, FIND));
      let reserved = 1;
      while ((await stream.reserveMore(1)) === null) reserved += 1;
      assert.equal(reserved, 10_000);
      stream.settle(reserved);
      assert.equal(stream.charged, 10_000);
      assert.equal((await caps.look(caller)).daily.remaining, 0);
    });

    test('a stream over midnight pays each day for its part', async (t) => {
      const { clock, caps, usage } = await setting(t);
      const caller = callerOn('preview');
      const stream = granted(await caps.admit(caller, FIND));
      await stream.reserveMore(1);
      await stream.reserveMore(1);
      clock.pass(DAY_MS / 2);
      await stream.reserveMore(1);
      await stream.reserveMore(1);
      stream.settle(4);
      assert.equal(stream.charged, 4);
      assert.equal((await caps.look(caller)).daily.used, 1);
      const today = Math.floor(NOON / DAY_MS);
      const rows = await usage.of(caller.accountId, today, today + 1);
      assert.deepEqual(rows.map(({ day, units }) => [day - today, units]), [[0, 3], [1, 1]]);
    });

    test('what is given back after midnight does not widen the new day', async (t) => {
      const { clock, caps } = await setting(t);
      const caller = callerOn('preview');
      const page = granted(await caps.admit(caller, { endpoint: 'find', unitsMost: 10 }));
      clock.pass(DAY_MS / 2);
      granted(await caps.admit(caller, { endpoint: 'validate', unitsMost: 10_000 }));
      page.settle(1);
      assert.equal((await caps.look(caller)).daily.used, 10_000);
    });

    test('a 4xx or 5xx costs nothing', async (t) => {
      const { caps, usage } = await setting(t);
      const caller = callerOn('preview');
      const page = granted(await caps.admit(caller, FIND));
      await page.reserveMore(9);
      page.settle(0);
      assert.equal(page.charged, 0);
      assert.equal((await caps.look(caller)).daily.used, 0);
      assert.deepEqual((await usage.of(caller.accountId, 0, 1e6)).map(({ requests, units }) => [requests, units]), [[1, 0]]);
    });

    test('survives a restart', async (t) => {
      const { clock, store, ...before } = await setting(t);
      granted(await before.caps.admit(callerOn('preview'), { endpoint: 'validate', unitsMost: 9_998 })).settle(9_998);
      await before.usage.flush();
      const after = await open(t, clock, store);
      const today = Math.floor(NOON / DAY_MS);
      after.caps.recover(today, await store.unitsOn(today));
      refused(await after.caps.admit(callerOn('preview'), { endpoint: 'find', unitsMost: 3 }));
      assert.equal((await after.caps.look(callerOn('preview'))).daily.remaining, 2);
      refused(await after.caps.admit(callerOn('preview'), { endpoint: 'find', unitsMost: 3 }));
    });
  });

  describe(`the umbrella of ${name}`, () => {
    test('is the account: all its keys share it', async (t) => {
      const { caps } = await setting(t);
      const permits = await Promise.all(Array.from({ length: 8 }, async (_, key) => granted(await caps.admit(callerOn('preview', `key_${key}`), FREE))));
      const denial = refused(await caps.admit(callerOn('preview', 'key_9'), FREE));
      assert.equal(denial.cap, 'umbrella');
      assert.match(denial.detail, /umbrella concurrency.*8 requests at once.*retry in 1 s/);
      granted(await caps.admit({ ...callerOn('preview'), accountId: 'another' }, FREE));
      permits[0]!.settle(0);
      permits[0]!.settle(0);
      granted(await caps.admit(callerOn('preview', 'key_9'), FREE));
      refused(await caps.admit(callerOn('preview', 'key_9'), FREE));
    });

    test('a count of units that cannot be is a bug, and leaks neither a place nor units', async (t) => {
      const { caps } = await setting(t);
      const caller = callerOn('preview');
      for (const units of [2, -1, 0.5, Number.NaN]) {
        const permit = granted(await caps.admit(caller, FIND));
        assert.throws(() => permit.settle(units), /cannot have used/);
        assert.equal(permit.charged, 1);
      }
      for (const units of [-1, 0.5, Number.NaN]) {
        assert.throws(() => caps.admit(caller, { endpoint: 'find', unitsMost: units }), /no number of units/);
        const permit = granted(await caps.admit(caller, FIND));
        assert.throws(() => permit.reserveMore(units), /no number of units/);
        permit.settle(0);
        assert.throws(() => permit.reserveMore(1), /settled/);
      }
      assert.deepEqual([(await caps.look(caller)).umbrella.used, (await caps.look(caller)).daily.used], [0, 4]);
    });
  });

  test(`of several caps of ${name} that are in the way the longest wait is told`, async (t) => {
    const { clock, caps } = await setting(t);
    const caller = callerOn('preview');
    const told = async (): Promise<unknown[]> => {
      const { cap, retryAfterSeconds } = refused(await caps.admit(caller, FIND));
      return [cap, retryAfterSeconds];
    };
    granted(await caps.admit(caller, { endpoint: 'validate', unitsMost: 10_000 })).settle(10_000);
    for (let call = 1; call < 30; call += 1) granted(await caps.admit(caller, FREE)).settle(0);
    assert.deepEqual(await told(), ['daily', 12 * 3_600]);
    clock.pass(DAY_MS / 2 - 30_000);
    for (let call = 0; call < 30; call += 1) granted(await caps.admit(caller, FREE)).settle(0);
    assert.deepEqual(await told(), ['burst', 60]);
  });

  test(`64 parallel callers are granted nothing over any cap of ${name}`, async (t) => {
    const { caps } = await setting(t);
    const caller = callerOn('standard');
    let atOnce = 0;
    let most = 0;
    let grants = 0;
    const client = async (): Promise<void> => {
      for (let call = 0; call < 40; call += 1) {
        const verdict = await caps.admit(caller, FIND);
        if (verdict instanceof Permit) {
          grants += 1;
          atOnce += 1;
          most = Math.max(most, atOnce);
          await new Promise((resume) => setImmediate(resume));
          atOnce -= 1;
          verdict.settle(1);
        } else await new Promise((resume) => setImmediate(resume));
      }
    };
    await Promise.all(Array.from({ length: 64 }, client));
    assert.equal(most, 32);
    assert.equal(grants, 600);
    assert.equal((await caps.look(caller)).umbrella.used, 0);
    assert.equal((await caps.look(caller)).daily.used, 600);
  });

  test(`an unlimited plan is counted but never denied by ${name}`, async (t) => {
    const { caps, usage } = await setting(t);
    const caller = callerOn('unlimited');
    const permits = await Promise.all(Array.from({ length: 1_000 }, async () => granted(await caps.admit(caller, { endpoint: 'validate', unitsMost: 1_000 }))));
    for (const permit of permits) permit.settle(900);
    const { daily, burst } = await caps.look(caller);
    assert.deepEqual(daily, { limit: null, used: 900_000, remaining: null, resetSeconds: 43_200 });
    assert.equal(burst.used, null, 'nobody counts them: none would be a lie');
    assert.deepEqual((await usage.of(caller.accountId, 0, 1e6)).map(({ requests, units }) => [requests, units]), [[1_000, 900_000]]);
  });

  test(`an account that is idle leaves nothing in the memory of ${name}, and its spending stays known`, async (t) => {
    const { clock, caps } = await setting(t);
    granted(await caps.admit(callerOn('preview'), FIND)).settle(1);
    clock.pass(60_000);
    caps.sweep();
    refused(await caps.admit(callerOn('preview'), { endpoint: 'validate', unitsMost: 10_000 }));
    assert.equal((await caps.look(callerOn('preview'))).daily.used, 1);
    clock.pass(DAY_MS);
    caps.sweep();
    assert.equal((await caps.look(callerOn('preview'))).daily.used, 0);
  });
}
