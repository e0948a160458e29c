import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { LIMITS } from '../../src/config/limits.ts';
import { withTime } from '../support/with_time.ts';
import { a, mx } from './support/dns_script.ts';
import { polite, scriptSmtp, type ScriptedSmtp } from './support/smtp_script.ts';
import { ordinary, world } from './support/world.ts';

type SharedHost = ScriptedSmtp & { readonly sessions: readonly { resets: number; refused: number }[] };

/** The host of many domains, at each of which there is Jane, and one who is put off. Like Exim it sends away whoever has reset twelve transactions. */
async function sharedHost(offers: readonly string[]): Promise<SharedHost> {
  const sessions: { resets: number; refused: number }[] = [];
  const known = (address: string): string => {
    if (address.startsWith('jane@')) return '250 Accepted\r\n';
    sessions.at(-1)!.refused += 1;
    if (address.startsWith('grey@')) return '450 4.2.0 Greylisted\r\n';
    return '550 5.1.1 Unrouteable address\r\n';
  };
  const answering = polite(known, offers);
  const server = await scriptSmtp((line, socket) => {
    if (line.startsWith('EHLO')) sessions.push({ resets: 0, refused: 0 });
    if (line === 'RSET' && (sessions.at(-1)!.resets += 1) > 11) {
      socket.end('554 Too many nonmail commands\r\n');
      return null;
    }
    return answering(line, socket);
  });
  return { ...server, sessions };
}

suite('a mail host of many domains', { concurrency: 4 }, () => {
  for (const offers of [[], ['PIPELINING']]) test(`is asked of all, in sessions that it bears${offers.length > 0 ? ', pipelined too' : ''}`, async (t) => {
    const host = await sharedHost(offers);
    t.after(() => host.close());
    const { bulk } = await world(t, { smtp: true, smtpPort: host.port });
    const emails = Array.from({ length: 20 }, (_, index) => [`jane@d${index}.com`, `nobody@d${index}.com`]).flat();
    const { results } = await bulk(emails);
    assert.deepEqual(results.map(({ reason, flags }) => [reason, flags.catch_all]), emails.map((email) => (email.startsWith('jane') ? ['SMTP_ACCEPTED', false] : ['SMTP_MAILBOX_NOT_FOUND', null])));
    assert.ok(host.sessions.every(({ refused, resets }) => refused <= LIMITS.smtpRefusalsMax && resets <= LIMITS.smtpResetsMax), JSON.stringify(host.sessions));
  });

  for (const offers of [[], ['PIPELINING']]) test(`that puts off is asked of random names too, and refuses no more in a session than it bears${offers.length > 0 ? ', pipelined too' : ''}`, async (t) => {
    const host = await sharedHost(offers);
    t.after(() => host.close());
    const { bulk } = await world(t, { smtp: true, smtpPort: host.port });
    const { results } = await bulk(Array.from({ length: 20 }, (_, index) => `grey@d${index}.com`));
    assert.deepEqual(results.map(({ reason }) => reason), results.map(() => 'SMTP_GREYLISTED'));
    assert.equal(new Set(host.lines.filter((line) => line.startsWith('RCPT'))).size, 40);
    assert.ok(host.sessions.every(({ refused }) => refused <= LIMITS.smtpRefusalsMax), JSON.stringify(host.sessions));
  });

  for (const offers of [[], ['PIPELINING']]) test(`that hangs up over the fifth missing mailbox of a transaction is kept from no verdict by it${offers.length > 0 ? ', pipelined too' : ''}`, async (t) => {
    let refused = 0;
    const host = await scriptSmtp((line, socket) => {
      if (line === 'RSET' || line.startsWith('EHLO')) refused = 0;
      return polite((address) => {
        if (address.startsWith('jane@') || address.endsWith('@any.com')) return '250 Accepted\r\n';
        refused += 1;
        if (refused <= 4) return '550 Unrouteable address\r\n';
        socket.end('550 REJECTED - Too many failed recipients - count = 4\r\n');
        return null;
      }, offers)(line, socket);
    });
    t.after(() => host.close());
    const { bulk } = await world(t, { smtp: true, smtpPort: host.port });
    const { results } = await bulk([...Array.from({ length: 6 }, (_, index) => `nobody${index}@acme.com`), 'jane@acme.com', ...Array.from({ length: 4 }, (_, index) => `nobody${index}@d.com`), 'jane@d.com', 'jo@any.com']);
    assert.deepEqual(results.map(({ input, reason, flags }) => [input, reason, flags.catch_all]), results.map(({ input }) => [
      input, ...(String(input).startsWith('nobody') ? ['SMTP_MAILBOX_NOT_FOUND', null] : String(input).startsWith('jane') ? ['SMTP_ACCEPTED', false] : ['SMTP_CATCH_ALL', true]),
    ]));
  });

  for (const names of ['one name', 'a name for each domain']) test(`under ${names} keeps no other host from being asked, however many of its domains wait`, (t) => withTime([4_000, 9_000, 9_000], async (timeoutMs) => {
    const host = await scriptSmtp(polite(() => null));
    const other = await scriptSmtp(polite(() => '550 5.1.1 user unknown\r\n'), undefined, host.port, '127.0.0.2');
    t.after(() => Promise.all([host.close(), other.close()]));
    const { bulk } = await world(t, { smtp: true, smtpPort: host.port }, (asked) => {
      if (asked.type === 'A') return { answers: [a(asked.name, asked.name === 'mx.small.com' ? '127.0.0.2' : '127.0.0.1')] };
      return asked.type === 'MX' && asked.name !== 'small.com' && names === 'one name' ? { answers: [mx(asked.name, 'mx.shared.net')] } : ordinary(asked);
    });
    const emails = [...Array.from({ length: LIMITS.smtpHostsAtOnceMax + 1 }, (_, index) => `jane@d${index}.com`), 'jane@small.com'];
    await bulk(emails, ['dns']);
    assert.equal((await bulk(emails, null, timeoutMs)).results.at(-1)!.reason, 'SMTP_MAILBOX_NOT_FOUND');
  }));

  test('has as many recipients in a turn as ever, in more sessions where mailboxes are missing', async (t) => {
    const host = await sharedHost(['PIPELINING']);
    t.after(() => host.close());
    const { bulk } = await world(t, { smtp: true, smtpPort: host.port });
    const most = LIMITS.smtpSessionsBurst * LIMITS.smtpRecipientsMax;
    const { summary } = await bulk(Array.from({ length: most }, (_, index) => `nobody${index}@acme.com`));
    assert.deepEqual([summary.undeliverable, host.sessions.length], [most, 15]);
  });
});
