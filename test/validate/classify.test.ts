import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { classify, classifyRefusal, refusesName, sendsAway } from '../../src/validate/smtp/classify.ts';
import { ReplyReader, replyOf, SmtpFault, type Reply } from '../../src/validate/smtp/reply.ts';

type Row = { readonly reply: string; readonly reason: string; readonly note: string };
const ROWS = JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', '..', 'test', 'fixtures', 'email', 'smtp-replies.json'), 'utf8')) as Row[];

const DEAD = new Set(['mailbox_not_found', 'mailbox_disabled', 'moved']);
const ABOUT_MAILBOX = new Set(['userunknown', 'suspend', 'hasmoved']);

/** Bounce mails hold the lines of a reply joined, and some put words of their own before it. */
function unwrapped({ reply }: Row): Reply {
  const [, innerCode, inner] = /(\d{3})-'(.*)'/.exec(reply) ?? [];
  if (inner !== undefined) return replyOf(Number(innerCode), [inner]);
  const said = reply.replace(/^220-\S+ (?=\d{3} )/, '');
  const code = said.slice(0, 3);
  return replyOf(Number(code), said.slice(4).split(new RegExp(` ${code}[- ]`)));
}

const judged = ROWS.map((row) => ({ ...row, found: classify(unwrapped(row)) }));

test('of real rejections for other reasons none is called a missing mailbox, but for two that say "Unknown user"', () => {
  const wrong = judged.filter(({ reason, found }) => !ABOUT_MAILBOX.has(reason) && reason !== 'filtered' && DEAD.has(found));
  assert.deepEqual(wrong.map(({ reply }) => reply.startsWith('550 Unknown user')), [true, true]);
});

test('of real rejections that concern the mailbox all are found, but for one that is temporary', () => {
  const missed = judged.filter(({ reason, found }) => ABOUT_MAILBOX.has(reason) && !DEAD.has(found));
  assert.deepEqual(missed.map(({ reply }) => /temporary locked/.test(reply)), [true]);
});

