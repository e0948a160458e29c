import assert from 'node:assert/strict';
import { test } from 'node:test';
import { takeOwnEmails } from '../../src/accounts/first_keys.ts';
import { ensureAccount } from '../../src/accounts/issue.ts';
import { makePasswords } from '../../src/accounts/password.ts';
import { LIMITS } from '../../src/config/limits.ts';
import { PASSWORD, people } from './people.ts';
import { AppError } from '../../src/model/errors.ts';

const HOME = '203.0.113.9';
const MINUTE_MS = 60_000;

test('with a valid invite the account is active and the first key is shown; without, it waits', async (t) => {
  const { members, store, invite } = await people(t);
  const active = await members.signUp({ email: ' Jo@Example.com ', password: PASSWORD, invite: ` ${await invite()} ` }, HOME);
  assert.ok(active.kind === 'active');
  assert.match(active.key, /^ldx_[0-9A-Za-z]{38}$/);
  assert.equal((await members.visitor(active.token!))!.account.email, 'jo@example.com');
  assert.deepEqual(await members.signUp({ email: 'ann@example.com', password: PASSWORD, invite: '' }, HOME), { kind: 'waiting' });
  assert.equal((await store.accountByEmail('ann@example.com'))!.status, 'waiting');
});

test('signing up with a known email looks and works as a waiting account, and changes nothing', async (t) => {
  const { members, store, invite, hashed } = await people(t);
  await takeOwnEmails(store, 1);
  await members.signUp({ email: 'jo@example.com', password: PASSWORD, invite: await invite() }, HOME);
  const before = await store.memberByEmail('jo@example.com');
  const hashedBefore = hashed();
  const emails = ['jo@example.com', 'JO@example.com', 'admin@localhost', 'demo@localhost', 'new@example.com'];
  const answers = [];
  for (const email of emails) answers.push(await members.signUp({ email, password: 'another password', invite: '' }, HOME));
  assert.deepEqual(answers, emails.map(() => ({ kind: 'waiting' })));
  assert.equal(hashed() - hashedBefore, emails.length);
  assert.deepEqual(await store.memberByEmail('jo@example.com'), before);
  assert.equal(await members.signIn({ email: 'jo@example.com', password: 'another password' }, HOME), null);
});

test('an invite that does not open is told in one way, whether the email is known or not', async (t) => {
  const { members, store, clock, invite } = await people(t);
  const [spent, expired] = [await invite(), await invite(1, 1)];
  await members.signUp({ email: 'jo@example.com', password: PASSWORD, invite: spent }, HOME);
  clock.pass(24 * 60 * MINUTE_MS);
  const told = new Set<string>();
  for (const email of ['jo@example.com', 'new@example.com']) {
    for (const code of [spent, expired, `ldi_${'0'.repeat(43)}`, 'nonsense']) told.add((await members.signUp({ email, password: PASSWORD, invite: code }, HOME)).kind);
  }
  assert.deepEqual([...told], ['bad_invite']);
  assert.equal(await store.accountByEmail('new@example.com'), null);
});

test('an invite opens an account with what came along when it was copied, and nobody sees in the field', async (t) => {
  const { members, invite, arrive } = await people(t);
  const around = (code: string): string => `\ufeff ${code.slice(0, 20)}\u200b${code.slice(20, 30)}\u00ad ${code.slice(30)}\u00a0\u200e`;
  assert.equal((await members.signUp({ email: 'jo@example.com', password: PASSWORD, invite: around(await invite()) }, HOME)).kind, 'active');
  assert.equal((await members.signUp({ email: 'ann@example.com', password: PASSWORD, invite: '\u200b ' }, HOME)).kind, 'waiting');
  const { visitor } = await arrive('al@example.com', 'waiting');
  assert.match((await members.redeem(visitor, around(await invite())))!, /^ldx_/);
});

