import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { LIMITS } from '../../src/config/limits.ts';
import { encode, TRUNCATED_RESPONSE } from 'dns-packet';
import { until } from '../support/until.ts';
import { withTime } from '../support/with_time.ts';
import { a, mx, soa, type Act, type Asked } from './support/dns_script.ts';
import { healthy, scriptedRoutes } from './support/scripted_routes.ts';

/** Of those who wait for one that is silent on purpose; who asks no such is more patient, however busy the machine is. */
const PATIENCE = [1, 2, 4];

const unlessControl = (act: (asked: Asked) => Act) => (asked: Asked): Act => (asked.name === '.' ? { authorities: [soa('.')] } : act(asked));

suite('resolvers and name servers that misbehave', { concurrency: 8 }, () => {
  test('the next resolver answers where one is silent', (t) => withTime(PATIENCE, async (patience) => {
    const world = await scriptedRoutes(t, [unlessControl(() => null), healthy], [], patience);
    assert.deepEqual(await world.codes('acme.com'), ['DNS_MX_OK']);
  }));

  test('a resolver that stays silent is waited for once, then asked last, and first again when it speaks', (t) => withTime(PATIENCE, async (patience) => {
    let [speaks, tries] = [false, 0];
    const world = await scriptedRoutes(t, [(asked) => (speaks ? healthy(asked) : null), healthy], [], 3 * patience);
    for (const name of ['one.com', 'two.com', 'three.com']) assert.deepEqual(await world.codes(name), ['DNS_MX_OK']);
    const names = (): readonly string[] => [...new Set(world.servers[0]!.asked.map(({ name }) => name))].filter((name) => name !== '.');
    assert.deepEqual(names(), ['one.com']);
    speaks = true;
    await until(async () => await world.codes(`later${tries++}.com`) !== null && names().length > 1, 30_000, 'that it was asked again');
  }));

  test('an answer that was cut in the midst of a record is fetched over TCP', async (t) => {
    const world = await scriptedRoutes(t, [(asked) => {
      if (asked.over === 'tcp' || asked.type !== 'MX') return healthy(asked);
      const whole = encode({ type: 'response', id: asked.id, flags: TRUNCATED_RESPONSE, questions: [{ type: 'MX', name: asked.name }], answers: [mx(asked.name, `mx.${asked.name}`)] });
      return { raw: whole.subarray(0, -5) };
    }]);
    assert.deepEqual(await world.codes('acme.com'), ['DNS_MX_OK']);
  });

  test('a resolver that drops connections is not gone: what does not fit a datagram is trouble, all else goes on', async (t) => {
    const world = await scriptedRoutes(t, [(asked) => (asked.name === 'large.com' ? { truncated: true, hangsUp: true } : healthy(asked))]);
    assert.deepEqual(await world.codes('large.com'), ['DNS_SERVFAIL']);
    assert.deepEqual(await world.codes('acme.com'), ['DNS_MX_OK']);
    assert.deepEqual(world.routes.reach(), { servers: 1, lost: 0 });
  });

  test('a referral to other servers is no word that there is nothing', async (t) => {
    const refers = (asked: Asked): Act => ({ authorities: [{ type: 'NS', name: asked.name, ttl: 60, data: 'ns.elsewhere.net' }] });
    assert.deepEqual(await (await scriptedRoutes(t, [unlessControl(refers)])).codes('acme.com'), ['DNS_SERVFAIL']);
    assert.deepEqual(await (await scriptedRoutes(t, [refers, healthy])).codes('acme.com'), ['DNS_MX_OK']);
  });

  test('the next resolver answers where one fails or sends garbage', (t) => withTime(PATIENCE, async (patience) => {
    const world = await scriptedRoutes(t, [({ type }) => (type === 'MX' ? { rcode: 2 } : { raw: Buffer.from('nonsense that is no DNS at all') }), healthy], [], patience);
    assert.deepEqual(await world.codes('acme.com'), ['DNS_MX_OK']);
  }));

  test('a resolver that refuses connections is our own outage', async (t) => {
    const world = await scriptedRoutes(t, [], ['127.0.0.1:1']);
    assert.deepEqual(await world.codes('acme.com'), ['DNS_BACKEND_DOWN']);
  });

  test('silence even on the control query is our own outage; silence on one name is that name\'s', (t) => withTime(PATIENCE, async (patience) => {
    const dead = await scriptedRoutes(t, [() => null], [], patience);
    assert.deepEqual(await dead.codes('acme.com'), ['DNS_BACKEND_DOWN']);
    const alive = await scriptedRoutes(t, [unlessControl(() => null)], [], patience);
    assert.deepEqual(await alive.codes('acme.com'), ['DNS_TIMEOUT']);
  }));

  test('a resolver that answers others is not called dead for its silence, not even on the control query', (t) => withTime(PATIENCE, async (patience) => {
    const world = await scriptedRoutes(t, [(asked) => (asked.name.startsWith('silent.') || asked.name === '.' ? null : healthy(asked))], [], patience);
    const asking = setInterval(() => { void world.codes(`d${Math.random()}.com`); }, 100);
    t.after(() => clearInterval(asking));
    await world.codes('acme.com');
    assert.deepEqual(await world.codes('silent.com'), ['DNS_TIMEOUT']);
    assert.deepEqual(await world.codes('other.com'), ['DNS_MX_OK']);
  }));

  test('a resolver that dies right after an answer is our own outage, and comes back by itself', (t) => withTime(PATIENCE, async (patience) => {
    let state: 'failing' | 'dead' | 'back' = 'failing';
    const world = await scriptedRoutes(t, [(asked) => {
      // Its last answer is to another question, while it is asked whether it lives.
      if (state === 'failing' && asked.name === '.') void world.codes('last.com');
      if (asked.name === 'last.com' && state === 'failing') {
        state = 'dead';
        return healthy(asked);
      }
      return state === 'back' ? healthy(asked) : null;
    }], [], patience);
    assert.deepEqual(await world.codes('acme.com'), ['DNS_BACKEND_DOWN']);
    state = 'back';
    await new Promise((resolve) => { setTimeout(resolve, LIMITS.dnsServerDownMs + 100); });
    assert.deepEqual(await world.codes('acme.com'), ['DNS_MX_OK']);
  }));

  test('our own outage is remembered against no domain', (t) => withTime(PATIENCE, async (patience) => {
    let alive = false;
    const world = await scriptedRoutes(t, [(asked) => (alive ? healthy(asked) : null)], [], patience);
    assert.deepEqual(await world.codes('acme.com'), ['DNS_BACKEND_DOWN']);
    alive = true;
    await new Promise((resolve) => { setTimeout(resolve, LIMITS.dnsServerDownMs + 100); });
    assert.deepEqual(await world.codes('acme.com'), ['DNS_MX_OK']);
  }));

  test('how many resolvers are of use is told as they were last asked; whoever looks has the lost ones asked anew', (t) => withTime(PATIENCE, async (patience) => {
    const acts: ((asked: Asked) => Act)[] = [() => ({ rcode: 5 }), () => ({ rcode: 5 })];
    const world = await scriptedRoutes(t, [(asked) => acts[0]!(asked), (asked) => acts[1]!(asked)], [], patience);
    assert.deepEqual(world.routes.reach(), { servers: 2, lost: 0 });
    await world.codes('acme.com');
    assert.deepEqual(world.routes.reach(), { servers: 2, lost: 2 });
    acts[1] = healthy;
    await until(() => world.routes.reach().lost === 1);
    const gone = await scriptedRoutes(t, [], ['127.0.0.1:1']);
    await gone.codes('acme.com');
    assert.deepEqual(gone.routes.reach(), { servers: 1, lost: 1 });
  }));

  test('a refusal is the name\'s own where the control query works, and our outage where nothing does', (t) => withTime(PATIENCE, async (patience) => {
    const picky = await scriptedRoutes(t, [unlessControl(() => ({ rcode: 5 }))], [], patience);
    assert.deepEqual(await picky.codes('acme.com'), ['DNS_REFUSED']);
    const closed = await scriptedRoutes(t, [() => ({ rcode: 5 })], [], patience);
    assert.deepEqual(await closed.codes('acme.com'), ['DNS_BACKEND_DOWN']);
  }));

  test('a forged answer is dropped: wrong id, wrong name, or a name in another case', async (t) => {
    const world = await scriptedRoutes(t, [(asked) => {
      const right = healthy(asked)!;
      if (asked.over === 'tcp' || asked.type !== 'MX') return right;
      return { ...right, answers: [mx(asked.name, 'evil.com')], forge: (packet) => ({ ...packet, questions: [{ type: 'MX', name: asked.name }] }) };
    }]);
    await world.codes('somewhatlongname.com');
    assert.deepEqual(world.routes.peek('somewhatlongname.com')!.value.records, [{ exchange: 'mx.somewhatlongname.com', preference: 10 }]);
    const wrongId = await scriptedRoutes(t, [(asked) => ({ ...healthy(asked)!, forge: (packet) => ({ ...packet, id: (packet.id! + 1) & 0xffff }) })]);
    assert.equal(await wrongId.codes('acme.com', 300), null);
  });

  test('ids, ports and the case of names differ from query to query', async (t) => {
    const world = await scriptedRoutes(t, [healthy]);
    await Promise.all(Array.from({ length: 64 }, (_, index) => world.codes(`domain-number-${index}.com`)));
    const { asked } = world.servers[0]!;
    assert.ok(new Set(asked.map(({ id }) => id)).size > asked.length * 0.9);
    assert.ok(new Set(asked.map(({ port }) => port)).size > 3);
  });

  test('a server that knows no EDNS is asked without', async (t) => {
    const world = await scriptedRoutes(t, [(asked) => (asked.edns ? { rcode: 1 } : healthy(asked))]);
    assert.deepEqual(await world.codes('acme.com'), ['DNS_MX_OK']);
  });

  test('records that are not on the alias chain from the asked name do not count', async (t) => {
    const world = await scriptedRoutes(t, [({ name, type }) => {
      if (type === 'MX') return { answers: [mx('other.com', 'mx.other.com')], authorities: [soa('com')] };
      return type === 'A' && name === 'acme.com' ? { answers: [a('other.com', '192.0.2.1')], authorities: [soa('com')] } : { authorities: [soa('com')] };
    }]);
    assert.deepEqual(await world.codes('acme.com'), ['DNS_NO_MAIL_HOST']);
  });

  test('an alias without a word of what stands behind it is followed by asking that, as far as it goes and no further', async (t) => {
    const cname = (name: string, data: string): Act => ({ answers: [{ type: 'CNAME', name, ttl: 20, data }] });
    const world = await scriptedRoutes(t, [(asked) => {
      const { name, type } = asked;
      if (name === 'alias.com' || name === 'mx.host.com') return cname(name, 'there.com');
      if (name === 'host.com' && type === 'MX') return { answers: [mx(name, 'mx.host.com')] };
      if (name === 'empty.com') return cname(name, 'nothing.com');
      if (name === 'nothing.com') return { authorities: [soa('com')] };
      if (name === 'lost.com') return cname(name, 'gone.com');
      if (name === 'gone.com') return { rcode: 3, authorities: [soa('com')] };
      if (name === 'there.com') return type === 'MX' ? { answers: [mx(name, 'mx.there.com', 40)] } : healthy(asked);
      if (name.startsWith('endless')) return cname(name, `${name.replace('.com', '')}s.com`);
      return name === 'odd.com' ? cname(name, 'a b.com') : healthy(asked);
    }]);
    const found = await Promise.all(['alias.com', 'host.com', 'empty.com', 'lost.com', 'endless.com', 'odd.com'].map((domain) => world.codes(domain)));
    assert.deepEqual(found, [['DNS_MX_OK'], ['DNS_MX_OK', 'DNS_MX_IS_CNAME'], ['DNS_NO_MAIL_HOST'], ['DNS_NXDOMAIN'], ['DNS_SERVFAIL'], ['DNS_SERVFAIL']]);
    assert.deepEqual(['alias.com', 'empty.com', 'lost.com'].map((domain) => world.routes.peek(domain)?.value.ttlS), [20, 20, 20]);
    assert.equal(world.servers[0]!.asked.filter(({ name }) => name.startsWith('endless')).length, LIMITS.dnsAliasesMax + 1);
  });

  test('many mail hosts without an address do not hide the one that has one', async (t) => {
    const world = await scriptedRoutes(t, [({ name, type }) => {
      if (type === 'MX') return { answers: Array.from({ length: 8 }, (_, index) => mx(name, `mx${index}.acme.com`, 60, index)) };
      return type === 'A' && name === 'mx7.acme.com' ? { answers: [a(name, '192.0.2.1')] } : { authorities: [soa('.')] };
    }]);
    assert.deepEqual(await world.codes('acme.com'), ['DNS_MX_OK']);
  });

  test('of a hundred mail hosts and addresses those that come first are kept, and the last of these is still found', async (t) => {
    const many = 100;
    const world = await scriptedRoutes(t, [({ name, type, over }) => {
      const isLarge = type === 'MX' || (type === 'A' && name === `mx${LIMITS.dnsMailHostsMax}.acme.com`);
      if (isLarge && over === 'udp') return { truncated: true };
      if (type === 'MX') return { answers: Array.from({ length: many }, (_, index) => mx(name, `mx${many - index}.acme.com`, 60, many - index)) };
      return isLarge ? { answers: Array.from({ length: many }, (_, index) => a(name, `192.0.2.${index}`)) } : { authorities: [soa('.')] };
    }]);
    assert.deepEqual(await world.codes('acme.com'), ['DNS_MX_OK']);
    const { records, host } = world.routes.peek('acme.com')!.value;
    assert.deepEqual(records.map(({ preference }) => preference), Array.from({ length: LIMITS.dnsMailHostsMax }, (_, index) => index + 1));
    assert.deepEqual([host!.name, host!.addresses.length], [`mx${LIMITS.dnsMailHostsMax}.acme.com`, LIMITS.dnsMailHostsMax]);
  });

  test('a policy that refuses all mail is found among any number of other texts', async (t) => {
    const texts = [...Array.from({ length: 60 }, (_, index) => `site-verification=${index}`), `v=spf1 ${'a '.repeat(2_000)}-all`, 'v=spf1 -all'];
    const world = await scriptedRoutes(t, [({ name, type, over }) => {
      if (type === 'TXT') return over === 'udp' ? { truncated: true } : { answers: texts.map((data) => ({ type: 'TXT' as const, name, ttl: 60, data: data.match(/.{1,255}/g)! })) };
      return type === 'A' ? { answers: [a(name, '192.0.2.1')] } : { authorities: [soa('.')] };
    }]);
    assert.deepEqual(await world.codes('acme.com'), ['DNS_SPF_REJECT_ALL']);
  });

  test('a policy that could not be read is soon looked up anew, whatever kept it from this call', async (t) => {
    let texts: (asked: Asked) => Act = () => ({ rcode: 2 });
    const closed = (name: string): Act => ({ answers: [{ type: 'TXT', name, ttl: 60, data: 'v=spf1 -all' }] });
    const world = await scriptedRoutes(t, [(asked) => {
      if (asked.type === 'TXT') return texts(asked);
      if (asked.type === 'A') return { answers: [a(asked.name, '192.0.2.1')], ...(asked.name === 'slow.com' ? { delayMs: 700 } : {}) };
      return { authorities: [soa('.')] };
    }]);
    assert.deepEqual(await world.codes('failing.com'), ['DNS_IMPLICIT_MX']);
    assert.equal(await world.codes('slow.com', 300), null);
    texts = ({ name }) => closed(name);
    await new Promise((resolve) => { setTimeout(resolve, 1_000); });
    world.clock.ms += LIMITS.dnsFailureMsMin;
    for (const name of ['failing.com', 'slow.com']) assert.deepEqual(await world.codes(name), ['DNS_SPF_REJECT_ALL'], name);
  });

  test('a resolver that goes away before a policy was read is our own outage, not a domain without one', (t) => withTime(PATIENCE, async (patience) => {
    let dead = false;
    const world = await scriptedRoutes(t, [({ name, type }) => {
      dead ||= type === 'TXT';
      if (dead) return null;
      return type === 'A' ? { answers: [a(name, '192.0.2.1')] } : { authorities: [soa('.')] };
    }], [], patience);
    assert.deepEqual(await world.codes('acme.com'), ['DNS_BACKEND_DOWN']);
  }));

  test('mail hosts whose name servers are silent do not take the time that finding the next one needs, nor does a domain that is silent of IPv6', (t) => withTime(PATIENCE, async (patience) => {
    const dead = /^(?:dead\d|six)\./;
    const script = unlessControl((asked) => {
      const { name, type } = asked;
      if (name === 'six.com') return type === 'MX' ? { authorities: [soa('.')] } : type === 'AAAA' ? null : healthy(asked);
      if (name === 'all.com' && type === 'MX') return { answers: [1, 2].map((nth) => mx(name, `dead${nth}.${name}`, 60, nth)) };
      if (type === 'MX') return { answers: [mx(name, `dead1.${name}`, 60, 1), mx(name, `dead2.${name}`, 60, 2), mx(name, `good.${name}`, 60, 3)] };
      return dead.test(name) ? null : healthy(asked);
    });
    const world = await scriptedRoutes(t, [script, script, script], [], patience);
    assert.deepEqual(await Promise.all(['acme.com', 'six.com'].map((domain) => world.codes(domain, 4_500 * patience))), [['DNS_MX_OK'], ['DNS_IMPLICIT_MX']]);
    const { host, unread } = world.routes.peek('acme.com')!.value;
    assert.deepEqual([host?.name, unread], ['good.acme.com', true]);
    assert.deepEqual(await world.codes('all.com', 30_000 * patience), ['DNS_TIMEOUT']);
  }));

  test('a preferred mail host that is slow to be found is taken all the same', (t) => withTime(PATIENCE, async (patience) => {
    const world = await scriptedRoutes(t, [unlessControl((asked) => {
      if (asked.type === 'MX') return { answers: [mx(asked.name, 'slow.acme.com', 60, 1), mx(asked.name, 'fast.acme.com', 60, 2)] };
      return asked.name === 'slow.acme.com' ? { ...healthy(asked)!, delayMs: 1_200 * patience } : healthy(asked);
    })], [], patience);
    assert.deepEqual(await world.codes('acme.com'), ['DNS_MX_OK']);
    assert.equal(world.routes.peek('acme.com')!.value.host?.name, 'slow.acme.com');
  }));

  test('trouble with every mail host\'s address is trouble, not a verdict', async (t) => {
    const world = await scriptedRoutes(t, [({ name, type }) => (type === 'MX' ? { answers: [mx(name, 'mx.acme.com')] } : { rcode: 2 })]);
    assert.deepEqual(await world.codes('acme.com'), ['DNS_SERVFAIL']);
  });
});
