import assert from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import { suite, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../../src/lib/clock.ts';
import { until } from '../support/until.ts';
import { withTime } from '../support/with_time.ts';
import { a, mx, soa, type Act, type Asked } from './support/dns_script.ts';
import { known, mailHost, polite, scriptSmtp } from './support/smtp_script.ts';
import { world, type Dns } from './support/world.ts';

/** A host has its share of them, which is less than the ten seconds after which it is mute. */
const TIMEOUTS_MS = [8_000, 12_000, 12_000];

/** Every domain has two mail hosts, the first of which is at an address of its own. */
function muteBefore(next: string): (asked: Asked) => Act {
  return ({ name, type }) => {
    if (type === 'MX') return { answers: [mx(name, 'mute.net', 60, 1), mx(name, next, 60, 2)] };
    return type === 'A' ? { answers: [a(name, name === 'mute.net' ? '127.0.0.9' : '127.0.0.1')] } : { authorities: [soa('.')] };
  };
}

/** Every domain has one mail host of two addresses. */
function twoAddresses(first: string, second: string): (asked: Asked) => Act {
  return ({ name, type }) => {
    if (type === 'MX') return { answers: [mx(name, 'both.net')] };
    return type === 'A' ? { answers: [a(name, first), a(name, second)] } : { authorities: [soa('.')] };
  };
}

/** What listens at the address of the first host: what it does with each connection, and those that it has taken. */
async function firstHost(t: TestContext, port: number, take: (socket: Socket) => void = () => {}): Promise<readonly Socket[]> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    take(socket.on('error', () => {}));
  });
  await new Promise<void>((resolve) => { server.listen(port, '127.0.0.9', resolve); });
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return sockets;
}

/** A host that answers what it is asked, and has not greeted. */
function answers(rcpt: (address: string) => string | null): (socket: Socket) => void {
  const answering = polite(rcpt);
  return (socket) => { socket.on('data', (chunk) => { for (const line of chunk.toString().trimEnd().split('\r\n')) socket.write(answering(line, socket)!); }); };
}

