import assert from 'node:assert/strict';
import { test } from 'node:test';
import { issueKey } from '../../src/accounts/issue.ts';
import { LIMITS } from '../../src/config/limits.ts';
import { keyName, typedKeyName } from '../../src/accounts/own_keys.ts';
import { people } from './people.ts';

const DAY_MS = 86_400_000;

test('keys are created with a name, renamed, and listed by what may be shown of them', async (t) => {
  const { keys, arrive, clock } = await people(t);
  const { visitor } = await arrive('jo@example.com');
  clock.pass(1_000);
  const { key, record } = (await keys.create(visitor, 'ci'))!;
  assert.equal(await keys.rename(visitor, record.id, 'build'), true);
  const [newest, first] = await keys.list(visitor);
  assert.deepEqual(newest, { id: record.id, kind: 'external', name: 'build', hint: key.slice(0, 8), createdMs: clock.unix, endsMs: null, state: 'live' });
  assert.equal(first!.name, 'first');
});

test('a name of a key is what can be seen', () => {
  for (const name of ['ci', ' ci ', 'ключ', '鍵', 'team \u{1f468}\u200d\u{1f469}', '\u{1f511}'.repeat(LIMITS.keyNameCharactersMax), '']) assert.equal(keyName(name), name.trim());
  for (const name of ['a\nb', 'a\u0000', '\u202elive', 'c\u200bi', 'a\ufeffb', 'a\ud800', 'x'.repeat(LIMITS.keyNameCharactersMax + 1)]) assert.equal(keyName(name), null, name);
  for (const name of ['\u202elive', 'li\u200bve', 'live\ufeff ', ' li\u00adve']) assert.equal(typedKeyName(name), 'live', 'what was pasted along is left out');
  for (const name of ['\u200d', '\u200c \u200d', '\ufe0f', '\u3164', '\u2800']) assert.deepEqual([keyName(name), typedKeyName(name)], [null, ''], 'nothing of it is seen');
  assert.equal(typedKeyName('x'.repeat(LIMITS.keyNameCharactersMax + 1)), null);
});

test('rotation ends the old key at once, or after a chosen overlap of up to 7 days', async (t) => {
  const { keys, arrive, clock } = await people(t);
  const { visitor } = await arrive('jo@example.com');
  const [first] = await keys.list(visitor);
  const second = (await keys.rotate(visitor, first!.id, 0))!;
  assert.equal(second.record.name, first!.name);
  assert.equal(await keys.rotate(visitor, first!.id, 0), null);
  await keys.rotate(visitor, second.record.id, 7 * DAY_MS);
  const stateOf = async (id: string) => (await keys.list(visitor)).find((key) => key.id === id)?.state;
  assert.deepEqual([await stateOf(first!.id), await stateOf(second.record.id)], ['ended', 'ending']);
  clock.pass(7 * DAY_MS);
  assert.deepEqual([await stateOf(first!.id), await stateOf(second.record.id)], [undefined, 'ended']);
  await assert.rejects(keys.rotate(visitor, (await keys.list(visitor))[0]!.id, 7 * DAY_MS + 1), { code: 'invalid_field' });
});

test('a key that is rotated again and again, each time with an overlap, leaves no more keys than an account may have', async (t) => {
  const { keys, arrive, store, clock } = await people(t);
  const { visitor } = await arrive('jo@example.com');
  const [first] = await keys.list(visitor);
  for (let count = 1; count < LIMITS.keysOfAccountMax; count += 1) assert.notEqual(await keys.rotate(visitor, first!.id, 7 * DAY_MS), null);
  await assert.rejects(keys.rotate(visitor, first!.id, 7 * DAY_MS), { code: 'conflict' });
  assert.notEqual(await keys.rotate(visitor, first!.id, 0), null, 'a lost key can always be replaced');
  assert.equal((await store.keysOfAccount(visitor.account.id, clock.unix, 999)).length, LIMITS.keysOfAccountMax);
});

test('the keys of another account are as keys that do not exist', async (t) => {
  const { keys, arrive, store } = await people(t);
  const { visitor: a } = await arrive('a@example.com');
  const { visitor: b } = await arrive('b@example.com');
  const [theirs] = await keys.list(b);
  assert.deepEqual([await keys.revoke(a, theirs!.id), await keys.rename(a, theirs!.id, 'mine'), await keys.rotate(a, theirs!.id, 0)], [false, false, null]);
  assert.deepEqual(await keys.list(b), [theirs]);
  assert.equal((await store.keys(null, { afterId: null, rowsMax: 9 })).length, 2);
});

test('a key is revoked once and for all; an operator’s key may be revoked and not rotated', async (t) => {
  const { keys, arrive, store, clock } = await people(t);
  const { visitor } = await arrive('jo@example.com');
  const admin = await issueKey(store, visitor.account.id, { kind: 'admin', name: 'ops', nowMs: clock.unix });
  assert.equal(await keys.rotate(visitor, admin.record.id, 0), null);
  assert.equal(await keys.revoke(visitor, admin.record.id), true);
  assert.deepEqual((await keys.list(visitor)).map(({ state }) => state).sort(), ['ended', 'live']);
});

test('an account that waits or is suspended gets no keys', async (t) => {
  const { keys, members, arrive, store } = await people(t);
  const { visitor: waiting } = await arrive('w@example.com', 'waiting');
  assert.equal(await keys.create(waiting, 'no'), null);
  const { visitor, token } = await arrive('s@example.com');
  await store.changeAccount(visitor.account.id, { status: 'suspended' });
  const suspended = (await members.visitor(token))!;
  assert.equal(await keys.create(suspended, 'no'), null);
  assert.equal(await keys.rotate(suspended, (await keys.list(suspended))[0]!.id, 0), null);
});

test('an account has so many keys at most, and changes so many things within a quarter of an hour', async (t) => {
  const { keys, arrive, clock } = await people(t);
  const { visitor } = await arrive('jo@example.com');
  for (let count = 1; count < LIMITS.keysOfAccountMax; count += 1) assert.notEqual(await keys.create(visitor, ''), null);
  assert.equal(await keys.create(visitor, ''), null);
  for (let changes = LIMITS.keysOfAccountMax; changes < LIMITS.changesOfAccountMax; changes += 1) await keys.revoke(visitor, 'none');
  await assert.rejects(keys.revoke(visitor, 'none'), { code: 'rate_limited' });
  clock.pass(LIMITS.attemptsWindowMs);
  assert.equal(await keys.revoke(visitor, 'none'), false);
});
