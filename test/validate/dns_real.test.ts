import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { LIMITS } from '../../src/config/limits.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import { Deadline } from '../../src/validate/deadline.ts';
import { openMailRoutes, type MailRoutes } from '../../src/validate/dns/open.ts';
import { isPublicAddress } from '../../src/validate/public_address.ts';
import { BIND_MISSING, startNamed, type RealServer } from './support/named.ts';

const skip = BIND_MISSING;
let server: RealServer;
let routes: MailRoutes;
let deadline: Deadline;

before(async () => {
  if (skip !== false) return;
  server = await startNamed();
  routes = openMailRoutes({ servers: [server.address], isUsable: isPublicAddress, now: Date.now });
  deadline = new Deadline(monotonicMs() + 10_000);
});

after(async () => {
  if (skip !== false) return;
  deadline.close();
  routes.close();
  await server.stop();
});

async function route(domain: string) {
  return (await routes.wait(domain, deadline))!.value;
}

const FOUND: readonly (readonly [title: string, domain: string, ...codes: string[]])[] = [
  ['MX records lead to a public mail host', 'good.com', 'DNS_MX_OK'],
  ['a mail host may have an IPv6 address alone', 'sixonly.com', 'DNS_MX_OK'],
  ['a null MX says that the domain takes no mail', 'null.com', 'DNS_NULL_MX'],
  ['a null MX beside others is ignored', 'dotbeside.com', 'DNS_MX_OK'],
  ['without MX the domain itself is the mail host', 'implicit.com', 'DNS_IMPLICIT_MX'],
  ['without MX an IPv6 address is enough', 'implicit6.com', 'DNS_IMPLICIT_MX'],
  ['without MX a policy that nothing mails closes the domain', 'silent.com', 'DNS_SPF_REJECT_ALL'],
  ['neither MX nor addresses is no mail host', 'bare.com', 'DNS_NO_MAIL_HOST'],
  ['a mail host on loopback is not public', 'loop.com', 'DNS_MX_NOT_PUBLIC'],
  ['a mail host with private and link-local addresses is not public', 'private.com', 'DNS_MX_NOT_PUBLIC'],
  ['the next mail host serves where the first is not public', 'mixed.com', 'DNS_MX_OK'],
  ['a mail host without an address is unusable', 'gone.com', 'DNS_MX_UNUSABLE'],
  ['an alias as mail host is followed and noted', 'aliased.com', 'DNS_MX_OK', 'DNS_MX_IS_CNAME'],
  ['an IP address as mail host is ignored', 'literal.com', 'DNS_MX_UNUSABLE', 'DNS_MX_IS_IP'],
  ['an alias of the domain is followed', 'moved.com', 'DNS_MX_OK'],
  ['a wildcard answers for any name', 'anything.wild.com', 'DNS_MX_OK'],
  ['a name that does not exist is told so', 'nowhere.com', 'DNS_NXDOMAIN'],
  ['a zone that its server cannot load is trouble, not a verdict', 'broken.net', 'DNS_SERVFAIL'],
  ['a referral to another server is trouble, not a verdict', 'delegated.com', 'DNS_SERVFAIL'],
  ['an answer too large for a datagram comes over TCP', 'many.com', 'DNS_MX_OK'],
];

for (const [title, domain, ...codes] of FOUND) {
  test(title, { skip }, async () => {
    assert.deepEqual((await route(domain)).codes, codes);
  });
}

test('MX hosts come in the order of preference, with the provider and the smallest TTL of what the finding rests on', { skip }, async () => {
  const good = await route('good.com');
  assert.deepEqual(good.records, [{ exchange: 'mx1.hosts.com', preference: 10 }, { exchange: 'mx2.hosts.com', preference: 20 }]);
  assert.ok(good.ttlS! <= 60 && good.ttlS! > 30, `60 seconds, or what is left of them since another test asked: ${good.ttlS}`);
  assert.deepEqual(good.host, { name: 'mx1.hosts.com', addresses: ['8.8.8.8'], next: ['mx2.hosts.com'] });
  assert.equal((await route('google.com')).provider?.name, 'google_workspace');
});

test('of the 60 records of a large answer those that come first are kept', { skip }, async () => {
  const preferences = (await route('many.com')).records.map(({ preference }) => preference);
  assert.deepEqual(preferences, Array.from({ length: LIMITS.dnsMailHostsMax }, (_, index) => index + 1));
});

test('a negative answer is kept for as long as its SOA says', { skip }, async () => {
  assert.equal((await route('nowhere.com')).ttlS, 60);
});

test('an alias circle ends as trouble of the domain', { skip }, async () => {
  assert.equal((await route('circle.com')).codes[0], 'DNS_SERVFAIL');
});

test('an answer is looked up once, and then it is a hit', { skip }, async () => {
  await route('good.com');
  const before = routes.counts().queries;
  assert.equal(routes.peek('good.com')?.state, 'hit');
  assert.equal(routes.counts().queries, before);
});