test('an invite raced by 50 parallel sign-ups opens exactly one account', async (t) => {
  const { members, store, invite } = await people(t);
  const code = await invite();
  const tries = Array.from({ length: 50 }, async (_, at): Promise<string> => {
    for (;;) {
      try {
        return (await members.signUp({ email: `p${at}@example.com`, password: PASSWORD, invite: code }, `address ${at}`)).kind;
      } catch (error) {
        if (!(error instanceof Error) || !('code' in error) || error.code !== 'overloaded') throw error;
        await new Promise((resolve) => { setTimeout(resolve, 2); });
      }
    }
  });
  const kinds = await Promise.all(tries);
  assert.equal(kinds.filter((kind) => kind === 'active').length, 1);
  assert.equal(kinds.filter((kind) => kind === 'bad_invite').length, 49);
  assert.equal((await store.keys(null, { afterId: null, rowsMax: 99 })).length, 1);
});

test('an invite raced by 50 accounts that wait opens exactly one of them', async (t) => {
  const { members, invite, arrive } = await people(t);
  const code = await invite();
  const visitors = [];
  for (let at = 0; at < 50; at += 1) visitors.push((await arrive(`w${at}@example.com`, 'waiting')).visitor);
  const keys = await Promise.all(visitors.map((visitor) => members.redeem(visitor, code)));
  assert.equal(keys.filter((key) => key !== null).length, 1);
});

test('a password of a wrong length is refused unhashed', async (t) => {
  const { members, hashed } = await people(t);
  for (const password of ['short', 'x'.repeat(129), 'x'.repeat(1_000_000)]) {
    assert.deepEqual(await members.signUp({ email: 'jo@example.com', password, invite: '' }, HOME), { kind: 'bad_password' });
  }
  for (const email of ['nobody', 'a@b c', 'jo\u200b@example.com', 'jo@\u202eexample.com', 'jo\ud800@example.com', 'jo\u0000@example.com', 'jo@acme..com', 'jo@.acme.com', 'jo@acme.com.']) {
    assert.deepEqual(await members.signUp({ email, password: PASSWORD, invite: '' }, HOME), { kind: 'bad_email' }, email);
  }
  assert.equal(hashed(), 0);
});

test('no email reads like another: what no display shows is refused, and an accent is the same however it was typed', async (t) => {
  const { members, store } = await people(t);
  for (const unseen of ['\u034f', '\u115f', '\u3164', '\uffa0', '\u17b4', '\u180b', '\u2800', '\ufe0f', '\u{e0100}']) {
    for (const email of [`jo${unseen}@example.com`, `jo@exam${unseen}ple.com`]) assert.deepEqual(await members.signUp({ email, password: PASSWORD, invite: '' }, email), { kind: 'bad_email' });
  }
  await members.signUp({ email: 'jos\u00e9@example.com', password: PASSWORD, invite: '' }, HOME);
  await members.signUp({ email: 'Jose\u0301@example.com', password: 'another password', invite: '' }, HOME);
  assert.equal((await store.accounts({ afterId: null, rowsMax: 10 })).length, 1);
  assert.notEqual(await members.signIn({ email: 'jose\u0301@example.com', password: PASSWORD }, HOME), null);
});

test('an address is one however its domain is written: in letters, as some browsers send it, or in ASCII, as others do', async (t) => {
  const { members, store } = await people(t);
  await members.signUp({ email: 'J\u00fcrgen@M\u00fcller.example', password: PASSWORD, invite: '' }, HOME);
  await members.signUp({ email: 'j\u00fcrgen@xn--mller-kva.example', password: 'another password', invite: '' }, HOME);
  assert.deepEqual((await store.accounts({ afterId: null, rowsMax: 10 })).map(({ email }) => email), ['j\u00fcrgen@xn--mller-kva.example']);
  for (const email of ['j\u00fcrgen@m\u00fcller.example', 'ju\u0308rgen@XN--mller-kva.example']) assert.notEqual(await members.signIn({ email, password: PASSWORD }, HOME), null);
  assert.deepEqual(await members.signUp({ email: 'jo@exam\u00adple\u00fc.com', password: PASSWORD, invite: '' }, HOME), { kind: 'bad_email' });
});

test('an account whose domain was kept in letters stays the one of its address, in either writing', async (t) => {
  const { members, store } = await people(t);
  const before = { id: 'acc_before', email: 'jo@m\u00fcller.example', plan: 'preview', status: 'waiting', createdMs: 1 } as const;
  await store.addAccount(before);
  await store.setPassword(before.id, await makePasswords({ logN: 4, r: 8, p: 1 }).hash(PASSWORD));
  const ascii = 'jo@xn--mller-kva.example';
  assert.deepEqual(await members.signUp({ email: ascii, password: 'another password', invite: '' }, HOME), { kind: 'waiting' });
  assert.deepEqual(await ensureAccount(store, ascii, { plan: 'standard', status: 'active', nowMs: 2 }), before);
  for (const email of [ascii, before.email]) assert.equal((await members.signIn({ email, password: PASSWORD }, HOME))?.accountId, before.id);
  assert.equal((await store.accounts({ afterId: null, rowsMax: 10 })).length, 1);
});

