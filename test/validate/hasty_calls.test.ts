import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import { LIMITS } from '../../src/config/limits.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import { providerOfHost, type Provider } from '../../src/validate/lists/providers.ts';
import { openOwnProbe, type MailboxQuestion } from '../../src/validate/smtp/mailbox.ts';
import { ClosedEar } from '../support/closed_ear.ts';
import { freePort } from '../support/ports.ts';
import { pause } from '../support/runners.ts';
import { until } from '../support/until.ts';
import { withTime } from '../support/with_time.ts';
import { known, mailHost, polite, scriptSmtp } from './support/smtp_script.ts';
import { world } from './support/world.ts';

/** Knows everybody, but says nothing of Jane before `silentUntilMs`: whoever asked until then is never answered. */
async function silentHost(t: TestContext): Promise<{ port: number; silentUntilMs: number; asked: number; isAsked(): Promise<void> }> {
  const state = { port: 0, silentUntilMs: Infinity, asked: 0, isAsked: () => until(() => state.asked > 0) };
  const { port } = await mailHost(t, (address) => {
    if (address.startsWith('jane@')) state.asked += 1;
    return address.startsWith('jane@') && monotonicMs() < state.silentUntilMs ? null : known(address);
  });
  return Object.assign(state, { port });
}

/** Of Jane at a domain whose mail goes to `host`. */
function questionOf(caller: object, domain: string, host: MailboxQuestion['route']['host'], timeMs: number, provider: Provider | null = null): MailboxQuestion {
  return {
    caller, email: `jane@${domain}`, address: { local: { text: 'jane', quoted: false, eai: false }, domain: { ascii: domain, unicode: domain, idn: false } },
    route: { codes: ['DNS_MX_OK'], records: [], implicit: false, nullMx: false, provider, host, failed: false, unread: false, ttlS: 60 },
    routeTtlMs: 60_000, endsMs: monotonicMs() + timeMs,
  };
}

const isRandom = (line: string): boolean => /^RCPT TO:<[0-9a-f]{18}@/.test(line);

