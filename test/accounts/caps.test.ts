import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { DAY_MS } from '../../src/accounts/day.ts';
import { Permit } from '../../src/accounts/permit.ts';
import { unitsOfRows } from '../../src/accounts/plans.ts';
import { callerOn, capsAt, freshStore, granted, NOON, refused, TestClock } from './setting.ts';

const FIND = { endpoint: 'find', unitsMost: 1 } as const;
const FREE = { endpoint: 'sources', unitsMost: 0 } as const;

async function setting(test: TestContext) {
  const clock = new TestClock();
  return { clock, ...capsAt(clock, await freshStore(test)) };
}

describe('the burst', () => {
  test('is at most N in any 60 s, and says when the next place comes free', async (t) => {
    const { clock, caps } = await setting(t);
    const caller = callerOn('preview');
    for (let call = 0; call < 30; call += 1) {
      granted(caps.admit(caller, FREE)).settle(0);
      clock.pass(1_000);
    }
    const denial = refused(caps.admit(caller, FREE));
    assert.equal(denial.cap, 'burst');
    assert.equal(denial.retryAfterSeconds, 30);
    assert.match(denial.detail, /minute-window burst.*30 requests in any 60 s.*retry in 30 s/);
    clock.pass(29_999);
    assert.equal(refused(caps.admit(caller, FREE)).retryAfterSeconds, 1);
    clock.pass(1);
    granted(caps.admit(caller, FREE)).settle(0);
    refused(caps.admit(caller, FREE));
  });

  test('does not count what was turned away', async (t) => {
    const { clock, caps } = await setting(t);
    const caller = callerOn('preview');
    for (let call = 0; call < 30; call += 1) granted(caps.admit(caller, FREE)).settle(0);
    for (let call = 0; call < 100; call += 1) refused(caps.admit(caller, FREE));
    clock.pass(60_000);
    for (let call = 0; call < 30; call += 1) granted(caps.admit(caller, FREE)).settle(0);
  });

  test('keeps its past when the plan changes', async (t) => {
    const { clock, caps } = await setting(t);
    for (let call = 0; call < 40; call += 1) {
      granted(caps.admit({ ...callerOn('standard'), accountId: 'acc' }, FREE)).settle(0);
      clock.pass(100);
    }
    assert.equal(refused(caps.admit({ ...callerOn('preview'), accountId: 'acc' }, FREE)).retryAfterSeconds, Math.ceil((60_000 - 3_000) / 1_000));
    granted(caps.admit({ ...callerOn('standard'), accountId: 'acc' }, FREE)).settle(0);
  });
});

describe('the daily unit budget', () => {
  test('is denied naming the cap and the wait until 00:00 UTC, where it resets', async (t) => {
    const { clock, caps } = await setting(t);
    const caller = callerOn('preview');
    granted(caps.admit(caller, { endpoint: 'validate', unitsMost: 9_999 })).settle(9_999);
    const denial = refused(caps.admit(caller, { endpoint: 'find', unitsMost: 2 }));
    assert.equal(denial.cap, 'daily');
    assert.equal(denial.retryAfterSeconds, 12 * 3_600);
    assert.match(denial.detail, /daily unit budget.*10000 units a day.*1 left, 2 needed.*00:00 UTC, in 43200 s/);
    granted(caps.admit(caller, FIND)).settle(1);
    refused(caps.admit(caller, FIND));
    granted(caps.admit(caller, FREE)).settle(0);
    clock.pass(DAY_MS / 2);
    granted(caps.admit(caller, { endpoint: 'validate', unitsMost: 10_000 })).settle(10_000);
  });

  test('resets once, even if the clock falls back over midnight', async (t) => {
    const { clock, caps } = await setting(t);
    const caller = callerOn('preview');
    clock.pass(DAY_MS / 2);
    granted(caps.admit(caller, { endpoint: 'validate', unitsMost: 10_000 })).settle(10_000);
    clock.unix -= 3_600_000;
    assert.equal(refused(caps.admit(caller, FIND)).retryAfterSeconds, 25 * 3_600);
    clock.unix += 3_600_000;
    refused(caps.admit(caller, FIND));
  });

  test('a page reserves its most and gives back the rest', async (t) => {
    const { caps } = await setting(t);
    const caller = callerOn('preview');
    granted(caps.admit(caller, { endpoint: 'validate', unitsMost: 9_990 })).settle(9_990);
    const page = granted(caps.admit(caller, FIND));
    assert.equal(page.reserveMore(9), null);
    const denial = refused(caps.admit(caller, FIND));
    assert.equal(denial.retryAfterSeconds, 1, 'what a call under way holds may come back at once');
    page.settle(unitsOfRows(130));
    assert.equal(page.charged, 2);
    assert.equal(caps.standing(caller).daily.remaining, 8);
    refused(caps.admit(caller, { endpoint: 'find', unitsMost: 9 }));
    granted(caps.admit(caller, { endpoint: 'find', unitsMost: 8 }));
  });

  test('a stream reserves 100 rows at a time and is told where the budget ends', async (t) => {
    const { caps } = await setting(t);
    const caller = callerOn('preview');
    const stream = granted(caps.admit(caller, FIND));
    let reserved = 1;
    while (stream.reserveMore(1) === null) reserved += 1;
    assert.equal(reserved, 10_000);
    stream.settle(reserved);
    assert.equal(stream.charged, 10_000);
    assert.equal(caps.standing(caller).daily.remaining, 0);
  });

  test('a stream over midnight pays each day for its part', async (t) => {
    const { clock, caps, usage } = await setting(t);
    const caller = callerOn('preview');
    const stream = granted(caps.admit(caller, FIND));
    stream.reserveMore(1);
    stream.reserveMore(1);
    clock.pass(DAY_MS / 2);
    stream.reserveMore(1);
    stream.reserveMore(1);
    stream.settle(4);
    assert.equal(stream.charged, 4);
    assert.equal(caps.standing(caller).daily.used, 1);
    const today = Math.floor(NOON / DAY_MS);
    const rows = await usage.of(caller.accountId, today, today + 1);
    assert.deepEqual(rows.map(({ day, units }) => [day - today, units]), [[0, 3], [1, 1]]);
  });

  test('what is given back after midnight does not widen the new day', async (t) => {
    const { clock, caps } = await setting(t);
    const caller = callerOn('preview');
    const page = granted(caps.admit(caller, { endpoint: 'find', unitsMost: 10 }));
    clock.pass(DAY_MS / 2);
    granted(caps.admit(caller, { endpoint: 'validate', unitsMost: 10_000 }));
    page.settle(1);
    assert.equal(caps.standing(caller).daily.used, 10_000);
  });

  test('a 4xx or 5xx costs nothing', async (t) => {
    const { caps, usage } = await setting(t);
    const caller = callerOn('preview');
    const page = granted(caps.admit(caller, FIND));
    page.reserveMore(9);
    page.settle(0);
    assert.equal(page.charged, 0);
    assert.equal(caps.standing(caller).daily.used, 0);
    assert.deepEqual((await usage.of(caller.accountId, 0, 1e6)).map(({ requests, units }) => [requests, units]), [[1, 0]]);
  });

  test('survives a restart', async (t) => {
    const store = await freshStore(t);
    const clock = new TestClock();
    const before = capsAt(clock, store);
    granted(before.caps.admit(callerOn('preview'), { endpoint: 'validate', unitsMost: 9_998 })).settle(9_998);
    await before.usage.flush();
    const after = capsAt(clock, store);
    const today = Math.floor(NOON / DAY_MS);
    after.caps.recover(today, await store.unitsOn(today));
    assert.equal(after.caps.standing(callerOn('preview')).daily.remaining, 2);
    refused(after.caps.admit(callerOn('preview'), { endpoint: 'find', unitsMost: 3 }));
  });
});

