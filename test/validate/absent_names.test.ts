import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TRUNCATED_RESPONSE, type Packet } from 'dns-packet';
import { a, mx, soa, type Act, type Asked } from './support/dns_script.ts';
import { scriptedRoutes } from './support/scripted_routes.ts';
import { ordinary, world } from './support/world.ts';

test('that a mail host does not exist is known for as long as its SOA says, though both its addresses were asked for; so it is of names below one that does not', async (t) => {
  const isListed = ({ name, type }: Asked): boolean => type === 'MX' && name === 'acme.com';
  const { routes, codes, clock } = await scriptedRoutes(t, [(asked) => (isListed(asked) ? { answers: [mx(asked.name, 'mx.gone.com')] } : { rcode: 3, authorities: [soa('com')] })]);
  const told = { 'acme.com': 'DNS_MX_UNUSABLE', 'nowhere.com': 'DNS_NXDOMAIN', 'a.nowhere.com': 'DNS_NXDOMAIN' };
  for (const [name, code] of Object.entries(told)) assert.deepEqual(await codes(name), [code]);
  clock.ms += 59_000;
  for (const name of Object.keys(told)) assert.equal(routes.peek(name)?.state, 'hit', name);
});

test('a name server that knows no IPv6 address, and says of a name in its place that it does not exist, makes neither a domain nor a mail host absent', async (t) => {
  const script = ({ name, type }: Asked): Act => {
    if (type === 'MX' && name === 'acme.com') return { answers: [mx(name, 'mx.acme.com')] };
    if (type === 'A') return { answers: [a(name, '192.0.2.1')] };
    return type === 'MX' ? { authorities: [soa('com')] } : { rcode: 3, authorities: [soa('com', 3_600, 3_600)] };
  };
  const { routes, codes, clock } = await scriptedRoutes(t, [script]);
  const told = { 'plain.com': 'DNS_IMPLICIT_MX', 'acme.com': 'DNS_MX_OK' };
  for (const [name, code] of Object.entries(told)) assert.deepEqual(await codes(name), [code]);
  assert.deepEqual(await routes.sixes('mx.acme.com', { abandoned: false }), [], 'as it is asked of a host that none could reach by IPv4');
  clock.ms += 600_000;
  for (const [name, code] of Object.entries(told)) {
    await codes(name);
    assert.deepEqual(await codes(name), [code], name);
  }
});

test('nor does one that knows an IPv6 address alone, and denies the name of which another is asked', async (t) => {
  const script = ({ name, type }: Asked): Act => {
    if (type === 'MX' && name === 'acme.com') return { answers: [mx(name, 'mx.acme.com', 5)] };
    if (type === 'AAAA') return { answers: [{ type, name, ttl: 5, data: '2001:db8::1' }] };
    return type === 'MX' ? { authorities: [soa('com', 5, 5)] } : { rcode: 3, authorities: [soa('com', 3_600, 3_600)] };
  };
  const { codes, clock } = await scriptedRoutes(t, [script]);
  for (const [name, code] of Object.entries({ 'plain.com': 'DNS_IMPLICIT_MX', 'acme.com': 'DNS_MX_OK' })) {
    assert.deepEqual(await codes(name), [code]);
    clock.ms += 600_000;
    assert.deepEqual(await codes(name), [code], `${name}, looked up anew`);
  }
});

test('a domain with more mail hosts than any message holds is trouble, and not without any', async (t) => {
  const forge = (packet: Packet): Packet => ({ ...packet, flags: packet.flags! | TRUNCATED_RESPONSE });
  const { one } = await world(t, {}, (asked) => {
    if (asked.type !== 'MX' || !asked.name.endsWith('many.com')) return ordinary(asked);
    if (asked.name === 'not-many.com') return { forge, rcode: 3 };
    return { forge, answers: asked.name === 'as-many.com' ? [mx(asked.name, 'mx.acme.com')] : [] };
  });
  assert.equal((await one('jane@many.com', ['dns'])).reason, 'DNS_SERVFAIL');
  assert.equal((await one('jane@as-many.com', ['dns'])).reason, 'DNS_MX_OK');
  assert.equal((await one('jane@not-many.com', ['dns'])).reason, 'DNS_NXDOMAIN', 'that there is no such domain is said by a code');
});