test('sign-in does not tell which part was wrong: the same answer after the same work', async (t) => {
  const { members, store, arrive, hashed } = await people(t);
  await arrive('jo@example.com');
  await takeOwnEmails(store, 1);
  const before = hashed();
  const wrong = [
    ['jo@example.com', 'another password'], ['nobody@example.com', PASSWORD], ['admin@localhost', PASSWORD], ['no email', PASSWORD],
    ['jo@example.com', 'short'], ['nobody@example.com', 'short'],
  ] as const;
  for (const [email, password] of wrong) assert.equal(await members.signIn({ email, password }, HOME), null);
  assert.equal(hashed() - before, wrong.length);
  assert.notEqual(await members.signIn({ email: 'jo@example.com', password: PASSWORD }, HOME), null);
});

test('whoever guesses at an account locks its owner out neither of signing in elsewhere, nor of what asks for the password again', async (t) => {
  const { members, arrive } = await people(t);
  const { visitor } = await arrive('jo@example.com');
  for (let tries = 0; tries < LIMITS.signInsOfEmailHereMax; tries += 1) assert.equal(await members.signIn({ email: 'jo@example.com', password: 'another password' }, 'of a guesser'), null);
  await assert.rejects(members.signIn({ email: 'jo@example.com', password: PASSWORD }, 'of a guesser'), { code: 'rate_limited' });
  assert.notEqual(await members.signIn({ email: 'jo@example.com', password: PASSWORD }, HOME), null);
  assert.equal((await members.changePassword(visitor, { current: 'another password', next: 'a new password' })).kind, 'wrong');
  for (let tries = 0; tries < LIMITS.signInsOfEmailMax; tries += 1) await members.signIn({ email: 'jo@example.com', password: 'another password' }, `address ${tries}`);
  assert.equal((await members.changePassword(visitor, { current: PASSWORD, next: 'a new password' })).kind, 'changed');
});

test('guessers from everywhere do not keep an owner out of the browser that he signed in with before, and guess there no more often', async (t) => {
  const { members, arrive } = await people(t);
  await arrive('jo@example.com');
  for (let tries = 0; tries < LIMITS.signInsOfEmailMax; tries += 1) await members.signIn({ email: 'jo@example.com', password: 'another password' }, `address ${tries}`);
  await assert.rejects(members.signIn({ email: 'jo@example.com', password: PASSWORD }, HOME), { code: 'rate_limited' });
  assert.notEqual(await members.signIn({ email: 'jo@example.com', password: PASSWORD }, HOME, 'his browser'), null);
  await assert.rejects(members.signIn({ email: 'jo@example.com', password: PASSWORD }, HOME), { code: 'rate_limited' }, 'what was guessed elsewhere still counts');
  for (let tries = 0; tries < LIMITS.signInsOfEmailHereMax; tries += 1) await members.signIn({ email: 'jo@example.com', password: 'another password' }, `home ${tries}`, 'his browser');
  await assert.rejects(members.signIn({ email: 'jo@example.com', password: PASSWORD }, HOME, 'his browser'), { code: 'rate_limited' });
});

test('the password of who is signed in cannot be guessed at for long', async (t) => {
  const { members, arrive, clock } = await people(t);
  const { visitor } = await arrive('jo@example.com');
  for (let tries = 0; tries < LIMITS.passwordsOfAccountMax; tries += 1) assert.equal(await members.deleteAccount(visitor, 'another password'), false);
  await assert.rejects(members.deleteAccount(visitor, PASSWORD), { code: 'rate_limited' });
  await assert.rejects(members.changePassword(visitor, { current: PASSWORD, next: 'a new password' }), { code: 'rate_limited' });
  clock.pass(LIMITS.attemptsWindowMs);
  assert.equal(await members.deleteAccount(visitor, PASSWORD), true);
});

