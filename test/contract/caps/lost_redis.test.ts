import assert from 'node:assert/strict';
import { after, describe, test, type TestContext } from 'node:test';
import { systemClock } from '../../../src/lib/clock.ts';
import { callerOn, freshStore, granted } from '../../accounts/setting.ts';
import { Relay } from '../../support/relay.ts';
import { pause } from '../../support/runners.ts';
import { NO_REDIS, RedisServer } from '../../support/servers/redis.ts';
import { countsAt, gatewayOver } from './shared_setting.ts';

const FIND = { endpoint: 'find', unitsMost: 1 } as const;

describe('a gateway that loses Redis, which another goes on with', { skip: NO_REDIS }, async () => {
  if (NO_REDIS !== false) return;
  const server = await RedisServer.start();
  after(() => server.stop());

  /** Over one store and one Redis, which only `lost` reaches by way of the relay. */
  const two = async (t: TestContext) => {
    await server.command('FLUSHALL');
    const store = await freshStore(t);
    const relay = await Relay.to(server.port);
    t.after(() => relay.close());
    const at = async (port: number) => {
      const counts = await countsAt(t, `redis://127.0.0.1:${port}`);
      return { counts, ...gatewayOver(counts, systemClock, store) };
    };
    return { relay, lost: await at(relay.port), other: await at(server.port) };
  };
  const away = async ({ counts }: { counts: { readonly reachable: boolean } }): Promise<void> => { while (counts.reachable) await pause(5); };
  const back = async ({ counts }: { counts: { readonly reachable: boolean } }): Promise<void> => { while (!counts.reachable) await pause(5); };

  test('tells what its calls used whose end went under with the connection', async (t) => {
    const { relay, lost, other } = await two(t);
    const caller = callerOn('preview');
    const call = granted(await lost.caps.admit(caller, { endpoint: 'validate', unitsMost: 4_000 }));
    relay.cut();
    call.settle(4_000);
    await away(lost);
    await back(lost);
    lost.caps.renew();
    for (let looks = 0; looks < 400 && (await other.counts.look(caller.accountId))!.used < 4_000; looks += 1) await pause(5);
    assert.equal((await other.counts.look(caller.accountId))!.used, 4_000);
  });

  test('tells it again when the others have written what they had used by then', async (t) => {
    const { relay, lost, other } = await two(t);
    const caller = callerOn('preview');
    granted(await other.caps.admit(caller, { endpoint: 'validate', unitsMost: 1_000 })).settle(1_000);
    const call = granted(await lost.caps.admit(caller, { endpoint: 'validate', unitsMost: 300 }));
    relay.cut();
    call.settle(300);
    await away(lost);
    await back(lost);
    lost.caps.renew();
    await pause(200);
    await other.usage.flush();
    for (let looks = 0; looks < 400 && (await other.counts.look(caller.accountId))!.used < 1_300; looks += 1) {
      lost.caps.renew();
      await pause(5);
    }
    assert.equal((await other.counts.look(caller.accountId))!.used, 1_300);
  });

  test('counts what the calls of others held as used once it is, and not beside what they used', async (t) => {
    const { lost, other } = await two(t);
    const caller = callerOn('preview');
    const call = granted(await other.caps.admit(caller, { endpoint: 'validate', unitsMost: 8_000 }));
    assert.equal((await lost.caps.look(caller)).daily.used, 8_000);
    server.signal('SIGSTOP');
    try {
      await Promise.all([away(lost), away(other)]);
      call.settle(7_000);
      await other.usage.flush();
      const mine = granted(await lost.caps.admit(caller, { endpoint: 'validate', unitsMost: 500 }));
      await lost.usage.flush();
      assert.equal(lost.caps.standing(caller).daily.used, 7_500);
      mine.settle(400);
      assert.equal(lost.caps.standing(caller).daily.used, 7_400);
    } finally {
      server.signal('SIGCONT');
    }
    await Promise.all([back(lost), back(other)]);
  });

  test('makes a call that it let in alone known to all as soon as it can, and asks them for what it needs from then on', async (t) => {
    const { relay, lost, other } = await two(t);
    const caller = callerOn('standard');
    relay.cut();
    await away(lost);
    const stream = granted(await lost.caps.admit(caller, FIND));
    assert.equal(lost.caps.decidedAlone, 1);
    await back(lost);
    lost.caps.renew();
    await lost.caps.look(caller);
    assert.deepEqual([(await other.caps.look(caller)).umbrella.used, (await other.caps.look(caller)).daily.used], [1, 1]);
    let charged = 1;
    for (let more = 0; more < 25 && (await stream.reserveMore(50_000)) === null; more += 1) {
      charged += 50_000;
      granted(await lost.caps.admit(caller, FIND)).settle(0);
    }
    stream.settle(charged);
    assert.equal(charged, 950_001, 'the budget of a day is 1,000,000 units');
    await lost.caps.look(caller);
    assert.deepEqual([(await other.caps.look(caller)).umbrella.used, (await other.caps.look(caller)).daily.used], [0, 950_001]);
  });
});
