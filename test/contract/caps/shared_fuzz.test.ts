import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { Permit } from '../../../src/accounts/permit.ts';
import { PLANS } from '../../../src/accounts/plans.ts';
import { callerOn, freshStore, TestClock } from '../../accounts/setting.ts';
import { NO_REDIS, RedisServer } from '../../support/servers/redis.ts';
import { countsAt, gatewayOver, scriptClock } from './shared_setting.ts';

const step = fc.record({
  does: fc.constantFrom('admit' as const, 'admit' as const, 'admit' as const, 'more' as const, 'settle' as const, 'settle' as const, 'pass' as const),
  at: fc.nat({ max: 1 }),
  units: fc.oneof(fc.constantFrom(0, 1), fc.integer({ min: 0, max: 3_000 })),
  which: fc.nat({ max: 20 }),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
});

describe('two gateways over one Redis', { skip: NO_REDIS }, async () => {
  if (NO_REDIS !== false) return;
  const server = await RedisServer.start();
  after(() => server.stop());

  test('whatever is asked of which, no cap is ever passed, and nothing leaks', async (t) => {
    const store = await freshStore(t);
    const clock = new TestClock();
    const counts = [await countsAt(t, server.url, { clock: scriptClock(clock) }), await countsAt(t, server.url, { clock: scriptClock(clock) })];
    const caps = PLANS.preview!;
    let runs = 0;
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 150 }), async (steps) => {
      const caller = { ...callerOn('preview'), accountId: `acc_${(runs += 1)}` };
      const gateways = counts.map((one) => gatewayOver(one, clock, store).caps);
      const open: { permit: Permit; reserved: number }[] = [];
      const admittedMs: number[] = [];
      let charged = 0;
      const settle = (one: { permit: Permit; reserved: number }, share: number): void => {
        one.permit.settle(Math.floor(one.reserved * share));
        charged += one.permit.charged;
      };
      for (const { does, at, units, which, share } of steps) {
        const one = open[which % Math.max(1, open.length)];
        if (does === 'admit') {
          const verdict = await gateways[at]!.admit(caller, { endpoint: 'find', unitsMost: units });
          if (!(verdict instanceof Permit)) continue;
          admittedMs.push(clock.unixMs());
          open.push({ permit: verdict, reserved: units });
        } else if (does === 'more' && one !== undefined) {
          if ((await one.permit.reserveMore(units)) === null) one.reserved += units;
        } else if (does === 'settle' && one !== undefined) settle(open.splice(open.indexOf(one), 1)[0]!, share);
        else if (does === 'pass') {
          clock.pass(units);
          for (const gateway of gateways) gateway.renew();
        }
        // Each on its own connection: what was told on one is asked for on both.
        for (const gateway of gateways) await gateway.look(caller);
        const { daily, umbrella } = await gateways[0]!.look(caller);
        assert.ok(open.length <= caps.concurrentMax && daily.used <= caps.unitsMax, `${open.length} at once, ${daily.used} units`);
        if (admittedMs.length > 0) assert.deepEqual([daily.used, umbrella.used], [charged + open.reduce((sum, { reserved }) => sum + reserved, 0), open.length]);
      }
      for (const [index, ms] of admittedMs.entries()) assert.ok((admittedMs[index + caps.requestsMax] ?? Infinity) - ms >= 60_000, 'at most 30 in any 60 s');
      assert.deepEqual(gateways.map(({ decidedAlone }) => decidedAlone), [0, 0]);
    }), { numRuns: 40 });
  });
});
