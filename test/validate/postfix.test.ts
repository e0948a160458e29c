import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { POSTFIX_MISSING, startPostfix, type RealMailHost } from './support/postfix.ts';
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

test('Postfix: accepted, not found, full, disabled, greylisted, catch-all, relay denied and international are told apart', { skip }, async (t) => {
  const { bulk } = await world(t, { smtp: true, smtpPort: host.port });
  const { results } = await bulk(FOUND.map(([email]) => email));
  assert.deepEqual(results.map(({ input, status, reason }) => [input, status, reason]), FOUND);
});