test('sign-in is limited per account, known or not, and per address; a success clears the account', async (t) => {
  const { members, arrive, clock } = await people(t);
  await arrive('jo@example.com');
  for (const email of ['jo@example.com', 'nobody@example.com']) {
    for (let tries = 0; tries < LIMITS.signInsOfEmailMax; tries += 1) await members.signIn({ email, password: 'another password' }, `address ${tries}`);
    await assert.rejects(members.signIn({ email, password: PASSWORD }, 'a new address'), { code: 'rate_limited' });
  }
  clock.pass(LIMITS.attemptsWindowMs);
  assert.notEqual(await members.signIn({ email: 'jo@example.com', password: PASSWORD }, HOME), null);
  for (let tries = 1; tries < LIMITS.signInsOfAddressMax; tries += 1) await members.signIn({ email: `n${tries}@example.com`, password: PASSWORD }, HOME);
  await assert.rejects(members.signIn({ email: 'jo@example.com', password: PASSWORD }, HOME), { code: 'rate_limited' });
  assert.notEqual(await members.signIn({ email: 'jo@example.com', password: PASSWORD }, 'elsewhere'), null);
});

test('who is sent away because too many passwords are hashed at once has not tried', async (t) => {
  const { members, arrive } = await people(t);
  const { visitor } = await arrive('jo@example.com');
  const places = LIMITS.passwordHashesAtOnceMax + LIMITS.passwordHashesWaitingMax;
  const comeAtOnce = Array.from({ length: places }, (_, at) => members.signUp({ email: `p${at}@example.com`, password: PASSWORD, invite: '' }, HOME));
  const jo = { email: 'jo@example.com', password: PASSWORD, invite: '' };
  const sentAway = Array.from({ length: LIMITS.signUpsOfAddressMax }, () => [members.signUp(jo, HOME), members.signIn(jo, HOME), members.deleteAccount(visitor, 'another password')]).flat();
  for (const one of await Promise.allSettled(sentAway)) assert.equal(one.status === 'rejected' && one.reason.code, 'overloaded');
  await Promise.all(comeAtOnce);
  assert.ok(await members.signIn(jo, HOME));
  for (let nth = places; nth < LIMITS.signUpsOfAddressMax; nth += 1) assert.equal((await members.signUp(jo, HOME)).kind, 'waiting');
  await assert.rejects(members.signUp(jo, HOME), { code: 'rate_limited' });
  assert.equal(await members.deleteAccount(visitor, PASSWORD), true);
});

test('who is sent away while the store is asked about those who came with him has not tried to sign in, nor has whom the store fails', async (t) => {
  const { members, store, arrive } = await people(t);
  await arrive('jo@example.com');
  const jo = { email: 'jo@example.com', password: PASSWORD };
  const places = LIMITS.passwordHashesAtOnceMax + LIMITS.passwordHashesWaitingMax;
  const atOnce = Array.from({ length: LIMITS.signInsOfAddressMax }, (_, at) => members.signIn({ email: `n${at}@example.com`, password: PASSWORD }, HOME));
  const sentAway = (await Promise.allSettled(atOnce)).filter((one) => one.status === 'rejected' && one.reason.code === 'overloaded');
  assert.equal(sentAway.length, atOnce.length - places);
  const failing = t.mock.method(store, 'memberByEmail', () => Promise.reject(new AppError('store_unavailable', 'It is away.')));
  for (let tries = 0; tries < LIMITS.signInsOfEmailHereMax; tries += 1) await assert.rejects(members.signIn(jo, HOME), { code: 'store_unavailable' });
  failing.mock.restore();
  assert.ok(await members.signIn(jo, HOME));
});

test('a session ends after 30 minutes of idleness, and after 12 hours in all', async (t) => {
  const { members, clock, arrive } = await people(t);
  const { token } = await arrive('jo@example.com');
  clock.pass(29 * MINUTE_MS);
  assert.notEqual(await members.visitor(token), null);
  for (let minutes = 29; minutes < 719; minutes += 23) {
    clock.pass(Math.min(23, 719 - minutes) * MINUTE_MS);
    assert.notEqual(await members.visitor(token), null);
  }
  clock.pass(MINUTE_MS);
  assert.equal(await members.visitor(token), null);

  const idle = (await members.signIn({ email: 'jo@example.com', password: PASSWORD }, HOME))!.token;
  clock.pass(30 * MINUTE_MS);
  assert.equal(await members.visitor(idle), null);
});

