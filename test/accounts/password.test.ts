import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makePasswords, PASSWORD_COST, passwordForm } from '../../src/accounts/password.ts';
import { LIMITS } from '../../src/config/limits.ts';

test('passwords are hashed by scrypt with N=2^17, r=8, p=1, a salt of their own, and the parameters beside', async () => {
  assert.deepEqual(PASSWORD_COST, { logN: 17, r: 8, p: 1 });
  const passwords = makePasswords();
  const [one, two] = await Promise.all([passwords.hash('correct horse battery'), passwords.hash('correct horse battery')]);
  assert.match(one, /^\$scrypt\$ln=17,r=8,p=1\$[\w-]{22}\$[\w-]{43}$/);
  assert.notEqual(one, two);
  assert.equal(await passwords.matches('correct horse battery', one), true);
  assert.equal(await passwords.matches('correct horse batterx', one), false);
});

test('a hash made at another cost still opens, and no hash opens nothing', async () => {
  const stored = await makePasswords({ logN: 5, r: 4, p: 2 }).hash('correct horse battery');
  const cheap = makePasswords({ logN: 4, r: 8, p: 1 });
  assert.equal(await cheap.matches('correct horse battery', stored), true);
  assert.equal(await cheap.matches('correct horse battery', null), false);
});

test('a password is 10 to 128 characters after NFKC, whatever keyboard it was typed on', () => {
  assert.equal(passwordForm('123456789'), null);
  assert.equal(passwordForm('1234567890'), '1234567890');
  assert.equal(passwordForm('x'.repeat(128)), 'x'.repeat(128));
  assert.equal(passwordForm('x'.repeat(129)), null);
  assert.equal(passwordForm('𝒳'.repeat(10)), 'X'.repeat(10));
  assert.equal(passwordForm('e\u0301'.repeat(10)), 'é'.repeat(10));
  assert.equal(passwordForm('e\u0301'.repeat(9)), null);
  assert.equal(passwordForm('😀'.repeat(128)), '😀'.repeat(128));
  assert.equal(passwordForm('\u{FDFA}'.repeat(100)), null);
  assert.equal(passwordForm(`123456789${'\ud800'}`), null);
});

test('at most 2 passwords are hashed at once and 16 wait; who comes then is told to come again', async () => {
  const passwords = makePasswords({ logN: 14, r: 8, p: 1 });
  const room = LIMITS.passwordHashesAtOnceMax + LIMITS.passwordHashesWaitingMax;
  const asked = Array.from({ length: 100 }, () => passwords.hash('correct horse battery'));
  const answers = await Promise.allSettled(asked);
  assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, room);
  for (const answer of answers) if (answer.status === 'rejected') assert.equal(answer.reason.code, 'overloaded');
  assert.match(await passwords.hash('correct horse battery'), /^\$scrypt/);
});