suite('a mail host that says nothing, or takes nobody\'s mail', { concurrency: 3 }, () => {
  test('a mail host that takes the connection and says nothing keeps nobody from the next one, and is left alone', async (t) => {
    const host = await mailHost(t, known);
    const taken = await firstHost(t, host.port);
    const { one } = await world(t, { smtp: true, smtpPort: host.port }, muteBefore('alive.net'));
    for (const email of ['jane@acme.com', 'joe@acme.com']) {
      const { reason, smtp } = await one(email, null, 60_000);
      assert.deepEqual([reason, smtp?.host], ['SMTP_ACCEPTED', 'alive.net']);
    }
    assert.equal(taken.length, 1);
  });

  test('a mail host that is slow to say its first word leaves the next one time to answer within the call, to all who wait for it', (t) => withTime(TIMEOUTS_MS, async (timeoutMs) => {
    const host = await mailHost(t, known);
    const taken = await firstHost(t, host.port);
    const { one } = await world(t, { smtp: true, smtpPort: host.port }, muteBefore('alive.net'));
    const first = one('jane@acme.com', null, timeoutMs);
    await until(() => taken.length === 1);
    const second = one('joe@acme.com', null, timeoutMs);
    for (const { reason, smtp } of await Promise.all([first, second])) assert.deepEqual([reason, smtp?.host], ['SMTP_ACCEPTED', 'alive.net']);
    assert.equal(taken.length, 1);
  }));

  test('a slow host is not asked any more of what the next one has decided meanwhile', (t) => withTime(TIMEOUTS_MS, async (timeoutMs) => {
    const host = await mailHost(t, known);
    const sockets = await firstHost(t, host.port, answers(known));
    const { one } = await world(t, { smtp: true, smtpPort: host.port }, muteBefore('alive.net'));
    const first = one('jane@acme.com', null, timeoutMs);
    await until(() => sockets.length === 1);
    const second = one('joe@acme.com', null, timeoutMs);
    for (const { smtp } of await Promise.all([first, second])) assert.equal(smtp?.host, 'alive.net');
    const over = new Promise((resolve) => { sockets[0]!.once('close', resolve); });
    sockets[0]!.write('220 at last\r\n');
    await over;
    await sleep(300);
    assert.equal(sockets.length, 1);
  }));

  test('a host behind a slow one that takes any name is believed only where the slow one says nothing to the end', (t) => withTime(TIMEOUTS_MS, async (timeoutMs) => {
    const spare = await mailHost(t, () => '250 2.1.5 ok\r\n');
    let greets = true;
    const sockets = await firstHost(t, spare.port, answers(known));
    const { one } = await world(t, { smtp: true, smtpPort: spare.port }, muteBefore('spare.net'));
    for (const [email, wanted] of [['nobody@acme.com', ['SMTP_MAILBOX_NOT_FOUND', 'mute.net']], ['jane@acme.com', ['SMTP_CATCH_ALL', 'spare.net']]] as const) {
      const asked = spare.lines.length;
      const found = one(email, null, timeoutMs);
      await until(() => spare.lines.length > asked && spare.lines.at(-1) === 'QUIT');
      if (greets) sockets.at(-1)!.write('220 at last\r\n');
      const { reason, smtp } = await found;
      assert.deepEqual([reason, smtp?.host], wanted);
      greets = false;
    }
  }));

  test('one that is closed to everybody is passed by for the next, also while it is left alone; one that speaks of us is not', async (t) => {
    const spare = await mailHost(t, known);
    let banner = '';
    const taken = await firstHost(t, spare.port, (socket) => { socket.end(banner); });
    for (const [said, wanted] of [
      ['554 5.3.2 No SMTP service here', ['SMTP_ACCEPTED', 'SMTP_ACCEPTED']], ['421 Service not available, try again later', ['SMTP_ACCEPTED', 'SMTP_ACCEPTED']],
      ['421 4.7.0 Too many connections', ['SMTP_RATE_LIMITED', 'SMTP_RATE_LIMITED']], ['554 Your IP is on a blocklist', ['SMTP_BLOCKED', 'SMTP_BLOCKED']],
    ] as const) {
      banner = `${said}\r\n`;
      const before = taken.length;
      const { one } = await world(t, { smtp: true, smtpPort: spare.port }, muteBefore('alive.net'));
      const found = [await one('jane@acme.com'), await one('joe@acme.com')];
      assert.deepEqual([found.map(({ reason }) => reason), taken.length - before], [wanted, 1], said);
    }
  });

  test('a host that takes no connection keeps nobody from the next one while no resolver tells its addresses of IPv6', (t) => withTime(TIMEOUTS_MS, async (timeoutMs) => {
    const host = await mailHost(t, known);
    const { one } = await world(t, { smtp: true, smtpPort: host.port }, (asked) => (asked.type === 'AAAA' ? null : muteBefore('alive.net')(asked)));
    const { reason, smtp } = await one('jane@acme.com', null, timeoutMs);
    assert.deepEqual([reason, smtp?.host], ['SMTP_ACCEPTED', 'alive.net']);
  }));

  test('an address that is slow to say its first word leaves the next one of its host time to answer, and is left then', (t) => withTime(TIMEOUTS_MS, async (timeoutMs) => {
    const host = await mailHost(t, known);
    const sockets = await firstHost(t, host.port);
    const { one } = await world(t, { smtp: true, smtpPort: host.port }, twoAddresses('127.0.0.9', '127.0.0.1'));
    const found = one('jane@acme.com', null, timeoutMs);
    await until(() => sockets.length === 1);
    const left = new Promise((resolve) => { sockets[0]!.once('close', resolve).resume(); });
    assert.equal((await found).reason, 'SMTP_ACCEPTED');
    await left;
  }));

  test('an address that speaks at last is heard beside the silence of the next one of its host', (t) => withTime(TIMEOUTS_MS, async (timeoutMs) => {
    const silent = await scriptSmtp(() => null, null);
    t.after(() => silent.close());
    const sockets = await firstHost(t, silent.port, answers(known));
    const { one } = await world(t, { smtp: true, smtpPort: silent.port }, twoAddresses('127.0.0.9', '127.0.0.1'));
    const found = one('jane@acme.com', null, timeoutMs);
    await until(() => silent.connections() === 1);
    sockets[0]!.write('220 at last\r\n');
    assert.equal((await found).reason, 'SMTP_ACCEPTED');
  }));

  test('a host is not left alone where one of its addresses takes no connection and there was no time to hear the other', (t) => withTime([2_000, 4_000, 4_000], async (timeoutMs) => {
    const { port } = await mailHost(t, known);
    const sockets = await firstHost(t, port, answers(known));
    const { one } = await world(t, { smtp: true, smtpPort: port }, twoAddresses('127.0.0.9', '127.0.0.8'));
    assert.equal((await one('jane@acme.com', null, timeoutMs)).reason, 'SMTP_TIMEOUT');
    const found = one('joe@acme.com');
    await until(() => sockets.length === 2);
    sockets[1]!.write('220 at last\r\n');
    assert.equal((await found).reason, 'SMTP_ACCEPTED');
  }));

  test('a host that says everything twice makes no mailbox of nobody, though its time is over before it has done so', async (t) => {
    let endsMs = 0;
    const host = await scriptSmtp((line, socket) => {
      const reply = polite(known, ['PIPELINING'])(line, socket)!;
      if (!/^(?:MAIL|RCPT)/.test(line)) return reply;
      setTimeout(() => socket.write(reply.repeat(2)), endsMs - monotonicMs() - (line.startsWith('MAIL') ? 35 : 30));
      return null;
    });
    t.after(() => host.close());
    const { one } = await world(t, { smtp: true, smtpPort: host.port });
    await one('nobody@acme.com', ['dns'], 30_000);
    endsMs = monotonicMs() + 1_000;
    assert.equal((await one('nobody@acme.com', null, 1_000)).status, 'unknown');
  });

  test('another name of a host that is slow to say its first word is no host that nobody asked', (t) => withTime([2_000, 6_000, 6_000], async (timeoutMs) => {
    const host = await mailHost(t, known);
    const sockets = await firstHost(t, host.port, answers(known));
    const twins: Dns = (asked) => (asked.name === 'twin.net' && asked.type === 'A' ? { answers: [a('twin.net', '127.0.0.9')] } : muteBefore('twin.net')(asked));
    const { one } = await world(t, { smtp: true, smtpPort: host.port }, twins);
    const { reason, smtp } = await one('jane@acme.com', null, timeoutMs);
    assert.deepEqual([reason, smtp?.attempted, sockets.length], ['SMTP_TIMEOUT', true, 1]);
  }));
});