test('a session of a clock that was ahead does not live until that time has come', async (t) => {
  const { members, clock, arrive } = await people(t);
  const { token: before } = await arrive('jo@example.com');
  clock.jump(365 * 24 * 60 * MINUTE_MS);
  const { token: ahead } = await arrive('al@example.com');
  clock.jump(-365 * 24 * 60 * MINUTE_MS);
  assert.equal(await members.visitor(ahead), null);
  assert.notEqual(await members.visitor(before), null);
  clock.jump(-29 * MINUTE_MS);
  assert.notEqual(await members.visitor(before), null, 'clocks of gateways differ a little');
});

test('a store that takes no write still shows who is signed in, and no longer than the session was idle', async (t) => {
  const { members, store, clock, arrive } = await people(t);
  const { token } = await arrive('jo@example.com');
  store.touchSession = () => Promise.reject(new AppError('store_unavailable', 'The disk is full.'));
  clock.pass(29 * MINUTE_MS);
  assert.equal((await members.visitor(token))!.account.email, 'jo@example.com');
  clock.pass(MINUTE_MS);
  assert.equal(await members.visitor(token), null);
});

test('each sign-in is a session of its own, stored only as its hash, and signing out ends that one', async (t) => {
  const { members, store, arrive } = await people(t);
  const { token } = await arrive('jo@example.com');
  const other = (await members.signIn({ email: 'jo@example.com', password: PASSWORD }, HOME))!.token;
  assert.notEqual(token, other);
  assert.match(token, /^[\w-]{43}$/);
  assert.equal(await store.session(Buffer.from(token, 'base64url')), null);
  await members.signOut(other);
  assert.equal(await members.visitor(other), null);
  assert.notEqual(await members.visitor(token), null);
});

test('a change of password asks for the old one, and ends every session but the new one that it gives', async (t) => {
  const { members, arrive } = await people(t);
  const { visitor, token } = await arrive('jo@example.com');
  const other = (await members.signIn({ email: 'jo@example.com', password: PASSWORD }, HOME))!.token;
  assert.equal((await members.changePassword(visitor, { current: 'another password', next: 'a new password' })).kind, 'wrong');
  assert.equal((await members.changePassword(visitor, { current: PASSWORD, next: 'short' })).kind, 'bad_password');
  const changed = await members.changePassword(visitor, { current: PASSWORD, next: 'a new password' });
  assert.ok(changed.kind === 'changed');
  assert.deepEqual([await members.visitor(other), await members.visitor(token)], [null, null]);
  assert.equal((await members.visitor(changed.token))!.account.id, visitor.account.id);
  assert.equal(await members.signIn({ email: 'jo@example.com', password: PASSWORD }, HOME), null);
  assert.notEqual(await members.signIn({ email: 'jo@example.com', password: 'a new password' }, HOME), null);
});

test('deletion asks for the password and leaves an email that may be used anew', async (t) => {
  const { members, store, arrive } = await people(t);
  const { visitor, token } = await arrive('jo@example.com');
  assert.equal(await members.deleteAccount(visitor, 'another password'), false);
  const fromTwoTabs = await Promise.all([members.deleteAccount(visitor, PASSWORD), members.deleteAccount(visitor, PASSWORD)]);
  assert.deepEqual(fromTwoTabs, [true, true], 'of neither is the password wrong');
  assert.equal(await members.visitor(token), null);
  assert.equal(await store.accountByEmail('jo@example.com'), null);
  assert.notEqual((await arrive('jo@example.com')).visitor.account.id, visitor.account.id);
});

test('an invite can be entered later, once; then the account has its first key', async (t) => {
  const { members, keys, invite, arrive } = await people(t);
  const { visitor, token } = await arrive('jo@example.com', 'waiting');
  assert.equal(await members.redeem(visitor, 'nonsense'), null);
  assert.match((await members.redeem(visitor, await invite()))!, /^ldx_/);
  const spare = await invite();
  assert.equal(await members.redeem((await members.visitor(token))!, spare), null);
  assert.equal((await keys.list(visitor)).length, 1);
});