suite('what a hasty call leaves to others', { concurrency: 8 }, () => {
  test('who joins a look-up of less time than its own asks once more where that ran out', (t) => withTime([5_000, 9_000, 9_000], async (hastyMs) => {
    const host = await silentHost(t);
    const { one } = await world(t, { smtp: true, smtpPort: host.port });
    await one('joe@acme.com', ['dns']);
    host.silentUntilMs = monotonicMs() + hastyMs - 200;
    const hasty = one('jane@acme.com', null, hastyMs);
    await host.isAsked();
    const [patient, other, late] = await Promise.all([one('jane@acme.com'), one('jane@acme.com'), hasty]);
    assert.deepEqual([late.status, patient.reason, other.reason, host.asked], ['unknown', 'SMTP_ACCEPTED', 'SMTP_ACCEPTED', 2]);
  }));

  test('who joins look-ups of less time than its own asks until one is its own', (t) => withTime([4_000, 4_500, 4_500], async (hastyMs) => {
    const host = await silentHost(t);
    const { one } = await world(t, { smtp: true, smtpPort: host.port });
    await one('joe@acme.com', ['dns']);
    const hasty = one('jane@acme.com', null, hastyMs);
    await host.isAsked();
    host.silentUntilMs = monotonicMs() + 2 * hastyMs - 200;
    const second = one('jane@acme.com', null, 2 * hastyMs);
    // A call may rest before it asks: the third is to come behind.
    await pause(200);
    const found = await Promise.all([hasty, second, one('jane@acme.com')]);
    assert.deepEqual([found.map(({ reason }) => reason), host.asked], [['SMTP_TIMEOUT', 'SMTP_TIMEOUT', 'SMTP_ACCEPTED'], 3]);
  }));

  test('a host that was not reached in the time of a hasty call is not left alone, nor is its mailbox called unreachable', async (t) => {
    const port = await freePort();
    const ear = await ClosedEar.open(port);
    const { one } = await world(t, { smtp: true, smtpPort: port });
    await one('jane@acme.com', ['dns']);
    assert.equal((await one('jane@acme.com', null, 300)).reason, 'SMTP_TIMEOUT');
    await ear.close();
    const host = await scriptSmtp(polite(known), undefined, port);
    t.after(() => host.close());
    assert.equal((await one('jane@acme.com')).reason, 'SMTP_ACCEPTED');
  });

  test('a call with the time for it hears that nobody took the connection, as the next one does', (t) => withTime([2_000, 6_000, 12_000], async (timeoutMs) => {
    const port = await freePort();
    const ear = await ClosedEar.open(port);
    t.after(() => ear.close());
    const { one } = await world(t, { smtp: true, smtpPort: port });
    await one('jane@acme.com', ['dns']);
    for (const email of ['jane@acme.com', 'joe@acme.com']) {
      const { reason, smtp } = await one(email, null, timeoutMs);
      assert.deepEqual([reason, smtp?.host], ['SMTP_CONNECT_FAILED', 'mx.acme.com']);
    }
  }));

  for (const [silence, offers] of [['RCPT', ['PIPELINING']], ['STARTTLS', ['STARTTLS']]] as const) test(`a session whose caller leaves ends, whatever it waits for, and keeps nobody else waiting: ${silence}`, async (t) => {
    let open = 0;
    let isSilent = true;
    const leaving = new AbortController();
    const host = await scriptSmtp((line, socket) => {
      if (line.startsWith('EHLO')) socket.once('close', () => { open -= 1; });
      if (line.startsWith('EHLO')) open += 1;
      if (!isSilent || !line.startsWith(silence)) return polite(known, isSilent ? offers : [])(line, socket);
      if (line === 'STARTTLS') socket.write('220 go\r\n');
      setImmediate(() => leaving.abort());
      return null;
    });
    t.after(() => host.close());
    const { one, validator } = await world(t, { smtp: true, smtpPort: host.port });
    await one('jane@acme.com', ['dns']);
    await validator.validate(['jane@acme.com', 'jim@acme.com'], { stages: null, deadlineMs: monotonicMs() + 60_000, signal: leaving.signal });
    isSilent = false;
    await until(() => open === 0, LIMITS.smtpStepMs / 2, 'the end of the session');
    const next = await one('jane@acme.com');
    assert.deepEqual([next.reason, next.smtp?.attempted, host.connections()], ['SMTP_ACCEPTED', true, 2]);
  });

  test('what was not asked because its turn came too late is kept against nobody who has more time', async () => {
    const probe = openOwnProbe({ port: 1, ownName: null, now: monotonicMs }, { addresses: async () => [], sixes: async () => [] });
    const provider = providerOfHost('aspmx.l.google.com');
    const found = await Promise.all(Array.from({ length: LIMITS.smtpSessionsBurst + 1 }, (_, index) => probe.probe(questionOf(
      probe, `d${index}.com`, { name: `mx${index}.net`, addresses: [`127.0.0.${index + 2}`], next: [] }, index === LIMITS.smtpSessionsBurst ? 600 : 60_000, provider,
    ), { abandoned: false })));
    assert.deepEqual(found.slice(-2).map(({ value: { code, hurried }, ttlMs }) => [code, hurried, ttlMs]), [['SMTP_CONNECT_FAILED', false, 60_000], ['SMTP_RATE_LIMITED', true, 0]]);
  });

  test('who has the time for it hears that a domain takes any name, though a hasty call before had not', async (t) => {
    let silent = true;
    const host = await mailHost(t, (address) => (silent && !address.startsWith('jane@') ? null : '250 ok\r\n'));
    const { one } = await world(t, { smtp: true, smtpPort: host.port });
    await one('jane@acme.com', ['dns']);
    await one('jane@acme.com', null, 1_500);
    silent = false;
    assert.equal((await one('jane@acme.com')).reason, 'SMTP_CATCH_ALL');
  });

  test('whether a domain takes any name is heard behind a call whose time is over, and known to the next', (t) => withTime([1_500, 3_000, 6_000], async (hastyMs) => {
    let overMs = Infinity;
    const host = await scriptSmtp((line, socket) => {
      const reply = polite(() => '250 ok\r\n')(line, socket);
      if (!isRandom(line)) return reply;
      setTimeout(() => socket.write(reply!), Math.max(0, overMs + LIMITS.smtpOvertimeMs / 4 - monotonicMs()));
      return null;
    });
    t.after(() => host.close());
    const { one } = await world(t, { smtp: true, smtpPort: host.port });
    await one('jane@acme.com', ['dns']);
    overMs = monotonicMs() + hastyMs;
    const hasty = await one('jane@acme.com', null, hastyMs);
    assert.deepEqual([hasty.reason, (await one('joe@acme.com')).reason, host.lines.filter(isRandom).length], ['SMTP_ACCEPTED', 'SMTP_CATCH_ALL', 1]);
  }));

  test('a host that does not say it even then keeps those waiting who come behind but once', (t) => withTime([1_500, 3_000], async (hastyMs) => {
    let isOver = false;
    const host = await scriptSmtp((line, socket) => {
      if (!isRandom(line)) return polite(() => '250 ok\r\n')(line, socket);
      socket.once('close', () => { isOver = true; });
      return null;
    });
    t.after(() => host.close());
    const { one } = await world(t, { smtp: true, smtpPort: host.port });
    await one('jane@acme.com', ['dns']);
    await one('jane@acme.com', null, hastyMs);
    await until(() => isOver);
    const before = one('jim@acme.com', null, hastyMs);
    await pause(hastyMs / 2);
    assert.deepEqual([(await one('joe@acme.com', null, hastyMs)).reason, (await before).reason], ['SMTP_ACCEPTED', 'SMTP_ACCEPTED']);
  }));

  test('a first host that cannot be reached says nothing of the mailbox where the time was too short to find the next one', async () => {
    const heard = async (timeMs: number, lookUpMs: number) => {
      const lookUp = async (): Promise<readonly string[]> => {
        await pause(lookUpMs);
        return [];
      };
      const probe = openOwnProbe({ port: 1, ownName: null, now: monotonicMs }, { addresses: lookUp, sixes: async () => [] });
      const host = { name: 'dead.acme.com', addresses: ['127.0.0.2'], next: ['spare.acme.com'] };
      const { value: { code, hurried }, ttlMs } = await probe.probe(questionOf(probe, 'acme.com', host, timeMs), { abandoned: false });
      return [code, hurried, ttlMs];
    };
    assert.deepEqual(await heard(60_000, 10), ['SMTP_CONNECT_FAILED', false, 60_000]);
    assert.deepEqual(await heard(500, 600), ['SMTP_TIMEOUT', true, 0]);
  });
});
