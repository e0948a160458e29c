import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import { monotonicMs } from '../../src/lib/clock.ts';
import type { SessionFindings } from '../../src/validate/smtp/findings.ts';
import { runSession } from '../../src/validate/smtp/session.ts';
import { until } from '../support/until.ts';
import { withTime } from '../support/with_time.ts';
import { polite, scriptSmtp, type Answering, type ScriptedSmtp } from './support/smtp_script.ts';

type Asked = { readonly timeoutMs?: number; readonly recipients?: readonly string[]; readonly addresses?: readonly string[]; readonly known?: readonly string[] };

function session(port: number, { timeoutMs = 30_000, recipients = ['jane@acme.com'], addresses = ['127.0.0.1'], known = [] }: Asked = {}): Promise<SessionFindings> {
  return runSession({
    host: 'mx.acme.com', addresses, port, ownName: 'probe.example.net', known: new Set(known), connectMs: timeoutMs,
    endsMs: monotonicMs() + timeoutMs, overtimeMs: 0, leaving: new AbortController().signal,
    recipients: recipients.map((address) => ({ address, domain: address.slice(address.lastIndexOf('@') + 1), utf8: /[^\x00-\x7f]/.test(address) })),
  });
}

async function host(t: TestContext, answering: Answering, banner?: string | null): Promise<ScriptedSmtp> {
  const server = await scriptSmtp(answering, banner);
  t.after(() => server.close());
  return server;
}

async function classOf(t: TestContext, answering: Answering, banner?: string | null, asked?: Asked): Promise<string> {
  const { port } = await host(t, answering, banner);
  return (await session(port, asked)).recipients[0]!.class;
}

const onlyJane = (address: string): string => (address === 'jane@acme.com' ? '250 2.1.5 ok\r\n' : '550 5.1.1 user unknown\r\n');

