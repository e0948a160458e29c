import assert from 'node:assert/strict';
import { after, describe, test, type TestContext } from 'node:test';
import { Playground } from '../../src/accounts/playground.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { countsAt, PATIENT_MS, scriptClock } from '../contract/caps/shared_setting.ts';
import { FaultProxy, NO_FAULT } from '../support/fault_proxy.ts';
import { pause } from '../support/runners.ts';
import { NO_REDIS, RedisServer } from '../support/servers/redis.ts';
import { freshStore, NOON, TestClock } from './setting.ts';

const SECRET = Buffer.from('secret');
const HOUR_MS = 3_600_000;

describe('the playground of two gateways over one Redis', { skip: NO_REDIS }, async () => {
  if (NO_REDIS !== false) return;
  const server = await RedisServer.start();
  after(() => server.stop());

  const two = async (t: TestContext) => {
    await server.command('FLUSHALL');
    const [store, clock, behind] = [await freshStore(t), new TestClock(), new TestClock()];
    const open = async (own: TestClock) => {
      const counts = await countsAt(t, server.url, { clock: scriptClock(clock) });
      return { counts, playground: await Playground.open(store, own, SECRET, counts) };
    };
    return { clock, behind, one: await open(clock), other: await open(behind) };
  };
  /** How many of so many calls at once, by turns at both, are let in. */
  const admitted = async (playgrounds: readonly Playground[], calls: number, network = '192.0.2.1'): Promise<number> => {
    const answers = await Promise.all(Array.from({ length: calls }, (_, call) => playgrounds[call % playgrounds.length]!.admit(network).then(() => true, () => false)));
    return answers.filter(Boolean).length;
  };

  test('lets in twenty calls a day of 64 that come at once, for each network by itself', async (t) => {
    const { one, other } = await two(t);
    assert.equal(await admitted([one.playground, other.playground], 64), 20);
    assert.equal(await admitted([one.playground, other.playground], 5, '192.0.2.2'), 5);
    assert.deepEqual([(await one.playground.admit('192.0.2.3')).remaining, (await other.playground.admit('192.0.2.3')).remaining], [19, 18]);
    await assert.rejects(other.playground.admit('192.0.2.1'), { code: 'rate_limited', retryAfter: 43_200 });
  });

  test('begins anew at midnight by the shared clock, also where a gateway’s own is behind, and after a year that was none', async (t) => {
    const { clock, behind, one, other } = await two(t);
    assert.equal(await admitted([one.playground, other.playground], 10), 10);
    clock.unix = NOON + 12 * HOUR_MS + 500;
    behind.unix = NOON + 12 * HOUR_MS - 500;
    assert.equal(await admitted([one.playground, other.playground], 64), 20);
    behind.unix += 1_000;
    assert.equal(await admitted([one.playground, other.playground], 64), 0);
    for (const wait of [24 * HOUR_MS, 9_000 * HOUR_MS, -9_000 * HOUR_MS]) {
      for (const each of [clock, behind]) each.jump(wait);
      assert.equal(await admitted([one.playground, other.playground], 64), 20, `after ${wait} ms`);
    }
  });

  test('is closed while the count cannot be had, and then goes on where it was though Redis forgot', async (t) => {
    const { one, other } = await two(t);
    assert.equal(await admitted([one.playground, other.playground], 18), 18);
    for (const { playground } of [one, other]) await playground.flush();
    await server.crash();
    await assert.rejects(one.playground.admit('192.0.2.1'), { code: 'overloaded', retryAfter: 1 });
    await assert.rejects(other.playground.admit('192.0.2.9'), { code: 'overloaded' });
    await server.resume();
    while (!one.counts.reachable || !other.counts.reachable) await pause(10);
    assert.equal(await admitted([one.playground, other.playground], 64), 2);
  });

  test('takes no call of the twenty from who is turned away because the count is slow, but for the one that finds out', async (t) => {
    await server.command('FLUSHALL');
    const proxy = await FaultProxy.start(server.port);
    t.after(() => proxy.close());
    const counts = await countsAt(t, `redis://127.0.0.1:${proxy.port}`, { replyMs: 3_000 });
    const playground = await Playground.open(await freshStore(t), systemClock, SECRET, counts);
    assert.equal((await playground.admit('192.0.2.1')).used, 1);
    await proxy.set({ kind: 'latency', ms: PATIENT_MS, jitterMs: 0 });
    for (let call = 0; call < 10; call += 1) await assert.rejects(playground.admit('192.0.2.1'), { code: 'overloaded' });
    await proxy.set(NO_FAULT);
    while (!counts.reachable) await pause(10);
    const { used } = await playground.admit('192.0.2.1');
    assert.ok(used <= 3, `${used} are used`);
  });
});
