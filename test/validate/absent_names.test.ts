import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TRUNCATED_RESPONSE, type Packet } from 'dns-packet';
import { mx, soa, type Asked } from './support/dns_script.ts';
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
