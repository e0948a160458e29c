import assert from 'node:assert/strict';
import { after, describe, test, type TestContext } from 'node:test';
import { DAY_MS } from '../../../src/lib/day.ts';
import { Permit } from '../../../src/accounts/permit.ts';
import type { SharedCaps } from '../../../src/accounts/shared_caps.ts';
import { LIMITS } from '../../../src/config/limits.ts';
import { type Clock, systemClock } from '../../../src/lib/clock.ts';
import type { SharedCounts } from '../../../src/store/shared_counts.ts';
import type { PlanName } from '../../../src/model/account.ts';
import type { Store } from '../../../src/store/store.ts';
import { callerOn, freshStore, granted, refused, TestClock } from '../../accounts/setting.ts';
import { pause } from '../../support/runners.ts';
import { NO_REDIS, RedisServer } from '../../support/servers/redis.ts';
import { until } from '../../support/until.ts';
import { countsAt, gatewayOver, PATIENT_MS, scriptClock } from './shared_setting.ts';

const FIND = { endpoint: 'find', unitsMost: 1 } as const;
const FREE = { endpoint: 'sources', unitsMost: 0 } as const;

describe('two gateways over one Redis', { skip: NO_REDIS }, async () => {
  if (NO_REDIS !== false) return;
  const server = await RedisServer.start();
  after(() => server.stop());

  type Over = { readonly clock?: Clock; readonly replyMs?: number };
  const gateway = async (t: TestContext, store: Store, { clock = systemClock, replyMs = PATIENT_MS }: Over = {}) => {
    const counts = await countsAt(t, server.url, { replyMs, ...(clock instanceof TestClock ? { clock: scriptClock(clock) } : {}) });
    return { counts, ...gatewayOver(counts, clock, store) };
  };
  /** Each with a connection of its own, and one store. */
  const two = async (t: TestContext, over: Over = {}) => {
    await server.command('FLUSHALL');
    const store = await freshStore(t);
    return { store, one: await gateway(t, store, over), other: await gateway(t, store, over) };
  };
  /** What a gateway tells without waiting has been heard then: its connection keeps the order, two connections have none. */
  const heard = async ({ counts }: { counts: Pick<SharedCounts, 'look'> }): Promise<void> => { await counts.look('nobody'); };
  const back = async ({ counts }: { counts: { readonly reachable: boolean } }): Promise<void> => { while (!counts.reachable) await pause(10); };

  /** 64 callers who take turns at both, each as long as it is `wanting`. */
  const storm = async (gateways: readonly SharedCaps[], act: (caps: SharedCaps) => Promise<void>, rounds: number): Promise<void> => {
    await Promise.all(Array.from({ length: 64 }, async (_, caller) => {
      for (let round = 0; round < rounds; round += 1) await act(gateways[(caller + round) % gateways.length]!);
    }));
    for (const { decidedAlone } of gateways) assert.equal(decidedAlone, 0, 'Redis decided all of it');
  };

  test('64 parallel callers are granted the burst exactly, and never more at once than the umbrella holds', async (t) => {
    const { one, other } = await two(t);
    let grants = 0;
    let atOnce = 0;
    let most = 0;
    await storm([one.caps, other.caps], async (caps) => {
      const verdict = await caps.admit(callerOn('standard'), FIND);
      if (!(verdict instanceof Permit)) return;
      grants += 1;
      most = Math.max(most, atOnce += 1);
      await new Promise((resume) => { setImmediate(resume); });
      atOnce -= 1;
      verdict.settle(1);
    }, 40);
    assert.equal(grants, 600);
    // Whether all places are ever taken at once is a matter of when the two are answered: those who keep theirs fill them, below.
    assert.ok(most <= 32, `${most} at once`);
    const { daily, umbrella, burst } = await one.caps.look(callerOn('standard'));
    assert.deepEqual([daily.used, umbrella.used, burst.remaining], [600, 0, 0]);
  });

  test('a call is refused with a wait where the plan has become smaller and the clock of Redis had fallen back', async (t) => {
    const clock = new TestClock();
    const { one, other } = await two(t, { clock });
    const admit = async (calls: number): Promise<void> => { for (let call = 0; call < calls; call += 1) granted(await one.caps.admit(callerOn('standard'), FIND)).settle(1); };
    await admit(10);
    clock.jump(-50_000);
    await admit(30);
    clock.pass(61_000);
    assert.equal(refused(await other.caps.admit({ ...callerOn('standard'), plan: 'preview' }, FIND)).cap, 'burst');
  });

  test('a look tells of a plan without caps, which asks nobody, what it used at each of them', async (t) => {
    const { one, other } = await two(t);
    const caller = callerOn('unlimited');
    for (const { caps, usage } of [one, other]) {
      granted(await caps.admit(caller, FIND)).settle(1);
      await usage.flush();
    }
    for (const { caps } of [one, other]) assert.equal((await caps.look(caller)).daily.used, 2);
  });

  test('64 parallel callers are granted the day’s budget to its last unit and not beyond, whatever they reserve and give back', async (t) => {
    const { one, other } = await two(t);
    const caller = callerOn('standard');
    one.usage.count(caller, 'find', Math.floor(Date.now() / DAY_MS), 1, 999_800);
    await one.usage.flush();
    let used = 0;
    let most = 0;
    await storm([one.caps, other.caps], async (caps) => {
      const verdict = await caps.admit(caller, { endpoint: 'validate', unitsMost: 3 });
      if (!(verdict instanceof Permit)) return;
      const more = (await verdict.reserveMore(2)) === null;
      most = Math.max(most, (await caps.look(caller)).daily.used);
      verdict.settle(more ? 4 : 2);
      used += verdict.charged;
    }, 8);
    assert.ok(most <= 1_000_000, `${most} at the most`);
    for (;;) {
      const verdict = await one.caps.admit(caller, FIND);
      if (!(verdict instanceof Permit)) break;
      verdict.settle(1);
      used += 1;
    }
    assert.equal(used, 200);
    assert.match(refused(await other.caps.admit(caller, FIND)).detail, /daily unit budget.*0 left/);
  });

  test('64 parallel callers without a change of mind hold exactly as many places as the umbrella has', async (t) => {
    const { one, other } = await two(t);
    const permits: Permit[] = [];
    await storm([one.caps, other.caps], async (caps) => {
      const verdict = await caps.admit(callerOn('preview'), FREE);
      if (verdict instanceof Permit) permits.push(verdict);
    }, 1);
    assert.equal(permits.length, 8);
    assert.match(refused(await one.caps.admit(callerOn('preview'), FREE)).detail, /umbrella/);
    permits[7]!.settle(0);
    await Promise.all([heard(one), heard(other)]);
    granted(await other.caps.admit(callerOn('preview'), FREE));
    refused(await one.caps.admit(callerOn('preview'), FREE));
  });

  test('the calls of a gateway that fell silent are over after the lease, and what they held is back, but not what they used', async (t) => {
    const clock = new TestClock();
    const { one, other } = await two(t, { clock });
    const caller = callerOn('preview');
    for (let call = 0; call < 8; call += 1) granted(await one.caps.admit(caller, { endpoint: 'find', unitsMost: 1_000 }));
    const [stream] = [granted(await gatewayOver(other.counts, clock, await freshStore(t)).caps.admit({ ...caller, accountId: 'another' }, FIND))];
    assert.equal(await stream.reserveMore(1), null);
    refused(await other.caps.admit(caller, FREE));
    clock.pass(LIMITS.sharedRenewMs * 3);
    one.caps.renew();
    await heard(one);
    clock.pass(LIMITS.sharedLeaseMs - 1);
    assert.equal(refused(await other.caps.admit(caller, FREE)).cap, 'umbrella');
    clock.pass(1);
    const standing = await other.caps.look(caller);
    assert.deepEqual([standing.umbrella.used, standing.daily.used], [0, 0]);
    granted(await other.caps.admit(caller, { endpoint: 'validate', unitsMost: 10_000 }));
    assert.equal((await other.counts.look('another'))!.used, 1, 'a stream that asked for more had used what was before');
    assert.equal((await other.counts.look('another'))!.held, 0);
  });

  test('a gateway that was only held up comes back to its calls, and pays for them', async (t) => {
    const clock = new TestClock();
    const { one, other } = await two(t, { clock });
    const caller = callerOn('preview');
    const call = granted(await one.caps.admit(caller, { endpoint: 'find', unitsMost: 10 }));
    clock.pass(LIMITS.sharedLeaseMs);
    assert.equal((await other.caps.look(caller)).umbrella.used, 0);
    one.caps.renew();
    await heard(one);
    assert.deepEqual([(await other.caps.look(caller)).umbrella.used, (await other.caps.look(caller)).daily.used], [1, 10]);
    clock.pass(LIMITS.sharedLeaseMs);
    await other.caps.look(caller);
    call.settle(3);
    await one.caps.look(caller);
    assert.deepEqual([(await other.caps.look(caller)).umbrella.used, (await other.caps.look(caller)).daily.used], [0, 3]);
  });

  test('Redis that begins anew, empty, gets the day’s use from the store and the calls under way from their gateways', async (t) => {
    const { one, other } = await two(t);
    const caller = callerOn('preview');
    granted(await one.caps.admit(caller, { endpoint: 'validate', unitsMost: 4_000 })).settle(4_000);
    const page = granted(await other.caps.admit(caller, { endpoint: 'find', unitsMost: 10 }));
    await one.usage.flush();
    await server.crash();
    while (one.counts.reachable || other.counts.reachable) await pause(10);
    assert.equal(one.counts.health().status, 'degraded');
    await server.resume();
    await Promise.all([back(one), back(other)]);
    assert.equal(one.counts.health().status, 'ok');
    other.caps.renew();
    refused(await other.caps.admit(caller, { endpoint: 'validate', unitsMost: 6_000 }));
    assert.deepEqual([(await one.caps.look(caller)).daily.used, (await one.caps.look(caller)).umbrella.used], [4_010, 1]);
    page.settle(2);
    await other.caps.look(caller);
    assert.deepEqual([(await one.caps.look(caller)).daily.used, (await one.caps.look(caller)).umbrella.used], [4_002, 0]);
  });

  test('keys that an operator deletes under its feet are no harm', async (t) => {
    const { one, other } = await two(t);
    const caller = callerOn('preview');
    granted(await one.caps.admit(caller, { endpoint: 'validate', unitsMost: 9_990 })).settle(9_990);
    await one.usage.flush();
    await server.command('FLUSHALL');
    await server.command('SCRIPT', 'FLUSH');
    refused(await other.caps.admit(caller, { endpoint: 'validate', unitsMost: 11 }));
    granted(await one.caps.admit(caller, { endpoint: 'validate', unitsMost: 10 }));
  });

  test('a call that Redis lets in while the gateway’s own window is full takes the place of the oldest there, and shuts nobody out', async (t) => {
    const clock = new TestClock();
    const { one } = await two(t, { clock });
    const caller = callerOn('preview');
    for (let call = 0; call < 29; call += 1) granted(await one.caps.admit(caller, FREE)).settle(0);
    clock.pass(30_000);
    await server.command('FLUSHALL');
    const calls = await Promise.all(Array.from({ length: 8 }, () => one.caps.admit(caller, FREE)));
    for (const call of calls) granted(call).settle(0);
    assert.equal(refused(await one.caps.admit(caller, FREE)).retryAfterSeconds, 30);
    clock.pass(30_000);
    assert.deepEqual(await one.caps.look(caller).then(({ burst }) => [burst.used, burst.remaining]), [8, 22]);
    for (let call = 0; call < 22; call += 1) granted(await one.caps.admit(caller, FREE)).settle(0);
  });

  for (const [loss, lose, restore] of [
    ['hangs', async () => server.signal('SIGSTOP'), async () => server.signal('SIGCONT')],
    ['is gone', () => server.crash(), () => server.resume()],
    ['refuses to write', () => server.command('CONFIG', 'SET', 'maxmemory', 1), () => server.command('CONFIG', 'SET', 'maxmemory', 0)],
  ] as const) {
    test(`while Redis ${loss} each gateway keeps its own caps, knows of all that was used, and says so; afterwards they share again`, async (t) => {
      const { one, other } = await two(t, { replyMs: 3_000 });
      const caller = callerOn('preview');
      granted(await one.caps.admit(caller, { endpoint: 'validate', unitsMost: 9_000 })).settle(9_000);
      assert.equal((await other.caps.look(caller)).daily.used, 9_000);
      await lose();
      const held = granted(await other.caps.admit(caller, { endpoint: 'validate', unitsMost: 900 }));
      assert.deepEqual([other.counts.health().status, other.caps.decidedAlone], ['degraded', 1]);
      assert.equal(await held.reserveMore(60), null);
      assert.equal(refused(await other.caps.admit(caller, { endpoint: 'validate', unitsMost: 41 })).cap, 'daily');
      for (let call = 1; call < 30; call += 1) granted(await other.caps.admit(caller, FREE)).settle(0);
      assert.equal(refused(await other.caps.admit(caller, FREE)).cap, 'burst');
      held.settle(960);
      for (const { usage } of [one, other]) await usage.flush();
      await restore();
      await Promise.all([back(one), back(other)]);
      other.caps.renew();
      // What was asked of it meanwhile is done and undone only now.
      await until(async () => {
        const count = await one.counts.look(caller.accountId);
        return count !== null && count.used >= 9_960 && count.held === 0;
      });
      assert.equal(refused(await one.caps.admit(caller, { endpoint: 'validate', unitsMost: 1_000 })).cap, 'daily');
      granted(await one.caps.admit(caller, { endpoint: 'validate', unitsMost: 40 })).settle(40);
      assert.equal(refused(await other.caps.admit(caller, FREE)).cap, 'burst', 'what a gateway let in alone still counts there');
      await one.caps.look(caller);
      assert.deepEqual([(await other.caps.look(caller)).daily.used, (await other.caps.look(caller)).umbrella.used], [10_000, 0]);
    });
  }

  test('a change of plan takes along what was used on a plan without caps', async (t) => {
    const { one, other } = await two(t);
    const before = { ...callerOn('unlimited'), accountId: 'acc' };
    const afterwards = { ...callerOn('preview'), accountId: 'acc' };
    granted(await one.caps.admit(afterwards, FIND)).settle(1);
    granted(await one.caps.admit(before, { endpoint: 'validate', unitsMost: 20_000 })).settle(9_998);
    await one.usage.flush();
    refused(await other.caps.admit(afterwards, { endpoint: 'find', unitsMost: 2 }));
    granted(await other.caps.admit(afterwards, FIND));
  });

  test('a call under way goes by the plan that its account has by now, and what it takes is told to the others', async (t) => {
    const { one, other } = await two(t);
    const on = (plan: PlanName) => ({ ...callerOn(plan), accountId: 'acc' });
    const capped = granted(await one.caps.admit(on('preview'), FIND));
    const free = granted(await one.caps.admit(on('unlimited'), FIND));
    assert.match((await capped.reserveMore(20_000))!.detail, /preview plan/);
    await one.caps.follow(async () => on('standard'));
    assert.equal(await capped.reserveMore(20_000), null);
    assert.equal(await free.reserveMore(900_000), null);
    assert.match((await free.reserveMore(1_000_000))!.detail, /standard plan/);
    free.settle(900_001);
    one.caps.renew();
    await until(async () => (await other.caps.look(on('standard'))).daily.used >= 920_001);
    assert.match(refused(await other.caps.admit(on('standard'), { endpoint: 'validate', unitsMost: 90_000 })).detail, /standard plan/);
    await one.caps.follow(async () => on('unlimited'));
    assert.equal(await capped.reserveMore(1_000_000), null, 'nobody is asked');
    capped.settle(1_020_001);
    await one.usage.flush();
    await until(async () => {
      one.caps.renew();
      return (await other.caps.look(on('standard'))).daily.used === 1_920_002;
    });
  });

  test('every key in Redis ends by itself', async (t) => {
    const { one, other } = await two(t);
    const open = granted(await one.caps.admit(callerOn('preview'), { endpoint: 'find', unitsMost: 5 }));
    await open.reserveMore(3);
    granted(await other.caps.admit(callerOn('standard'), FIND)).settle(1);
    await other.counts.visit('somebody', { day: 0, calls: 0 });
    other.caps.renew();
    await other.caps.look(callerOn('standard'));
    const keys = (await server.command('KEYS', '*') as string[]).toSorted();
    assert.ok(keys.length >= 7, keys.join(' '));
    for (const key of keys) assert.ok(await server.command('PTTL', key) as number > 0, key);
  });
});
