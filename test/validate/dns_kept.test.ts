import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { LIMITS } from '../../src/config/limits.ts';
import { until } from '../support/until.ts';
import { a, mx, soa } from './support/dns_script.ts';
import { healthy, scriptedRoutes } from './support/scripted_routes.ts';

suite('what is kept of look-ups', { concurrency: 8 }, () => {
  test('look-ups in flight are shared', async (t) => {
    const world = await scriptedRoutes(t, [(asked) => ({ ...healthy(asked)!, delayMs: 20 })]);
    await Promise.all(Array.from({ length: 50 }, () => world.codes('acme.com')));
    assert.deepEqual(world.servers[0]!.asked.map(({ name, type }) => `${type} ${name}`), ['MX acme.com', 'A mx.acme.com']);
    assert.equal(world.queries(), 2);
  });

  test('an answer is kept for its TTL, then given once more while it is refreshed behind', async (t) => {
    const world = await scriptedRoutes(t, [healthy]);
    await world.codes('acme.com');
    world.clock.ms += 59_000;
    assert.equal(world.routes.peek('acme.com')?.state, 'hit');
    assert.equal(world.queries(), 2);
    world.clock.ms += 2_000;
    assert.equal(world.routes.peek('acme.com')?.state, 'stale');
    await world.codes('acme.com');
    await until(() => world.routes.peek('acme.com')?.state === 'hit');
    assert.equal(world.queries(), 4);
  });

  test('what follows from an answer that was here before holds for what is left of its time', async (t) => {
    const world = await scriptedRoutes(t, [({ name, type }) => {
      if (type === 'MX') return { answers: [mx(name, 'mx.shared.net', 7 * 86_400)] };
      return type === 'A' ? { answers: [a(name, '192.0.2.1', 300)] } : { authorities: [soa('.')] };
    }]);
    const keptMs = async (domain: string): Promise<number> => {
      await world.codes(domain);
      const startMs = world.clock.ms;
      while (world.routes.peek(domain)?.state === 'hit') world.clock.ms += 1_000;
      const ms = world.clock.ms - startMs;
      world.clock.ms = startMs;
      return ms;
    };
    assert.equal(await keptMs('one.com'), 300_000);
    world.clock.ms += 200_000;
    assert.equal(await keptMs('two.com'), 100_000);
    world.clock.ms += 2 * LIMITS.dnsTtlSMax * 1_000;
    const before = world.queries();
    await world.codes('one.com');
    assert.equal(world.queries() - before, 2, 'records of a week were kept for longer than a day');
  });

  test('an old answer stands in only where the refresh fails, and for an hour at most', async (t) => {
    let broken = false;
    const world = await scriptedRoutes(t, [(asked) => (broken ? { rcode: 2 } : healthy(asked))]);
    await world.codes('acme.com');
    broken = true;
    world.clock.ms += 10 * 60_000;
    assert.deepEqual(await world.codes('acme.com'), ['DNS_MX_OK']);
    world.clock.ms += 70 * 60_000;
    assert.deepEqual(await world.codes('acme.com'), ['DNS_SERVFAIL']);
  });

  test('what was known of a policy stands in where it cannot be read any more, for an hour', async (t) => {
    let broken = false;
    const world = await scriptedRoutes(t, [({ name, type }) => {
      if (type === 'TXT') return broken ? { rcode: 2 } : { answers: [{ type: 'TXT', name, ttl: 60, data: 'v=spf1 -all' }] };
      return type === 'A' ? { answers: [a(name, '192.0.2.1')] } : { authorities: [soa('.')] };
    }]);
    await world.codes('acme.com');
    broken = true;
    world.clock.ms += 10 * 60_000;
    assert.deepEqual(await world.codes('acme.com'), ['DNS_SPF_REJECT_ALL']);
    world.clock.ms += 70 * 60_000;
    assert.deepEqual(await world.codes('acme.com'), ['DNS_IMPLICIT_MX']);
  });

  test('a spare mail host serves for no longer than the addresses of the one before it cannot be looked up, nor while those are known from an hour ago', async (t) => {
    let broken = true;
    const world = await scriptedRoutes(t, [({ name, type }) => {
      if (type === 'MX') return { answers: [mx(name, `first.${name}`, 3_600, 1), mx(name, `spare.${name}`, 3_600, 2)] };
      if (broken && name.startsWith('first.')) return { rcode: 2 };
      return type === 'A' ? { answers: [a(name, '192.0.2.1', 3_600)] } : { authorities: [soa('.')] };
    }]);
    const hostOf = async (domain: string): Promise<string> => {
      assert.deepEqual(await world.codes(domain), ['DNS_MX_OK']);
      return world.routes.peek(domain)!.value.host!.name;
    };
    assert.equal(await hostOf('acme.com'), 'spare.acme.com');
    broken = false;
    world.clock.ms += LIMITS.dnsFailureMsMin;
    assert.equal(await hostOf('acme.com'), 'first.acme.com');
    broken = true;
    world.clock.ms += 3_600_000 + LIMITS.dnsStaleMsSoft;
    assert.equal(await hostOf('acme.com'), 'first.acme.com');
  });

  test('a spare mail host that is found wins over what was known of a domain whose mail went elsewhere, or nowhere', async (t) => {
    let moved = false;
    const world = await scriptedRoutes(t, [({ name, type }) => {
      if (name.startsWith('first.')) return { rcode: 2 };
      if (!moved && name === 'new.com') return { rcode: 3, authorities: [soa('com')] };
      if (type === 'MX') return { answers: moved ? [mx(name, `first.${name}`, 60, 1), mx(name, `spare.${name}`, 60, 2)] : [mx(name, `old.${name}`)] };
      return type === 'A' ? { answers: [a(name, '192.0.2.1')] } : { authorities: [soa('.')] };
    }]);
    assert.deepEqual([await world.codes('acme.com'), await world.codes('new.com')], [['DNS_MX_OK'], ['DNS_NXDOMAIN']]);
    moved = true;
    world.clock.ms += 60_000 + LIMITS.dnsStaleMsSoft;
    for (const domain of ['acme.com', 'new.com']) {
      assert.deepEqual(await world.codes(domain), ['DNS_MX_OK'], domain);
      assert.equal(world.routes.peek(domain)!.value.host!.name, `spare.${domain}`);
    }
  });

  test('a fresh negative answer wins over an old positive one', async (t) => {
    let gone = false;
    const world = await scriptedRoutes(t, [(asked) => (gone ? { rcode: 3, authorities: [soa('com')] } : healthy(asked))]);
    await world.codes('acme.com');
    gone = true;
    world.clock.ms += 10 * 60_000;
    assert.deepEqual(await world.codes('acme.com'), ['DNS_NXDOMAIN']);
  });

  test('a failure is asked again after a second, then after ever longer', async (t) => {
    const world = await scriptedRoutes(t, [() => ({ rcode: 2 })]);
    const waits: number[] = [];
    for (let rounds = 0; rounds < 4; rounds++) {
      await world.codes('acme.com');
      const before = world.queries();
      let waited = 0;
      while (world.routes.peek('acme.com') !== null) {
        world.clock.ms += 500;
        waited += 500;
      }
      waits.push(waited);
      assert.equal(world.queries(), before);
    }
    assert.deepEqual(waits, [1_000, 2_000, 4_000, 8_000]);
  });

  test('a name that does not exist stands for all names below it', async (t) => {
    const world = await scriptedRoutes(t, [() => ({ rcode: 3, authorities: [soa('com')] })]);
    await world.codes('nowhere.com');
    assert.deepEqual(await world.codes('a.b.nowhere.com'), ['DNS_NXDOMAIN']);
    assert.equal(world.queries(), 1);
  });

  test('a negative answer without a SOA is not kept', async (t) => {
    const world = await scriptedRoutes(t, [() => ({ rcode: 3 })]);
    await world.codes('nowhere.com');
    await world.codes('nowhere.com');
    assert.equal(world.queries(), 2);
  });
});
