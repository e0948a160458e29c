import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../../src/config/limits.ts';
import { TestClock } from '../accounts/setting.ts';
import { mx } from './support/dns_script.ts';
import { mailHost, polite, scriptSmtp } from './support/smtp_script.ts';
import { ordinary, world, type Dns } from './support/world.ts';

for (const [reply, reason] of [['450 4.2.0 Greylisted', 'SMTP_GREYLISTED'], ['451 temporary failure (#4.3.0)', 'SMTP_TEMPFAIL']] as const) test(`behind a greylist (${reply}) a domain that takes any name is known for it as soon as it takes one`, async (t) => {
  const seen = new Set<string>();
  const host = await mailHost(t, (address) => {
    if (address.endsWith('@acme.com') && !address.startsWith('jane@')) return '550 5.1.1 user unknown\r\n';
    if (seen.has(address)) return '250 2.1.5 ok\r\n';
    seen.add(address);
    return `${reply}\r\n`;
  });
  const clock = new TestClock();
  const { bulk } = await world(t, { smtp: true, smtpPort: host.port, clock });
  const asked = async (): Promise<unknown[]> => (await bulk(['jane@acme.com', 'jane@any.com', 'joe@any.com'])).results.map(({ reason, flags }) => [reason, flags.catch_all]);
  assert.deepEqual(await asked(), Array.from({ length: 3 }, () => [reason, null]));
  clock.pass(LIMITS.greylistAgainMs);
  assert.deepEqual(await asked(), [['SMTP_ACCEPTED', false], ['SMTP_CATCH_ALL', true], ['SMTP_CATCH_ALL', true]]);
  assert.equal(host.lines.filter((line) => line.startsWith('RCPT')).length, 10);
});

const oneHost: Dns = (asked) => (asked.type === 'MX' ? { answers: [mx(asked.name, 'mx.shared.net')] } : ordinary(asked));

for (const offers of [[], ['PIPELINING']]) for (const refusal of ['550 5.5.3 Recipient address rejected: Multi-recipient bounce', '550 Legitimate bounces are never sent to more than one recipient.']) {
  test(`a host that takes a bounce for one recipient alone has each in a transaction of its own, the random one too${offers.length > 0 ? ', pipelined too' : ''}: ${refusal}`, async (t) => {
    let taken = 0;
    let refused = 0;
    const host = await scriptSmtp((line, socket) => {
      if (line.startsWith('MAIL')) taken = 0;
      return polite((address) => {
        if (address.endsWith('@acme.com') && !address.startsWith('jane')) return '550 5.1.1 user unknown\r\n';
        taken += 1;
        if (taken === 1) return '250 ok\r\n';
        refused += 1;
        return `${refusal}\r\n`;
      }, offers)(line, socket);
    });
    t.after(() => host.close());
    const { bulk } = await world(t, { smtp: true, smtpPort: host.port }, oneHost);
    const { results } = await bulk(['jane@acme.com', 'joe@acme.com', 'jane2@acme.com', 'jane3@acme.com', 'jane@any.com']);
    assert.deepEqual(results.map(({ reason, flags }) => [reason, flags.catch_all]), [
      ['SMTP_ACCEPTED', false], ['SMTP_MAILBOX_NOT_FOUND', null], ['SMTP_ACCEPTED', false], ['SMTP_ACCEPTED', false], ['SMTP_CATCH_ALL', true],
    ]);
    assert.equal(host.connections(), 1);
    assert.ok(refused <= 4, `${refused} were named in vain`);
  });
}

test('a host that hangs up over the second recipient of a bounce is asked again of one at a time', async (t) => {
  let taken = 0;
  const host = await scriptSmtp((line, socket) => {
    if (line.startsWith('MAIL')) taken = 0;
    return polite(() => {
      taken += 1;
      if (taken === 1) return '250 ok\r\n';
      socket.end('550 Legitimate bounces are never sent to more than one recipient.\r\n');
      return null;
    })(line, socket);
  });
  t.after(() => host.close());
  const clock = new TestClock();
  const { bulk } = await world(t, { smtp: true, smtpPort: host.port, clock }, oneHost);
  // However often it is asked meanwhile, what it said is forgotten after an hour.
  for (const [first, sessions, laterMs] of [['jane', 2, 0], ['jim', 3, 0.6], ['joe', 4, 0.6], ['jill', 6, 0]] as const) {
    const { results } = await bulk([`${first}@any.com`, `${first}@all.com`, `${first}2@any.com`]);
    assert.deepEqual(results.map(({ reason, flags }) => [reason, flags.catch_all]), results.map(() => ['SMTP_CATCH_ALL', true]));
    assert.equal(host.connections(), sessions);
    clock.pass(laterMs * LIMITS.catchAllTtlMsMax);
  }
});

test('a host that hangs up over the eighth recipient hears of no more than seven, pipelined too', async (t) => {
  for (const offers of [[], ['PIPELINING']]) {
    let taken = 0;
    const host = await scriptSmtp((line, socket) => {
      if (line.startsWith('MAIL')) taken = 0;
      return polite(() => {
        taken += 1;
        if (taken <= 7) return '250 ok\r\n';
        socket.end('452 4.5.3 Too many recipients\r\n');
        return null;
      }, offers)(line, socket);
    });
    t.after(() => host.close());
    const { bulk } = await world(t, { smtp: true, smtpPort: host.port });
    const { results } = await bulk(Array.from({ length: 18 }, (_, index) => `user${index}@any.com`));
    assert.deepEqual(results.map(({ reason }) => reason), results.map(() => 'SMTP_CATCH_ALL'));
    assert.equal(host.connections(), 2);
  }
});

for (const [what, again] of [['sends us away', '421 too many connections\r\n'], ['says nothing more', null], ['hangs up at once', 'cut']] as const) test(`what a host said before it hung up stands where it ${what} the next time`, async (t) => {
  const host = await scriptSmtp((line, socket) => {
    if (host.connections() > 1) return again;
    return polite((address) => {
      if (address === 'jane@acme.com') return '250 ok\r\n';
      socket.end('550 Legitimate bounces are never sent to more than one recipient.\r\n');
      return null;
    })(line, socket);
  });
  t.after(() => host.close());
  const { one } = await world(t, { smtp: true, smtpPort: host.port });
  const { reason, flags, smtp } = await one('jane@acme.com', null, 5_000);
  assert.deepEqual([reason, flags.catch_all, smtp!.attempted, host.connections()], ['SMTP_ACCEPTED', null, true, 2]);
});