const BOUNCES = (JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', '..', 'test', 'fixtures', 'email', 'bounces.json'), 'utf8')) as readonly Omit<Row, 'note'>[])
  .map(({ reply, reason }) => ({ reply, reason, found: classify(replyOf(Number(reply.slice(0, 3)), [reply.slice(4)])) }));

test('of replies from other collections none that has another cause is called a missing mailbox', () => {
  const others = BOUNCES.filter(({ reason }) => !ABOUT_MAILBOX.has(reason));
  assert.equal(others.length, 79);
  assert.deepEqual(others.filter(({ found }) => DEAD.has(found)), []);
});

test('of replies from other collections that concern the mailbox most are found, and the rest says nothing', () => {
  const about = BOUNCES.filter(({ reason }) => ABOUT_MAILBOX.has(reason));
  assert.equal(about.length, 58);
  const missed = about.filter(({ found }) => !DEAD.has(found));
  assert.ok(missed.length <= 21, missed.map(({ reply }) => reply).join('\n'));
  assert.deepEqual([...new Set(missed.map(({ found }) => found))], ['policy']);
});

test('real replies about quota, blocks, relaying and speed have their own classes', () => {
  const wanted: Record<string, string> = { mailboxfull: 'mailbox_full', norelaying: 'relay_denied', requireptr: 'blocked', authfailure: 'blocked' };
  for (const { reason, found, note } of judged) if (wanted[reason] !== undefined) assert.equal(found, wanted[reason], note);
});

const CASES: readonly (readonly [code: number, text: string, is: string])[] = [
  [250, '2.1.5 ok', 'accepted'], [251, 'will forward', 'accepted'], [252, 'cannot verify', 'not_decidable'],
  [450, '4.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages', 'rate_limited'],
  [550, '5.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages', 'rate_limited'],
  [450, '4.1.1 <a@b.c>: Recipient address rejected: unverified address', 'tempfail'], [550, '5.1.1 <spam@b.c>: Recipient address rejected: User unknown', 'mailbox_not_found'],
  [550, '5.7.1 Service unavailable, client host [192.0.2.1] blocked using Spamhaus', 'blocked'], [550, '5.7.1 Recipient unknown or access denied', 'policy'],
  [551, 'user not local; please try elsewhere', 'moved'], [556, 'domain does not accept mail', 'mailbox_not_found'], [452, '4.2.2 mailbox full', 'mailbox_full'],
  [550, '5.1.2 host unknown', 'relay_denied'], [550, '5.1.2 Mailbox does not exist.', 'mailbox_not_found'], [550, '5.1.2 Relay not allowed.', 'relay_denied'], [550, 'relaying denied', 'relay_denied'], [550, '5.6.7 no international addresses', 'utf8_unsupported'], [451, '4.3.0 local error', 'tempfail'],
  [451, 'Greylisted for 300 seconds', 'greylisted'], [450, '4.7.1 come back', 'greylisted'], [421, '4.3.2 closing', 'rate_limited'], [550, 'Requested action not taken: mailbox unavailable', 'policy'],
  [550, 'No such user here', 'mailbox_not_found'], [550, '5.5.0 mailbox not found', 'mailbox_not_found'], [550, '5.3.0 no such user', 'policy'],
  [553, '5.3.0 <jo@b.c>... No such user here', 'mailbox_not_found'], [553, '5.3.0 <jo@b.c>... Domain is not served here', 'policy'], [524, '5.2.4 Mailing list expansion problem: <jo@b.c>', 'mailbox_not_found'], [424, '4.2.4 Mailing list expansion problem: <jo@b.c>', 'tempfail'], [554, 'Sender address rejected: unknown user', 'blocked'],
  [550, 'locked', 'policy'], [354, 'go on', 'protocol'], [221, 'bye', 'protocol'], [220, 'welcome', 'protocol'], [550, '5.1.1 Sender verification failed: user unknown', 'blocked'],
  [550, '5.1.1 Mailbox temporarily unavailable', 'policy'], [550, '5.1.1 Mailbox unavailable', 'mailbox_not_found'], [450, '4.7.0 Gray listing in effect', 'greylisted'],
  [421, '4.7.0 connection quota exceeded', 'rate_limited'], [452, '4.3.1 server out of disk storage', 'tempfail'], [552, '5.2.0 quota exceeded', 'mailbox_full'], [552, '5.1.1 <jo@b.c> recipient rejected - extended quota violation', 'mailbox_full'], [552, '5.1.1 mailbox not found', 'mailbox_not_found'],
  [550, '5.2.1 Address <jo@b.c>... disabled', 'mailbox_disabled'], [550, '5.1.1 Recipient address <jo@b.c>... rejected', 'mailbox_not_found'], [550, 'Recipient address feed.cafe is disabled', 'mailbox_disabled'],
];

test('codes and words together decide', () => {
  for (const [code, text, is] of CASES) assert.equal(classify(replyOf(code, [text])), is, `${code} ${text}`);
});

const OF_SENDERS: readonly (readonly [code: number, text: string, is: string])[] = [
  [554, '5.7.1 Your email address has been blocked', 'blocked'], [550, 'Your e-mail address is blocked by the recipient', 'blocked'],
  [550, 'Email from this address is blocked', 'blocked'], [550, '5.7.1 The address you are sending from has been blocked', 'blocked'],
  [550, '5.7.1 Email address has been blocked due to abuse', 'policy'], [551, '5.7.1 Message refused by policy', 'policy'],
  [550, 'The IP address 192.0.2.1 has been blocked', 'blocked'], [554, 'IP address [192.0.2.1] is blocked', 'blocked'], [554, 'Address (2001:db8::1) is blocked', 'blocked'], [554, 'IP ::ffff:192.0.2.1 is listed', 'blocked'],
  [550, '5.2.1 Service unavailable, [acme.com] does not accept email over IPv6.', 'policy'],
  [551, '5.7.1 This message has been blocked', 'policy'], [551, '5.3.0 Unknown error', 'policy'], [552, '5.1.1 <jo@b.c> Mailbox delivery failure policy error', 'policy'], [551, "sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)", 'relay_denied'],
];

test('a host that has heard too many names that nobody has says nothing of the last one', () => {
  for (const text of ['REJECTED - Too many failed recipients - count = 4', '"Number of failed recipients exceeded.  Come back in a few hours."']) {
    const reply = replyOf(550, [text]);
    assert.deepEqual([classify(reply), refusesName(reply), sendsAway(reply, classify(reply))], ['rate_limited', false, true], text);
  }
  assert.equal(classify(replyOf(550, ['The account is locked after too many failed login attempts'])), 'mailbox_disabled', 'nor is it of us how often a mailbox was tried');
});

test('what is blocked, or refused by policy, makes no mailbox dead, whatever stands beside those words', () => {
  for (const [code, text, is] of OF_SENDERS) assert.equal(classify(replyOf(code, [text])), is, `${code} ${text}`);
  for (const text of ['Account is blocked', '5.2.0 The recipient account has been blocked']) assert.equal(classify(replyOf(550, [text])), 'mailbox_disabled', text);
});

test('what is unknown of the sender, or of the cause, makes no mailbox unknown', () => {
  for (const text of ['Recipient rejected: unknown error', '5.0.0 Mailbox unavailable for an unknown reason', 'To this recipient nothing by unknown senders']) assert.equal(classify(replyOf(550, [text])), 'policy', text);
  for (const text of ['Recipient unknown', 'User <jo@acme.com> unknown, error 17']) assert.equal(classify(replyOf(550, [text])), 'mailbox_not_found', text);
});

test('a host that does not serve the domain of a recipient says nothing of the mailbox', () => {
  const texts = [
    'unknown recipient domain', '5.1.1 Unknown recipient domain.', '5.1.1 Recipient domain not allowed: acme.com', '5.1.1 Recipient domain not accepted here',
    'Recipient domain not found or not configured for receiving', "5.1.1 <jo@acme.com> recipient's domain is unknown", '5.1.1 Recipient domain does not exist',
  ];
  for (const text of texts) assert.equal(classify(replyOf(550, [text])), 'relay_denied', text);
  for (const text of ['Recipient not found in domain acme.com', '5.1.1 Unknown recipient, domain acme.com']) assert.equal(classify(replyOf(550, [text])), 'mailbox_not_found', text);
});

test('who is told to look at the address that he wrote is not blocked', () => {
  for (const text of ['Mailbox not found. Please check your email address', '5.1.1 Mailbox unavailable, please verify your e-mail address']) assert.equal(classify(replyOf(550, [text])), 'mailbox_not_found', text);
});

test('of GMX and its sisters the case behind the link tells a mailbox that is not there from a sender who is not wanted', () => {
  const said = (code: number, caseName: string, ...reasons: readonly string[]): string =>
    classify(replyOf(code, ['Requested action not taken: mailbox unavailable', ...reasons, `For explanation visit https://postmaster.web.de/en/case?c=${caseName}&i=ip&v=192.0.2.1&r=1N6a0i-1wlEnE2roU-012Max`]));
  assert.equal(said(550, 'r1601'), 'mailbox_not_found');
  assert.equal(said(550, 'r1102', 'Reject due to policy restrictions.'), 'policy');
  assert.equal(said(550, 'r1102'), 'policy');
  assert.equal(said(550, 'r1601', 'invalid DNS MX or A/AAAA resource record'), 'policy', 'what is not known to be said of a mailbox is not taken for that');
  assert.equal(said(450, 'r1602'), 'tempfail');
});

test('a host that asked another one is taken to say what that one said', () => {
  const relayed = (code: number, enhanced: string, of: string, said: string): Reply =>
    replyOf(code, [`${enhanced} <jo@acme.com>: Recipient address rejected: ${of} address: host 192.0.2.1[192.0.2.1] said: ${said} (in reply to RCPT TO command)`]);
  const undeliverable = (said: string): string => classify(relayed(550, '5.1.1', 'undeliverable', said));
  assert.equal(undeliverable('554 5.7.1 Message rejected, contact the administrator'), 'policy');
  assert.equal(undeliverable('550 5.7.1 Client host [192.0.2.2] blocked using a list'), 'blocked');
  assert.equal(undeliverable('550 5.1.1 No such user'), 'mailbox_not_found');
  assert.equal(undeliverable('550-5.1.1 The account does not exist. 550 5.1.1 See elsewhere'), 'mailbox_not_found');
  assert.equal(undeliverable('552 5.2.2 mailbox full'), 'mailbox_full');
  assert.equal(classify(relayed(450, '4.1.1', 'unverified', '452 4.2.2 full')), 'mailbox_full');
  assert.equal(classify(replyOf(550, ['5.1.1 <jo@acme.com>: Recipient address rejected: undeliverable address: unknown user: "jo"'])), 'mailbox_not_found');
});

test('of Exim too, which asked another one, that one is heard', () => {
  const of = (...lines: readonly string[]): string => classify(replyOf(550, ['Callout verification failed:', ...lines]));
  assert.equal(of('550 5.7.1 Recipient unknown or access denied'), 'policy');
  assert.equal(of('550-5.1.1 The account cannot be reached.', '550 5.1.1 See elsewhere'), 'mailbox_not_found');
  assert.equal(of('550 5.2.1 off'), 'mailbox_disabled');
  assert.equal(of('552 5.2.2 mailbox full'), 'mailbox_full');
});

test('a block of the host that asked another one is no block of ours', () => {
  const blocked = '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using a list';
  const away = (...lines: readonly string[]): boolean => {
    const reply = replyOf(550, lines);
    assert.equal(classify(reply), 'blocked');
    return sendsAway(reply, 'blocked');
  };
  assert.equal(away(blocked.slice(4)), true);
  assert.equal(away('Callout verification failed:', blocked), false);
  assert.equal(away(`5.1.1 <jo@acme.com>: Recipient address rejected: undeliverable address: host 192.0.2.2[192.0.2.2] said: ${blocked} (in reply to RCPT TO command)`), false);
});

test('a refusal before any recipient says nothing of a mailbox', () => {
  assert.equal(classifyRefusal(replyOf(550, ['5.1.1 user unknown'])), 'blocked');
  assert.equal(classifyRefusal(replyOf(450, ['4.2.2 mailbox full'])), 'tempfail');
  assert.equal(classifyRefusal(replyOf(250, ['ok'])), 'protocol');
});

test('a classifier meets any text in a moment', () => {
  for (const unit of ['user ', 'account is ', '<', 'a@b ', 'over quota ', 'ip address ', 'x']) {
    const startMs = performance.now();
    classify(replyOf(550, [unit.repeat(2_048 * 64 / unit.length)]));
    assert.ok(performance.now() - startMs < 1_000, unit);
  }
});

test('replies are read from any slicing of their bytes', () => {
  const bytes = Buffer.from('250-2.1.0 first\r\n250 2.1.0 last\r\n550 5.1.1 no\r\n');
  for (let size = 1; size <= bytes.length; size++) {
    const reader = new ReplyReader();
    const replies: Reply[] = [];
    for (let at = 0; at < bytes.length; at += size) replies.push(...reader.push(bytes.subarray(at, at + size)));
    assert.deepEqual(replies.map(({ code, enhanced }) => [code, enhanced]), [[250, '2.1.0'], [550, '5.1.1']]);
    assert.equal(reader.pending, false);
  }
});

test('what is no reply is a fault', () => {
  for (const text of ['hello\r\n', '99 x\r\n', '650 x\r\n', '250-a\r\n251 b\r\n', '250-a\r\n'.repeat(65), 'x'.repeat(2_049)]) {
    assert.throws(() => new ReplyReader().push(Buffer.from(text)), SmtpFault, text.slice(0, 20));
  }
});