suite('dialogues with mail hosts', { concurrency: 8 }, () => {
  test('a real recipient is asked first, then a random one, and never any mail', async (t) => {
    const server = await host(t, polite(onlyJane));
    const found = await session(server.port);
    assert.deepEqual(found.recipients, [{ class: 'accepted', code: 250, enhanced: '2.1.5' }]);
    assert.deepEqual([...found.catchAll], [['acme.com', false]]);
    await until(() => server.lines.at(-1) === 'QUIT');
    const verbs = server.lines.map((line) => line.replace(/<[0-9a-f]{18}@/, '<random@'));
    assert.deepEqual(verbs, ['EHLO probe.example.net', 'MAIL FROM:<>', 'RCPT TO:<jane@acme.com>', 'RCPT TO:<random@acme.com>', 'QUIT']);
  });

  test('a host that takes a random name takes any', async (t) => {
    const { port } = await host(t, polite(() => '250 ok\r\n'));
    assert.deepEqual([...(await session(port)).catchAll], [['acme.com', true]]);
  });

  test('a random name is not tried where the real one was refused, or the answer is known', async (t) => {
    const refusing = await host(t, polite(() => '550 5.1.1 user unknown\r\n'));
    assert.equal((await session(refusing.port)).recipients[0]!.class, 'mailbox_not_found');
    assert.equal(refusing.lines.filter((line) => line.startsWith('RCPT')).length, 1);
    const taking = await host(t, polite(() => '250 ok\r\n'));
    await session(taking.port, { known: ['acme.com'] });
    assert.equal(taking.lines.filter((line) => line.startsWith('RCPT')).length, 1);
  });

  for (const reply of ['451 4.7.1 try again later', '550 5.7.1 temporarily rejected, try again later']) {
    test(`a random name that is put off leaves the question open: ${reply}`, async (t) => {
      const { port } = await host(t, polite((address) => (address === 'jane@acme.com' ? '250 ok\r\n' : `${reply}\r\n`)));
      const found = await session(port);
      assert.equal(found.recipients[0]!.class, 'accepted');
      assert.equal(found.catchAll.size, 0);
    });
  }

  for (const offers of [[], ['PIPELINING']]) {
    test(`domains go in transactions of their own, real names before random ones${offers.length > 0 ? ', pipelined too' : ''}`, async (t) => {
      let domain = '';
      const server = await host(t, (line, socket) => {
        if (line === 'RSET' || line.startsWith('MAIL')) domain = '';
        return polite((address) => {
          const its = address.slice(address.indexOf('@') + 1);
          domain ||= its;
          if (its !== domain) return '451-4.3.0 Multiple destination domains per transaction is unsupported. Please\r\n451 4.3.0 try again.\r\n';
          return its === 'any.com' ? '250 ok\r\n' : onlyJane(address.replace(its, 'acme.com'));
        }, offers)(line, socket);
      });
      const found = await session(server.port, { recipients: ['jane@acme.com', 'jane@any.com', 'joe@acme.com', 'jane@other.com', 'joe@dead.com'] });
      assert.deepEqual(found.recipients.map((one) => one?.class), ['accepted', 'accepted', 'mailbox_not_found', 'accepted', 'mailbox_not_found']);
      assert.deepEqual([...found.catchAll].toSorted(), [['acme.com', false], ['any.com', true], ['other.com', false]]);
      const named = server.lines.filter((line) => line.startsWith('RCPT'));
      assert.deepEqual(named.map((line) => /<[0-9a-f]{18}@/.test(line)), [false, false, false, false, false, true, true, true]);
    });

    test(`recipients that find no room in a transaction go in the next${offers.length > 0 ? ', pipelined too' : ''}`, async (t) => {
      let count = 0;
      const server = await host(t, (line, socket) => {
        if (line.startsWith('MAIL')) count = 0;
        return polite((address) => ((count += 1) > 3 ? '452 4.5.3 Too many recipients\r\n' : onlyJane(address)), offers)(line, socket);
      });
      const names = Array.from({ length: 7 }, (_, index) => `joe${index}@acme.com`);
      const found = await session(server.port, { recipients: [...names, 'jane@acme.com'] });
      assert.deepEqual(found.recipients.map((one) => one?.class), [...names.map(() => 'mailbox_not_found'), 'accepted']);
      assert.deepEqual([found.refusal, [...found.catchAll]], [null, [['acme.com', false]]]);
      const none = await host(t, polite(() => '452 4.5.3 Too many recipients\r\n', offers));
      assert.equal((await session(none.port, { recipients: names })).refusal?.class, 'rate_limited');
      assert.equal(none.lines.filter((line) => line.startsWith('MAIL')).length, 1);
    });
  }

  test('a random name that finds no room in a transaction goes in the next, and sends nobody away', async (t) => {
    for (const [offers, refusal] of [[[], '452 4.5.3 Too many recipients'], [['PIPELINING'], '552 Too many recipients'], [[], '451 4.5.3 Too many recipients: Too many recipients']] as const) {
      let count = 0;
      const server = await host(t, (line, socket) => {
        if (line.startsWith('MAIL')) count = 0;
        return polite((address) => ((count += 1) > 1 ? `${refusal}\r\n` : onlyJane(address)), offers)(line, socket);
      });
      const found = await session(server.port, { recipients: ['jane@acme.com', 'joe@acme.com'] });
      assert.deepEqual(found.recipients.map((one) => one?.class), ['accepted', 'mailbox_not_found']);
      assert.deepEqual([found.refusal, [...found.catchAll]], [null, [['acme.com', false]]]);
    }
  });

  test('a mailbox that gets too much for now sends nobody away', async (t) => {
    const { port } = await host(t, polite((address) => (address.startsWith('busy@') ? '450 4.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages\r\n' : onlyJane(address))));
    const found = await session(port, { recipients: ['busy@acme.com', 'jane@acme.com', 'joe@acme.com'] });
    assert.deepEqual([found.recipients.map((one) => one?.class), found.refusal], [['rate_limited', 'accepted', 'mailbox_not_found'], null]);
  });

  test('commands are pipelined where that is offered', async (t) => {
    const server = await host(t, polite(onlyJane, ['PIPELINING']));
    const found = await session(server.port, { recipients: ['jane@acme.com', 'joe@acme.com'] });
    assert.deepEqual(found.recipients.map((one) => one?.class), ['accepted', 'mailbox_not_found']);
  });

  test('what a slow host says of the first names is heard though it hands nothing over while it has more to read', (t) => withTime([300, 1_000], async (slowMs) => {
    let owed = 0;
    const answering: Answering = (line, socket) => {
      if (!line.startsWith('RCPT')) return polite(onlyJane, ['PIPELINING'])(line, socket);
      owed += 1;
      if (owed === 1) setImmediate(() => setTimeout(() => socket.write('550 5.1.1 user unknown\r\n'.repeat(owed), () => { owed = 0; }), owed * slowMs));
      return null;
    };
    const server = await host(t, answering);
    const names = Array.from({ length: 9 }, (_, index) => `person${index}@acme.com`);
    const found = await session(server.port, { recipients: names, timeoutMs: 8 * slowMs });
    assert.equal(found.recipients[0]!.class, 'mailbox_not_found');
  }));

  test('HELO serves where EHLO is not known', async (t) => {
    assert.equal(await classOf(t, (line) => (line.startsWith('EHLO') ? '502 what?\r\n' : polite(onlyJane)(line, null as never))), 'accepted');
  });

  test('encryption is used where offered, and plain text where it breaks', async (t) => {
    const broken = await host(t, (line, socket) => (line === 'STARTTLS' ? '220 go\r\n' : /^[\x20-\x7e]*$/.test(line) ? polite(onlyJane, ['STARTTLS'])(line, socket) : 'cut'));
    assert.equal((await session(broken.port)).recipients[0]!.class, 'accepted');
    assert.equal(broken.connections(), 2);
    const only = await host(t, (line, socket) => (line === 'STARTTLS' ? '220 go\r\n250 forged\r\n' : polite(onlyJane, ['STARTTLS'])(line, socket)));
    await session(only.port);
    assert.equal(only.connections(), 2);
  });

  test('a host that insists on the encryption that broke there does not refuse us', async (t) => {
    for (const go of ['220 go\r\nno handshake', '454 4.7.0 not now\r\n']) {
      const insists = await host(t, (line, socket) => (line === 'STARTTLS' ? go : line.startsWith('MAIL') ? '530 5.7.0 Must issue a STARTTLS command first\r\n' : polite(onlyJane, ['STARTTLS'])(line, socket)));
      const found = await session(insists.port);
      assert.deepEqual([found.recipients[0]!.class, found.refusal], ['tls_failed', null]);
    }
  });

  test('a handshake that took the time of the plain way is no broken encryption', async (t) => {
    let secured = false;
    const slow = await host(t, (line, socket) => {
      if (line === 'STARTTLS') secured = true;
      else if (secured) return null;
      return line === 'STARTTLS' ? '220 go\r\n' : polite(onlyJane, ['STARTTLS'])(line, socket);
    });
    assert.deepEqual([(await session(slow.port, { timeoutMs: 1_500 })).recipients[0]!.class, slow.connections()], ['timeout', 2]);
  });

  for (const [title, wanted, rcpt] of [
    ['a full mailbox exists', 'mailbox_full', '552 5.2.2 over quota\r\n'],
    ['a mailbox that is switched off is told so', 'mailbox_disabled', '550 5.2.1 account disabled\r\n'],
    ['greylisting asks to come back', 'greylisted', '451 4.7.1 Greylisted, please try again later\r\n'],
    ['a block is ours, not the mailbox\'s', 'blocked', '550 5.7.1 Client host rejected: blocked using a blocklist\r\n'],
    ['a policy answer says nothing of the mailbox', 'policy', '550 5.7.1 not today\r\n'],
    ['several lines are one answer', 'mailbox_not_found', '550-5.1.1 no such\r\n550 5.1.1 user\r\n'],
  ] as const) test(title, async (t) => assert.equal(await classOf(t, polite(() => rcpt)), wanted));

  for (const [title, wanted, answering, banner] of [
    ['a silent host runs out of time', 'timeout', () => null, null],
    ['a host that stops answering runs out of time', 'timeout', polite(() => null), undefined],
    ['garbage is no SMTP', 'protocol', () => 'hello there\r\n', 'HTTP/1.1 400 Bad Request\r\n\r\n'],
    ['a line of a megabyte is cut off', 'protocol', () => null, '220 ' + 'x'.repeat(1_048_576)],
    ['replies without end are cut off', 'protocol', polite(() => '250-more\r\n'.repeat(100)), undefined],
    ['lines of one reply must have one code', 'protocol', polite(() => '250-a\r\n550 b\r\n'), undefined],
    ['a host that hangs up in the middle has a passing trouble', 'tempfail', polite(() => 'cut'), undefined],
    ['a banner that sends us away is a block', 'blocked', () => null, '554 5.7.1 go away\r\n'],
    ['a banner that is too busy says come later', 'rate_limited', () => null, '421 too busy\r\n'],
    ['a refused sender is a block, whatever its words', 'blocked', (line: string) => (line.startsWith('MAIL') ? '550 5.1.1 user unknown\r\n' : '250 ok\r\n'), undefined],
  ] as const) test(title, async (t) => assert.equal(await classOf(t, answering, banner, wanted === 'timeout' ? { timeoutMs: 600 } : {}), wanted));

  test('nobody there is no verdict, and the next address is tried', async (t) => {
    const { port } = await host(t, polite(onlyJane));
    assert.equal((await session(1)).recipients[0]!.class, 'connect_failed');
    assert.equal((await session(port, { addresses: ['127.0.0.9', '127.0.0.1'] })).recipients[0]!.class, 'accepted');
  });

  test('a host none of whose addresses says a word is not there, though the second was not waited for as long as the first', async (t) => {
    const { port } = await host(t, () => null, null);
    assert.equal((await session(port, { addresses: ['127.0.0.1', '127.0.0.1'], timeoutMs: 13_000 })).recipients[0]!.class, 'connect_failed');
  });

  for (const [title, answering, banner] of [
    ['before its command', polite((address) => `${onlyJane(address)}`), '220 mx.acme.com ESMTP\r\n220 mx.acme.com ESMTP\r\n'],
    ['twice to one command', (line: string, socket: never) => (line.startsWith('MAIL') ? '250 ok\r\n250 ok\r\n' : polite(onlyJane)(line, socket)), undefined],
    ['twice to one recipient', polite((address) => onlyJane(address).repeat(2)), undefined],
    ['in part before its command', (line: string, socket: never) => (line.startsWith('MAIL') ? '250 ok\r\n2' : polite(onlyJane)(line, socket)), undefined],
    ['to QUIT that is one to a recipient', (line: string, socket: never) => (line === 'QUIT' ? '250 2.1.5 ok\r\n' : polite(onlyJane)(line, socket)), undefined],
  ] as const) test(`a reply ${title} leaves no mailbox with that of another`, async (t) => {
    const { port } = await host(t, answering as Answering, banner);
    const found = await session(port, { recipients: ['nobody@acme.com', 'jane@acme.com'] });
    assert.deepEqual([found.recipients.map((one) => one?.class), found.catchAll.size, found.refusal], [['protocol', 'protocol'], 0, null]);
  });

  for (const bye of ['221 2.0.0 bye\r\n221 2.0.0 bye\r\n', '421 4.3.2 going down\r\n']) test(`a host whose farewell is ${JSON.stringify(bye)} is believed`, async (t) => {
    const { port } = await host(t, (line, socket) => (line === 'QUIT' ? bye : polite(onlyJane)(line, socket)));
    const found = await session(port);
    assert.deepEqual([found.recipients[0]!.class, [...found.catchAll]], ['accepted', [['acme.com', false]]]);
  });

  test('a farewell that came before its command is heard', async (t) => {
    const { port } = await host(t, (line, socket) => (line.startsWith('MAIL') ? '250 ok\r\n421 4.4.2 idle for too long\r\n' : polite(onlyJane)(line, socket)));
    assert.deepEqual((await session(port)).recipients, [{ class: 'rate_limited', code: 421, enhanced: '4.4.2' }]);
  });

  test('a tarpit holds us no longer than the deadline', async (t) => {
    const { port } = await host(t, (_line, socket) => {
      const timer = setInterval(() => socket.write('2'), 50);
      socket.on('close', () => clearInterval(timer));
      return null;
    });
    const startMs = performance.now();
    assert.equal((await session(port, { timeoutMs: 400 })).recipients[0]!.class, 'timeout');
    assert.ok(performance.now() - startMs < 30_000);
  });

  test('a host that wants no more is left, and who was not asked yet gets the same answer', async (t) => {
    const server = await host(t, polite(() => '421 4.7.0 too many\r\n'));
    const found = await session(server.port, { recipients: ['a@acme.com', 'b@acme.com', 'c@acme.com'] });
    assert.deepEqual(found.recipients.map((one) => one?.class), ['rate_limited', 'rate_limited', 'rate_limited']);
    assert.deepEqual(found.refusal, { class: 'rate_limited', code: 421, enhanced: '4.7.0' });
    assert.equal(server.lines.filter((line) => line.startsWith('RCPT')).length, 1);
  });

  test('what is said to a random name in farewell is told of us, and nothing more is asked', async (t) => {
    for (const [reply, wanted] of [['421 4.2.2 over quota', 'tempfail'], ['450 4.7.1 too many recipients', 'rate_limited'], ['554 5.7.1 your ip is on a blocklist', 'blocked']] as const) {
      const server = await host(t, polite((address) => (/^(?:jane|joe)@/.test(address) ? onlyJane(address) : `${reply}\r\n`)));
      const found = await session(server.port, { recipients: ['jane@acme.com', 'jane@other.com', 'joe@acme.com'] });
      assert.equal(found.refusal?.class, wanted);
      assert.deepEqual(found.recipients.map((one) => one?.class), ['accepted', 'mailbox_not_found', 'mailbox_not_found']);
      assert.equal(server.lines.filter((line) => line.startsWith('RCPT')).length, 4);
    }
  });

  test('an international address needs a host that takes them, and is sent in a transaction of its own', async (t) => {
    const plain = await host(t, polite(() => '250 ok\r\n'));
    assert.deepEqual((await session(plain.port, { recipients: ['j\u00f6rg@acme.com', 'jane@acme.com'] })).recipients.map((one) => one?.class), ['utf8_unsupported', 'accepted']);
    const modern = await host(t, polite(() => '250 ok\r\n', ['SMTPUTF8']));
    assert.equal((await session(modern.port, { recipients: ['j\u00f6rg@acme.com'] })).recipients[0]!.class, 'accepted');
    assert.ok(modern.lines.includes('MAIL FROM:<> SMTPUTF8'));
  });

  test('a host that offers to take international addresses and does not says so of them alone', async (t) => {
    for (const refusal of ['553 5.6.7 no international addresses', '555 5.5.4 Unsupported option: SMTPUTF8']) {
      for (const offers of [['SMTPUTF8'], ['SMTPUTF8', 'PIPELINING']]) {
        const server = await host(t, (line, socket) => (/^MAIL .*SMTPUTF8$/.test(line) ? `${refusal}\r\n` : polite((address) => (/^[\x00-\x7f]*$/.test(address) ? onlyJane(address) : '503 5.5.1 MAIL first\r\n'), offers)(line, socket)));
        const found = await session(server.port, { recipients: ['j\u00f6rg@acme.com', 'jane@acme.com', 'p\u00e4r@acme.com'] });
        assert.deepEqual(found.recipients.map((one) => one?.class), ['utf8_unsupported', 'accepted', 'utf8_unsupported']);
        assert.deepEqual([found.refusal, [...found.catchAll]], [null, [['acme.com', false]]]);
      }
    }
  });

  test('a domain is asked of a random name by a host that takes no international address, though one stood beside the real one', async (t) => {
    for (const offers of [[], ['SMTPUTF8'], ['SMTPUTF8', 'PIPELINING']]) {
      const server = await host(t, (line, socket) => {
        if (/^MAIL .*SMTPUTF8$/.test(line)) return '501 5.5.4 Unsupported option\r\n';
        return polite((address) => (address.startsWith('jane@') ? '250 2.1.5 ok\r\n' : '550 5.1.1 user unknown\r\n'), offers)(line, socket);
      });
      const found = await session(server.port, { recipients: ['jane@acme.com', 'jane@other.com', 'j\u00f6rg@acme.com'] });
      assert.deepEqual(found.recipients.map((one) => one?.class), ['accepted', 'accepted', 'utf8_unsupported']);
      assert.deepEqual([found.refusal, [...found.catchAll].toSorted()], [null, [['acme.com', false], ['other.com', false]]]);
    }
  });

  test('no line break reaches the wire', async (t) => {
    const server = await host(t, polite(() => '250 ok\r\n'));
    await assert.rejects(session(server.port, { recipients: ['a\r\nDATA@acme.com'] }), /one line/);
    assert.ok(!server.lines.some((line) => line.startsWith('DATA')));
  });
});

/** By itself: it holds up all others. */
test('a handshake that was still under way when the time was over is no broken encryption', async (t) => {
  const endsMs = monotonicMs() + 500;
  const slow = await host(t, (line, socket) => {
    if (line !== 'STARTTLS') return polite(onlyJane, ['STARTTLS'])(line, socket);
    socket.once('data', () => { while (monotonicMs() <= endsMs + 10); });
    return '220 go\r\n';
  });
  assert.equal((await session(slow.port, { timeoutMs: endsMs - monotonicMs() })).recipients[0]!.class, 'timeout');
});
