import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { digestOf } from '../../../src/accounts/key.ts';
import type { NewMember, Session, Store } from '../../../src/store/store.ts';
import { account, type FreshStore, insisting, invite, key } from './store_suite.ts';

const HASH = '$hash$one';
const NOW = 10_000;

function member(id: string, code: string | null = null): NewMember {
  const added = account(id, { status: 'waiting' });
  return { account: added, passwordHash: HASH, invite: code === null ? null : { digest: digestOf(code), firstKey: key(`k-${id}`, id) }, nowMs: NOW };
}

function session(token: string, accountId: string, over: Partial<Session> = {}): Session {
  return { digest: digestOf(token), accountId, createdMs: NOW, usedMs: NOW, ...over };
}

const begin = (store: Store, one: Session, hash = HASH) => store.addSession(one, hash, 3);
const living = async (store: Store, tokens: readonly string[]) => {
  const found = await Promise.all(tokens.map((token) => store.session(digestOf(token))));
  return tokens.filter((_, at) => found[at] !== null);
};

/** What every store keeps to about people. */
export function memberSuite(name: string, fresh: FreshStore): void {
  describe(`people in ${name}`, () => {
    test('wait without an invite, and with one are active and have their first key', async (t) => {
      const { store } = await fresh(t);
      await store.addInvite(invite('i'));
      assert.equal(await store.addMember(member('a')), 'waiting');
      assert.equal(await store.addMember(member('b', 'i')), 'active');
      assert.deepEqual(await store.memberByEmail('a@example.com'), { account: account('a', { status: 'waiting' }), passwordHash: HASH });
      assert.equal((await store.memberByEmail('b@example.com'))!.account.status, 'active');
      assert.deepEqual((await store.keys(null, { afterId: null, rowsMax: 9 })).map(({ id }) => id), ['k-b']);
      assert.equal(await store.memberByEmail('c@example.com'), null);
    });

    test('leave nothing behind where the invite is refused or the email is taken, and spend no invite', async (t) => {
      const { store } = await fresh(t);
      await store.addInvite(invite('i'));
      await store.addInvite(invite('old', { expiresMs: NOW }));
      await store.addMember(member('a'));
      const revision = await store.revision();
      const again = (code: string | null): NewMember => ({ ...member('b', code), account: account('b', { email: 'a@example.com' }) });
      assert.deepEqual([await store.addMember(again(null)), await store.addMember(again('i')), await store.addMember(again('none'))], ['email_taken', 'email_taken', 'invite_refused']);
      assert.deepEqual([await store.addMember(member('c', 'none')), await store.addMember(member('c', 'old'))], ['invite_refused', 'invite_refused']);
      assert.deepEqual((await store.accounts({ afterId: null, rowsMax: 9 })).map(({ id }) => id), ['a']);
      assert.equal((await store.invites({ afterId: null, rowsMax: 9 })).find(({ id }) => id === 'i')!.usesLeft, 1);
      assert.equal(await store.revision(), revision);
    });

    test('cannot share a single-use invite: of 50 who sign up with it at once exactly one is active', async (t) => {
      const { store, again } = await fresh(t);
      const other = await again();
      await store.addInvite(invite('i'));
      const admissions = await Promise.all(Array.from({ length: 50 }, (_, at) => insisting(() => (at % 2 === 0 ? store : other).addMember(member(`a${at}`, 'i')))));
      assert.equal(admissions.filter((one) => one === 'active').length, 1);
      assert.equal(admissions.filter((one) => one === 'invite_refused').length, 49);
      assert.equal((await store.accounts({ afterId: null, rowsMax: 99 })).length, 1);
    });

    test('whom an operator made have no password', async (t) => {
      const { store } = await fresh(t);
      await store.addAccount(account('a'));
      assert.deepEqual(await store.memberByEmail('a@example.com'), { account: account('a'), passwordHash: null });
      assert.equal(await begin(store, session('s', 'a')), false);
    });

    test('are gone after deletion, with keys and sessions, and their usage stays counted', async (t) => {
      const { store } = await fresh(t);
      for (const id of ['a', 'b']) {
        await store.addMember(member(id));
        await store.addKey(key(`k-${id}`, id));
        await begin(store, session(`s-${id}`, id));
      }
      await store.addUsage({ writer: 'w', number: 1, additions: [{ day: 1, accountId: 'a', keyId: 'k-a', endpoint: 'find', requests: 1, units: 4 }] });
      const revision = await store.revision();
      assert.deepEqual([await store.deleteAccount('a'), await store.deleteAccount('a')], [true, false]);
      assert.equal(await store.memberByEmail('a@example.com'), null);
      assert.equal(await store.keyByDigest(digestOf('k-a')), null);
      assert.deepEqual(await living(store, ['s-a', 's-b']), ['s-b']);
      assert.notEqual(await store.revision(), revision);
      assert.deepEqual(await store.unitsOn(1), new Map([['a', 4]]));
    });
  });

  describe(`sessions in ${name}`, () => {
    test('are found by their digest, with whose they are', async (t) => {
      const { store } = await fresh(t);
      await store.addMember(member('a'));
      assert.equal(await begin(store, session('s', 'a')), true);
      await store.touchSession(digestOf('s'), NOW + 5);
      await store.touchSession(digestOf('s'), NOW + 1);
      const found = (await store.session(digestOf('s')))!;
      assert.deepEqual({ ...found.session, digest: Buffer.from(found.session.digest) }, session('s', 'a', { usedMs: NOW + 5 }));
      assert.deepEqual(found.member, { account: account('a', { status: 'waiting' }), passwordHash: HASH });
      await store.endSession(digestOf('s'));
      assert.equal(await store.session(digestOf('s')), null);
    });

    test('of a password that changed meanwhile never begin, and the change ends the others', async (t) => {
      const { store } = await fresh(t);
      await store.addMember(member('a'));
      await begin(store, session('here', 'a'));
      await begin(store, session('there', 'a'));
      const change = { was: HASH, becomes: '$hash$two', session: session('next', 'a') };
      assert.deepEqual([await store.changePassword('a', change), await store.changePassword('a', change)], [true, false]);
      assert.equal(await begin(store, session('late', 'a')), false);
      assert.deepEqual(await living(store, ['here', 'there', 'late', 'next']), ['next']);
      assert.equal((await store.memberByEmail('a@example.com'))!.passwordHash, '$hash$two');
    });

    test('that begin at the same time as the password changes end with it or never began', async (t) => {
      const { store, again } = await fresh(t);
      const other = await again();
      await store.addMember(member('a'));
      for (let round = 0; round < 10; round += 1) {
        const [was, becomes] = [round === 0 ? HASH : `$hash$${round - 1}`, `$hash$${round}`];
        const tokens = Array.from({ length: 3 }, (_, at) => `${round}.${at}`);
        const [changed] = await Promise.all([other.changePassword('a', { was, becomes, session: session(`${round}.next`, 'a') }), ...tokens.map((token) => begin(store, session(token, 'a'), was))]);
        assert.equal(changed, true);
        assert.deepEqual(await living(store, tokens), []);
      }
    });

    test('all end when an operator sets the password, which an account that had none takes too', async (t) => {
      const { store } = await fresh(t);
      await store.addMember(member('a'));
      await store.addAccount(account('b'));
      await begin(store, session('s', 'a'));
      assert.deepEqual([await store.setPassword('a', '$hash$two'), await store.setPassword('b', '$hash$two'), await store.setPassword('x', '$hash$two')], [true, true, false]);
      assert.deepEqual(await living(store, ['s']), []);
      assert.deepEqual([await begin(store, session('s2', 'a')), await begin(store, session('s3', 'b'), '$hash$two')], [false, true]);
    });

    test('of one account are bounded: the longest unused ends', async (t) => {
      const { store } = await fresh(t);
      await store.addMember(member('a'));
      await store.addMember(member('b'));
      await begin(store, session('other', 'b'));
      for (const [at, token] of ['one', 'two', 'three'].entries()) await begin(store, session(token, 'a', { usedMs: NOW + at }));
      await store.touchSession(digestOf('one'), NOW + 50);
      await begin(store, session('four', 'a', { usedMs: NOW }));
      assert.deepEqual(await living(store, ['one', 'two', 'three', 'four', 'other']), ['one', 'three', 'four', 'other']);
    });

    test('are forgotten when they are too old or idle for too long', async (t) => {
      const { store } = await fresh(t);
      await store.addMember(member('a'));
      await begin(store, session('old', 'a', { createdMs: 1, usedMs: 90 }));
      await begin(store, session('idle', 'a', { createdMs: 50, usedMs: 50 }));
      await begin(store, session('live', 'a', { createdMs: 50, usedMs: 90 }));
      await store.forgetSessions({ createdMs: 40, usedMs: 60 });
      assert.deepEqual(await living(store, ['old', 'idle', 'live']), ['live']);
    });
  });

  describe(`the keys of one account in ${name}`, () => {
    test('are its own: those of another are as if they were not', async (t) => {
      const { store } = await fresh(t);
      for (const id of ['a', 'b']) {
        await store.addMember(member(id));
        await store.addKey(key(`k-${id}`, id));
      }
      assert.equal(await store.keyOfAccount('a', 'k-b'), null);
      assert.equal((await store.keyOfAccount('a', 'k-a'))!.id, 'k-a');
      assert.deepEqual([await store.renameKey('a', 'k-b', 'mine'), await store.renameKey('a', 'k-a', 'mine')], [false, true]);
      assert.deepEqual((await store.keys(null, { afterId: null, rowsMax: 9 })).map(({ name }) => name), ['mine', 'first']);
    });

    test('are listed from the newest back, without those that ended long ago', async (t) => {
      const { store } = await fresh(t);
      await store.addMember(member('a'));
      for (const [id, endsMs] of [['k1', null], ['k2', 5], ['k3', 9]] as const) await store.addKey(key(id, 'a', { endsMs }));
      assert.deepEqual((await store.keysOfAccount('a', 5, 9)).map(({ id }) => id), ['k3', 'k1']);
    });

    test('are listed as long as they live, however many ended since', async (t) => {
      const { store } = await fresh(t);
      await store.addMember(member('a'));
      for (const [id, endsMs] of [['k1', null], ['k2', 900], ['k3', 90], ['k4', 80], ['k5', null]] as const) await store.addKey(key(id, 'a', { endsMs }));
      const shown = async (rowsMax: number) => (await store.keysOfAccount('a', 5, rowsMax)).map(({ id }) => id);
      assert.deepEqual([await shown(1), await shown(3), await shown(4)], [['k5'], ['k5', 'k2', 'k1'], ['k5', 'k3', 'k2', 'k1']]);
    });

    test('are gone with an account that is deleted while they are made', async (t) => {
      const { store, again } = await fresh(t);
      const other = await again();
      for (let round = 0; round < 10; round += 1) {
        const id = `a${round}`;
        await store.addAccount(account(id));
        const adding = Array.from({ length: 4 }, (_, at) => other.addKeyOfAccount(key(`${id}.${at}`, id), 20));
        const [deleted] = await Promise.all([store.deleteAccount(id), ...adding]);
        assert.equal(deleted, true);
      }
      assert.deepEqual(await store.keys(null, { afterId: null, rowsMax: 99 }), []);
    });

    test('are so many at most, also when they are added at once, and none while the account waits', async (t) => {
      const { store, again } = await fresh(t);
      const other = await again();
      await store.addMember(member('w'));
      assert.equal(await store.addKeyOfAccount(key('k', 'w'), 3), false);
      await store.addAccount(account('a'));
      const ended = key('ended', 'a', { endsMs: 1_999 });
      await store.addKey(ended);
      const added = await Promise.all(Array.from({ length: 8 }, (_, at) => (at % 2 === 0 ? store : other).addKeyOfAccount(key(`k${at}`, 'a'), 3)));
      assert.equal(added.filter(Boolean).length, 3);
    });
  });
}
