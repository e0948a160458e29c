import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { POSTFIX_MISSING, SHARED_DOMAINS, startPostfix, type RealMailHost } from './support/postfix.ts';
import { world } from './support/world.ts';

const skip = POSTFIX_MISSING;
let host: RealMailHost;
before(async () => { if (skip === false) host = await startPostfix(); });
after(async () => { if (skip === false) await host.stop(); });

const FOUND: readonly (readonly [email: string, status: string, reason: string])[] = [
  ['jane@acme.com', 'deliverable', 'SMTP_ACCEPTED'], ['nobody@acme.com', 'undeliverable', 'SMTP_MAILBOX_NOT_FOUND'], ['full@acme.com', 'risky', 'SMTP_MAILBOX_FULL'],
  ['off@acme.com', 'undeliverable', 'SMTP_MAILBOX_DISABLED'], ['grey@acme.com', 'unknown', 'SMTP_GREYLISTED'], ['jane@any.com', 'risky', 'SMTP_CATCH_ALL'], ['jane@elsewhere.com', 'unknown', 'SMTP_RELAY_DENIED'],
  ['j\u00f6rg@acme.com', 'deliverable', 'SMTP_ACCEPTED'],
];

test('Postfix: each host has one polite session with up to twenty recipients, and one random name a domain', { skip }, async (t) => {
  const { bulk } = await world(t, { smtp: true, smtpPort: host.port });
  const many = Array.from({ length: 45 }, (_, index) => `person${index}@any.com`);
  const { summary } = await bulk([...many, 'jane@acme.com', 'joe@acme.com']);
  assert.deepEqual(summary, { deliverable: 2, risky: 45, undeliverable: 0, unknown: 0 });
  assert.deepEqual((await host.recipients()).toSorted((a, b) => a - b), [8, 20, 21]);
});

test('Postfix: of many domains that it serves none is kept from its verdict by the names that others lack', { skip }, async (t) => {
  const { bulk } = await world(t, { smtp: true, smtpPort: host.port });
  const { results } = await bulk(SHARED_DOMAINS.map((domain) => `jane@${domain}`));
  assert.deepEqual(results.map(({ reason, flags }) => [reason, flags.catch_all]), SHARED_DOMAINS.map(() => ['SMTP_ACCEPTED', false]));
});

test('Postfix: accepted, not found, full, disabled, greylisted, catch-all, relay denied and international are told apart', { skip }, async (t) => {
  const { bulk } = await world(t, { smtp: true, smtpPort: host.port });
  const { results } = await bulk(FOUND.map(([email]) => email));
  assert.deepEqual(results.map(({ input, status, reason }) => [input, status, reason]), FOUND);
});

test('Postfix: that a domain takes any name is found out though a bounce may have one recipient alone', { skip }, async (t) => {
  const { bulk } = await world(t, { smtp: true, smtpPort: host.port });
  const { results } = await bulk(['jane@one.com', 'joe@one.com', 'jim@one.com']);
  assert.deepEqual(results.map(({ reason, flags }) => [reason, flags.catch_all]), results.map(() => ['SMTP_CATCH_ALL', true]));
});
