import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { suite, test } from 'node:test';
import { promisify } from 'node:util';
import { LIMITS } from '../../src/config/limits.ts';
import { TestClock } from '../accounts/setting.ts';
import { until } from '../support/until.ts';
import { withTime } from '../support/with_time.ts';
import { a, mx, soa, type Act, type Asked } from './support/dns_script.ts';
import { known, mailHost, polite, scriptSmtp } from './support/smtp_script.ts';
import { ordinary, stagesOf, world } from './support/world.ts';

suite('the mailbox stage', { concurrency: 8 }, () => {
  const users = (address: string): string => (address.startsWith('user') ? '250 2.1.5 ok\r\n' : known(address));

  test('accepted is deliverable, not found is undeliverable, catch-all and full are risky', async (t) => {
    const host = await mailHost(t, (address) => (address.endsWith('@any.com') ? '250 ok\r\n' : address.startsWith('full@') ? '552 5.2.2 mailbox full\r\n' : known(address)));
    const { bulk } = await world(t, { smtp: true, smtpPort: host.port });
    const { results } = await bulk(['jane@acme.com', 'nobody@acme.com', 'x@any.com', 'full@acme.com']);
    assert.deepEqual(results.map(({ status, level, reason, mailbox_exists: exists }) => [status, level, reason, exists]), [
      ['deliverable', 'mailbox', 'SMTP_ACCEPTED', true], ['undeliverable', 'mailbox', 'SMTP_MAILBOX_NOT_FOUND', false], ['risky', 'mailbox', 'SMTP_CATCH_ALL', null], ['risky', 'mailbox', 'SMTP_MAILBOX_FULL', true],
    ]);
    assert.deepEqual(results.map(({ flags }) => flags.catch_all), [false, null, true, null]);
    assert.deepEqual(results[0]!.smtp, { attempted: true, host: 'mx.acme.com', code: 250, enhanced: '2.1.5', class: 'accepted' });
    assert.equal(results[3]!.flags.mailbox_full, true);
  });

  test('a disposable domain or a likely slip lowers accepted to risky', async (t) => {
    const host = await mailHost(t, known);
    const { bulk } = await world(t, { smtp: true, smtpPort: host.port });
    const { results } = await bulk(['jane@mailinator.com', 'jane@gmial.com']);
    assert.deepEqual(results.map(({ status, reason, mailbox_exists: exists }) => [status, reason, exists]), [['risky', 'LIST_DISPOSABLE', true], ['risky', 'LIST_TYPO', true]]);
  });

  test('many recipients share one session of their host, and its catch-all is tried once', async (t) => {
    const host = await mailHost(t, users);
    const { bulk } = await world(t, { smtp: true, smtpPort: host.port });
    await bulk(['jane@acme.com', 'joe@acme.com', ...Array.from({ length: 15 }, (_, index) => `user${index}@acme.com`)]);
    assert.equal(host.connections(), 1);
    assert.equal(host.lines.filter((line) => line.startsWith('RCPT')).length, 18);
    await bulk(['jane@acme.com']);
    assert.equal(host.connections(), 1);
  });

  test('where the policy of a domain without MX cannot be read its host is not asked at every call', async (t) => {
    const host = await mailHost(t, known);
    const { one } = await world(t, { smtp: true, smtpPort: host.port, clock: new TestClock() }, (asked) => {
      if (asked.type === 'TXT') return { rcode: 2 };
      return asked.type === 'MX' ? { authorities: [soa('.')] } : ordinary(asked);
    });
    for (let calls = 0; calls < 3; calls++) assert.equal((await one('jane@acme.com')).smtp?.code, 250);
    assert.equal(host.connections(), 1);
  });

  test('domains that share a host share its session, and twenty recipients fit in one', async (t) => {
    const host = await mailHost(t, users);
    const { bulk, validator } = await world(t, { smtp: true, smtpPort: host.port }, (asked) => (asked.type === 'MX' ? { answers: [mx(asked.name, 'mx.shared.net')] } : ordinary(asked)));
    const of = (count: number): string[] => Array.from({ length: count }, (_, index) => `user${index}@d${index % 5}.com`);
    await bulk(of(LIMITS.smtpRecipientsMax));
    assert.equal(host.connections(), 1);
    await bulk(of(3 * LIMITS.smtpRecipientsMax));
    assert.deepEqual([host.connections(), validator.metrics().mailSessions], [3, 3]);
    assert.equal(host.lines.filter((line) => line.startsWith('RCPT')).length, 3 * LIMITS.smtpRecipientsMax + 5);
  });

  for (const offers of [[], ['PIPELINING']]) test(`no session names so many missing mailboxes that a host would slow us${offers.length > 0 ? ', pipelined too' : ''}`, async (t) => {
    const refused: number[] = [];
    const answering = polite(known, offers);
    const host = await scriptSmtp((line, socket) => {
      if (line.startsWith('EHLO')) refused.push(0);
      const reply = answering(line, socket);
      if (line.startsWith('RCPT') && reply !== null && reply.startsWith('5')) refused[refused.length - 1]! += 1;
      return reply;
    });
    t.after(() => host.close());
    const { bulk } = await world(t, { smtp: true, smtpPort: host.port });
    const { results } = await bulk(Array.from({ length: 26 }, (_, index) => (index === 25 ? 'jane@acme.com' : `nobody${index}@acme.com`)));
    assert.deepEqual(results.map(({ reason }) => reason), [...Array.from({ length: 25 }, () => 'SMTP_MAILBOX_NOT_FOUND'), 'SMTP_ACCEPTED']);
    assert.ok(refused.every((names) => names <= LIMITS.smtpRefusalsMax), String(refused));
  });

  test('of whom a host that was slow to speak of others said nothing in a session, it is asked in the next while there is time, and last of whom it was silent', (t) => withTime([13_000, 18_000, 18_000], async (timeoutMs) => {
    const host = await scriptSmtp((line, socket) => (line.includes('@mute.com>') ? null : polite(known)(line, socket)));
    t.after(() => host.close());
    const { bulk } = await world(t, { smtp: true, smtpPort: host.port });
    const emails = ['nobody@acme.com', 'jane@mute.com', 'joe@mute.com', 'jane@acme.com', 'jane@d.com'];
    await bulk(emails, ['dns']);
    const { results } = await bulk(emails, null, timeoutMs);
    assert.deepEqual(results.map(({ reason }) => reason), ['SMTP_MAILBOX_NOT_FOUND', 'SMTP_TIMEOUT', 'SMTP_TIMEOUT', 'SMTP_ACCEPTED', 'SMTP_ACCEPTED']);
  }));

  test('whom a session heard nothing of was asked all the same, though another had no time for it', (t) => withTime([12_000, 18_000, 18_000], async (timeoutMs) => {
    const host = await mailHost(t, (address) => (address === 'jane@acme.com' ? known(address) : null));
    const { bulk, one } = await world(t, { smtp: true, smtpPort: host.port });
    await one('joe@acme.com', ['dns']);
    const users = Array.from({ length: 2 * LIMITS.smtpRecipientsMax - 1 }, (_, index) => `user${index}@acme.com`);
    const { results } = await bulk(['jane@acme.com', ...users], null, timeoutMs);
    assert.deepEqual([...new Set(results.map(({ reason, smtp }) => `${reason} ${smtp!.attempted}`))], ['SMTP_ACCEPTED true', 'SMTP_TIMEOUT true']);
  }));

  test('whom a session heard nothing of was asked all the same, though the next was sent away', (t) => withTime([13_000, 18_000, 18_000], async (timeoutMs) => {
    let sessions = 0;
    const answering = polite((address) => (address === 'jane@acme.com' ? known(address) : null), ['PIPELINING']);
    const host = await scriptSmtp((line, socket) => {
      if (line.startsWith('EHLO')) sessions += 1;
      return sessions === 1 ? answering(line, socket) : '421 4.7.0 too many\r\n';
    });
    t.after(() => host.close());
    const { bulk, one } = await world(t, { smtp: true, smtpPort: host.port });
    await one('joe@acme.com', ['dns']);
    const users = Array.from({ length: 2 * LIMITS.smtpRecipientsMax - 1 }, (_, index) => `user${index}@acme.com`);
    const { results } = await bulk(['jane@acme.com', ...users], null, timeoutMs);
    assert.deepEqual([...new Set(results.map(({ reason, smtp }) => `${reason} ${smtp!.attempted}`))], ['SMTP_ACCEPTED true', 'SMTP_RATE_LIMITED true']);
  }));

  test('names of one machine share its sessions, and its farewell', async (t) => {
    const host = await mailHost(t, (address) => (address.startsWith('last@') ? '421 4.7.0 too many\r\n' : known(address)));
    const { bulk, one } = await world(t, { smtp: true, smtpPort: host.port });
    const { results } = await bulk(Array.from({ length: 5 }, (_, index) => `jane@d${index}.com`));
    assert.deepEqual(results.map(({ reason, smtp }) => [reason, smtp?.host]), results.map((_, index) => ['SMTP_ACCEPTED', `mx.d${index}.com`]));
    assert.equal(host.connections(), 1);
    await one('last@d1.com');
    assert.deepEqual([(await one('joe@d2.com')).reason, host.connections()], ['SMTP_RATE_LIMITED', 2]);
  });

  test('hosts that share an address are asked one after another', async (t) => {
    let open = 0;
    let most = 0;
    const host = await scriptSmtp((line, socket) => {
      if (line.startsWith('EHLO')) most = Math.max(most, open += 1);
      if (line === 'QUIT') open -= 1;
      if (line.startsWith('MAIL')) {
        setTimeout(() => socket.write('250 ok\r\n'), 20);
        return null;
      }
      return polite(known)(line, socket);
    });
    t.after(() => host.close());
    const shares = (asked: Asked): Act => (asked.type === 'A' ? { answers: [a(asked.name, '127.0.0.1'), a(asked.name, `127.0.1.${/\d+/.exec(asked.name)![0]}`)] } : ordinary(asked));
    const { bulk } = await world(t, { smtp: true, smtpPort: host.port }, shares);
    const { summary } = await bulk(Array.from({ length: 20 }, (_, index) => `jane@domain${index + 1}.com`));
    assert.deepEqual([summary.deliverable, host.connections(), most], [20, 20, 1]);
  });

  test('whom nobody had the time to ask about is told so', (t) => withTime([4_000, 9_000, 9_000], async (timeoutMs) => {
    const host = await mailHost(t, () => null);
    const { bulk, one } = await world(t, { smtp: true, smtpPort: host.port });
    await one('joe@acme.com', ['dns']);
    const { results } = await bulk(Array.from({ length: 2 * LIMITS.smtpRecipientsMax + 5 }, (_, index) => `user${index}@acme.com`), null, timeoutMs);
    assert.deepEqual([...new Set(results.map(({ reason }) => reason))], ['SMTP_TIMEOUT']);
    assert.equal(results.filter(({ smtp }) => smtp!.attempted).length, LIMITS.smtpRecipientsMax);
    assert.equal(host.lines.filter((line) => line.startsWith('RCPT')).length, LIMITS.smtpTransactionRefusalsMax);
  }));

  test('slow mail hosts hold up no verdict that follows from the domain', (t) => withTime([6_000, 9_000, 9_000], async (timeoutMs) => {
    const host = await scriptSmtp(polite(() => null), undefined, 0, '0.0.0.0');
    t.after(() => host.close());
    const { bulk } = await world(t, { smtp: true, smtpPort: host.port }, (asked) => {
      const number = Number(/\d+/.exec(asked.name)?.[0]);
      return asked.type === 'A' ? { answers: [a(asked.name, `127.1.${number >> 8}.${number & 255}`)] } : ordinary(asked);
    });
    const slow = Array.from({ length: LIMITS.smtpHostsAtOnceMax + 20 }, (_, index) => `jane@d${index}.com`);
    await bulk(slow, ['dns']);
    const { results } = await bulk([...slow, 'jane@gone.com', 'jane@null.com'], null, timeoutMs);
    assert.deepEqual(results.slice(-2).map(({ status, reason }) => [status, reason]), [['undeliverable', 'DNS_NXDOMAIN'], ['undeliverable', 'DNS_NULL_MX']]);
    assert.equal(host.connections(), LIMITS.smtpHostsAtOnceMax);
  }));

  test('a verdict just past its time is given once more while it is asked anew behind, and so is whether the domain takes any name', async (t) => {
    const host = await mailHost(t, known);
    const clock = new TestClock();
    const { one, validator } = await world(t, { smtp: true, smtpPort: host.port, clock });
    const asked = (): number => host.lines.filter((line) => line.startsWith('RCPT')).length;
    const stateOf = async (email: string): Promise<string> => `${(await one(email)).reason} ${String((await one(email)).stages.at(-1)!.cache)}`;
    assert.deepEqual([(await one('jane@acme.com')).stages.at(-1)!.cache, asked()], ['miss', 2]);
    clock.pass(59_000);
    assert.equal(await stateOf('jane@acme.com'), 'SMTP_ACCEPTED hit');
    await one('joe@acme.com');
    assert.equal(asked(), 3, 'the random name was tried again though the records still hold');
    clock.pass(2_000);
    const stale = await one('jane@acme.com');
    assert.deepEqual([stale.reason, stale.stages.at(-1)!.cache, stale.flags.catch_all], ['SMTP_ACCEPTED', 'stale', false]);
    await until(async () => await stateOf('jane@acme.com') === 'SMTP_ACCEPTED hit');
    assert.equal(asked(), 5);
    const { catch_alls: catchAlls } = validator.metrics().caches;
    assert.deepEqual(catchAlls, { hits: 1, misses: 2, stale: 0, entries: 1 });
  });

  test('greylisting, blocks, policies and time-outs are unknown, never undeliverable', async (t) => {
    const replies: Record<string, string | null> = { grey: '451 4.7.1 greylisted\r\n', policy: '550 5.7.1 no\r\n', blocked: '554 5.7.1 your ip is on a blocklist\r\n', hang: null };
    for (const [name, reply] of Object.entries(replies)) {
      const host = await mailHost(t, () => reply);
      const { one } = await world(t, { smtp: true, smtpPort: host.port });
      await one('joe@acme.com', ['dns']);
      const { status, reason, mailbox_exists: exists, domain_accepts_mail: accepts } = await one('jane@acme.com', null, reply === null ? 700 : undefined);
      assert.deepEqual([status, exists, accepts], ['unknown', null, true], `${name} ${reason}`);
    }
  });

  test('a host that sent us away is left alone for a while', async (t) => {
    const host = await mailHost(t, () => '421 4.7.0 too many\r\n');
    const { one } = await world(t, { smtp: true, smtpPort: host.port });
    await one('jane@acme.com');
    const again = await one('joe@acme.com');
    assert.deepEqual([again.reason, again.smtp?.attempted, host.connections()], ['SMTP_RATE_LIMITED', false, 1]);
  });

  test('a host that sent us away over a random name is not taken to have said of others what it said of the last mailbox', async (t) => {
    const host = await mailHost(t, (address) => (/^[0-9a-f]{18}@/.test(address) ? '421 4.7.0 too many\r\n' : known(address)));
    const { bulk, one } = await world(t, { smtp: true, smtpPort: host.port });
    const { results } = await bulk(['jane@acme.com', 'nobody@acme.com']);
    assert.deepEqual(results.map(({ reason }) => reason), ['SMTP_ACCEPTED', 'SMTP_MAILBOX_NOT_FOUND']);
    const next = await one('joe@acme.com');
    assert.deepEqual([next.status, next.reason, next.smtp?.attempted, host.connections()], ['unknown', 'SMTP_RATE_LIMITED', false, 1]);
  });

  test('what a host said of a mailbox before the deadline stands, though it keeps silent on a random name', (t) => withTime([4_000, 8_000, 8_000], async (timeoutMs) => {
    const host = await mailHost(t, (address) => (/^[0-9a-f]{18}@/.test(address) ? null : known(address)));
    const { bulk, one } = await world(t, { smtp: true, smtpPort: host.port });
    await one('joe@acme.com', ['dns']);
    const { results } = await bulk(['jane@acme.com', 'nobody@acme.com', 'j\u00f6rg@acme.com'], null, timeoutMs);
    assert.deepEqual(results.slice(0, 2).map(({ status, reason, flags }) => [status, reason, flags.catch_all]), [['deliverable', 'SMTP_ACCEPTED', null], ['undeliverable', 'SMTP_MAILBOX_NOT_FOUND', null]]);
    assert.equal(results[2]!.reason, 'SMTP_UTF8_UNSUPPORTED', 'which follows from what the host offers');
    const keptMs = Date.parse(results[0]!.expires_at) - Date.parse(results[0]!.checked_at);
    assert.ok(keptMs <= LIMITS.smtpCoolMs, `kept for ${keptMs} ms without knowing whether any name would do`);
  }));

  test('the next mail host is asked where the first cannot be reached, three at most, and a dead one is left alone', async (t) => {
    const host = await mailHost(t, known);
    const mails = (asked: Asked): Act => {
      if (asked.type === 'MX') return {
        answers: ['dead1', 'dead2', 'alive', 'spare'].map((name, index) => mx(asked.name, `${asked.name === 'far.com' && name === 'alive' ? 'dead3' : name}.net`, 60, index)),
      };
      if (asked.type === 'A') return { answers: [a(asked.name, asked.name.startsWith('dead') ? `127.0.0.${asked.name[4]}9` : '127.0.0.1')] };
      return { authorities: [soa('.')] };
    };
    const { one } = await world(t, { smtp: true, smtpPort: host.port }, mails);
    const found = await one('jane@acme.com');
    assert.deepEqual([found.reason, found.smtp?.host], ['SMTP_ACCEPTED', 'alive.net']);
    const far = await one('jane@far.com');
    assert.deepEqual([far.reason, far.status, far.smtp?.host], ['SMTP_CONNECT_FAILED', 'unknown', 'dead3.net']);
    assert.equal(host.connections(), 1);
  });

  test('a host that no more files could be opened to reach is neither called unreachable nor left alone', async () => {
    const from = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);
    const script = `
      import { closeSync, openSync } from 'node:fs';
      import { monotonicMs } from ${from('../../src/lib/clock.js')};
      import { openValidator } from ${from('../../src/validate/open.js')};
      import { scriptDns } from ${from('./support/dns_script.js')};
      import { known, polite, scriptSmtp } from ${from('./support/smtp_script.js')};
      import { ordinary } from ${from('./support/world.js')};
      const { port } = await scriptSmtp(polite(known));
      const { address } = await scriptDns(ordinary);
      const validator = openValidator({ dnsServers: [address], dnsPatience: 20, smtp: true, validatorUrl: null, listsDir: null, loopback: { isUsable: () => true, smtpPort: port } });
      const reasonOf = async (stages) => (await validator.validate(['jane@acme.com'], { stages, deadlineMs: monotonicMs() + 30_000 })).results[0].reason;
      await reasonOf(['dns']);
      const files = [];
      try {
        for (;;) files.push(openSync('/dev/null'));
      } catch {
        const without = await reasonOf(null);
        for (const file of files) closeSync(file);
        console.log(without, await reasonOf(null));
        process.exit();
      }`;
    const { stdout } = await promisify(execFile)('sh', ['-c', 'ulimit -n 256; exec "$0" --input-type=module -e "$1"', process.execPath, script]);
    assert.equal(stdout, 'SMTP_TIMEOUT SMTP_ACCEPTED\n');
  });

  test('a host that cannot be reached by IPv4 is asked by IPv6, also while IPv4 is left alone', async (t) => {
    const host = await scriptSmtp(polite(known), undefined, 0, '::1');
    t.after(() => host.close());
    const both = (asked: Asked): Act => (asked.type === 'AAAA' ? { answers: [{ type: 'AAAA', name: asked.name, ttl: 60, data: '::1' }] } : ordinary(asked));
    const { one, dns } = await world(t, { smtp: true, smtpPort: host.port }, both);
    for (const [email, wanted] of [['jane@acme.com', 'SMTP_ACCEPTED'], ['nobody@acme.com', 'SMTP_MAILBOX_NOT_FOUND']] as const) {
      const { reason, smtp } = await one(email);
      assert.deepEqual([reason, smtp?.host, smtp?.attempted], [wanted, 'mx.acme.com', true]);
    }
    assert.equal(dns.asked.filter(({ type }) => type === 'AAAA').length, 1);
  });

  test('a provider whose answers prove nothing is not connected', async (t) => {
    const host = await mailHost(t, known);
    const mail = (name: string): Act => ({ answers: [{ type: 'MX', name, ttl: 60, data: { exchange: 'mta5.am0.yahoodns.net', preference: 1 } }] });
    const { one } = await world(t, { smtp: true, smtpPort: host.port }, (asked) => (asked.type === 'MX' ? mail(asked.name) : ordinary(asked)));
    const result = await one('jane@yahoo.com');
    assert.deepEqual([result.status, result.reason, result.mx?.provider, result.smtp?.attempted, host.connections()], ['unknown', 'SMTP_NOT_DECIDABLE', 'yahoo', false, 0]);
  });

  test('asked for by name while the operator has it off, it is told so', async (t) => {
    const { one } = await world(t);
    const result = await one('jane@acme.com', ['smtp']);
    assert.deepEqual([result.reason, result.reasons, stagesOf(result).at(-1)], ['DNS_MX_OK', ['DNS_MX_OK', 'SMTP_DISABLED'], 'smtp skipped SMTP_DISABLED']);
  });

  test('only public addresses are ever dialled', async (t) => {
    let connections = 0;
    const trap = createServer((socket) => { connections += 1; socket.destroy(); });
    await new Promise<void>((resolve) => { trap.listen(0, '127.0.0.1', resolve); });
    t.after(() => new Promise((resolve) => { trap.close(resolve); }));
    const { isPublicAddress } = await import('../../src/validate/public_address.ts');
    const { one } = await world(t, { smtp: true, loopback: { isUsable: isPublicAddress, smtpPort: (trap.address() as AddressInfo).port } });
    const result = await one('jane@acme.com');
    assert.deepEqual([result.reason, result.status, connections], ['DNS_MX_NOT_PUBLIC', 'undeliverable', 0]);
  });
});
