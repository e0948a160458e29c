import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { createSecureContext } from 'node:tls';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { monotonicMs } from '../../src/lib/clock.ts';
import { ofAnyStrength } from '../../src/validate/smtp/connection.ts';
import { runSession } from '../../src/validate/smtp/session.ts';

/** As hosts of some age have it; Node refuses such parameters from 24 on. */
const WEAK: SMTPServerOptions = {
  maxVersion: 'TLSv1.2',
  ciphers: 'DHE-RSA-AES256-GCM-SHA384:@SECLEVEL=0',
  dhparam: `-----BEGIN DH PARAMETERS-----
MIGHAoGBAKiYUTk1DvVP1lcurcrUa50XMhwArYrA2EiNQUka1Silcokv9JveXVOk
bbAVeIfEc+95HCljejJ03odogOn7IoFI1JOopBkS1JNLLdngM9LM3O2Hms6qBWKO
Wa+5xcLWJur6P5FwMJnHfgCpXX6z6Rj2Ls1ZafbgxaoIy3YaVcQfAgEC
-----END DH PARAMETERS-----`,
};

const no = (responseCode: number, why: string): Error => Object.assign(new Error(why), { responseCode });

/** Of a real server that takes nothing in plain text. */
async function understood(t: TestContext, options: SMTPServerOptions = {}): Promise<void> {
  const server = new SMTPServer({
    ...options,
    authOptional: true, disabledCommands: ['AUTH'], logger: false,
    onMailFrom: (_address, { secure }, done) => done(secure ? null : no(530, '5.7.0 Must issue a STARTTLS command first')),
    onRcptTo: ({ address }, _session, done) => done(address === 'jane@acme.com' ? null : no(550, '5.1.1 user unknown')),
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  t.after(() => new Promise<void>((resolve) => { server.close(resolve); }));
  const { port } = server.server.address() as AddressInfo;
  const recipients = ['jane@acme.com', 'joe@acme.com'].map((address) => ({ address, domain: 'acme.com', utf8: false }));
  const found = await runSession({
    host: 'mx.acme.com', addresses: ['127.0.0.1'], port, ownName: 'probe.example.net', known: new Set(), connectMs: 30_000,
    endsMs: monotonicMs() + 30_000, overtimeMs: 0, leaving: new AbortController().signal, recipients,
  });
  assert.deepEqual(found.recipients.map((one) => one?.class), ['accepted', 'mailbox_not_found']);
  assert.equal(found.catchAll.get('acme.com'), false);
}

test('a real server with encryption is understood', (t) => understood(t));

test('so is one whose encryption is weak', (t) => understood(t, WEAK));

test('an operator who lets the process use nothing below TLS 1.3 (--tls-cipher-list) has ciphers for mail hosts as well', () => {
  for (const list of ['TLS_AES_256_GCM_SHA384', 'TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256', 'TLS_AES_128_GCM_SHA256:HIGH']) createSecureContext({ ciphers: ofAnyStrength(list) });
  assert.match(ofAnyStrength('TLS_AES_128_GCM_SHA256:HIGH'), /:@SECLEVEL=0$/);
});