describe('the umbrella', () => {
  test('is the account: all its keys share it', async (t) => {
    const { caps } = await setting(t);
    const permits = Array.from({ length: 8 }, (_, key) => granted(caps.admit(callerOn('preview', `key_${key}`), FREE)));
    const denial = refused(caps.admit(callerOn('preview', 'key_9'), FREE));
    assert.equal(denial.cap, 'umbrella');
    assert.match(denial.detail, /umbrella concurrency.*8 requests at once.*retry in 1 s/);
    granted(caps.admit({ ...callerOn('preview'), accountId: 'another' }, FREE));
    permits[0]!.settle(0);
    permits[0]!.settle(0);
    granted(caps.admit(callerOn('preview', 'key_9'), FREE));
    refused(caps.admit(callerOn('preview', 'key_9'), FREE));
  });

  test('a count of units that cannot be is a bug, and leaks neither a place nor units', async (t) => {
    const { caps } = await setting(t);
    const caller = callerOn('preview');
    for (const units of [2, -1, 0.5, Number.NaN]) {
      const permit = granted(caps.admit(caller, FIND));
      assert.throws(() => permit.settle(units), /cannot have used/);
      assert.equal(permit.charged, 1);
    }
    for (const units of [-1, 0.5, Number.NaN]) {
      assert.throws(() => caps.admit(caller, { endpoint: 'find', unitsMost: units }), /no number of units/);
      const permit = granted(caps.admit(caller, FIND));
      assert.throws(() => permit.reserveMore(units), /no number of units/);
      permit.settle(0);
      assert.throws(() => permit.reserveMore(1), /settled/);
    }
    assert.deepEqual([caps.standing(caller).umbrella.used, caps.standing(caller).daily.used], [0, 4]);
  });
});

test('64 parallel callers are granted nothing over any cap', async (t) => {
  const { caps } = await setting(t);
  const caller = callerOn('standard');
  let atOnce = 0;
  let most = 0;
  let grants = 0;
  const client = async (): Promise<void> => {
    for (let call = 0; call < 40; call += 1) {
      const verdict = caps.admit(caller, FIND);
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
  assert.equal(caps.standing(caller).umbrella.used, 0);
  assert.equal(caps.standing(caller).daily.used, 600);
});

test('an unlimited plan is counted but never denied', async (t) => {
  const { caps, usage } = await setting(t);
  const caller = callerOn('unlimited');
  const permits = Array.from({ length: 1_000 }, () => granted(caps.admit(caller, { endpoint: 'validate', unitsMost: 1_000 })));
  for (const permit of permits) permit.settle(900);
  assert.deepEqual(caps.standing(caller).daily, { limit: null, used: 900_000, remaining: null, resetSeconds: 43_200 });
  assert.deepEqual((await usage.of(caller.accountId, 0, 1e6)).map(({ requests, units }) => [requests, units]), [[1_000, 900_000]]);
});

test('a find costs 1, plus 1 for each started 100 rows beyond the first 100', () => {
  assert.deepEqual([0, 1, 100, 101, 200, 201, 1_000].map(unitsOfRows), [1, 1, 1, 2, 2, 3, 10]);
});

test('an account that is idle leaves nothing in memory, and its spending stays known', async (t) => {
  const { clock, caps } = await setting(t);
  granted(caps.admit(callerOn('preview'), FIND)).settle(1);
  clock.pass(60_000);
  caps.sweep();
  assert.equal(caps.standing(callerOn('preview')).daily.used, 1);
  clock.pass(DAY_MS);
  caps.sweep();
  assert.equal(caps.standing(callerOn('preview')).daily.used, 0);
});
