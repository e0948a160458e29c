import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { parseArgs } from 'node:util';
import { describe, test, type TestContext } from 'node:test';
import { Authenticator } from '../../src/accounts/authenticate.ts';
import { redeemInvite } from '../../src/accounts/invite.ts';
import { Members } from '../../src/accounts/members.ts';
import { makePasswords } from '../../src/accounts/password.ts';
import { ensureAccount } from '../../src/accounts/issue.ts';
import { isKey } from '../../src/accounts/key.ts';
import { accountsCommand } from '../../src/cli/accounts.ts';
import { type Command, UsageError } from '../../src/cli/command.ts';
import { invitesCommand } from '../../src/cli/invites.ts';
import { keysCommand } from '../../src/cli/keys.ts';
import { suppressCommand } from '../../src/cli/suppress.ts';
import type { Config } from '../../src/config/schema.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { folderOf } from '../support/folder.ts';

type Outcome = { code: number; out: string; notes: string };

/** Runs commands on one data folder, and looks into its store. */
async function shell(t: TestContext) {
  const dataDir = folderOf(t);
  const run = async (command: Command, ...args: string[]): Promise<Outcome> => {
    const { values, positionals } = parseArgs({ args, options: command.options, allowPositionals: true });
    const outcome = { code: 0, out: '', notes: '' };
    const terminal = { out: (text: string) => { outcome.out += text; }, note: (text: string) => { outcome.notes += text; }, interactive: false, signal: t.signal };
    outcome.code = await command.run({ values, files: positionals, terminal, config: async () => ({ dataDir }) as Config });
    return outcome;
  };
  const look = async <T>(use: (store: Store) => Promise<T>): Promise<T> => {
    const store = await openStore({ dataDir });
    try {
      return await use(store);
    } finally {
      await store.close();
    }
  };
  const callerOf = (key: string) => look(async (store) => new Authenticator(store, systemClock, null).authenticate(key));
  return { run, look, callerOf };
}

test('an option of another verb is refused, and changes nothing', async (t) => {
  const { run } = await shell(t);
  await run(keysCommand, 'create', '--account', 'jo@example.com');
  const wrong: [Command, ...string[]][] = [
    [keysCommand, 'list', '--plan', 'standard'], [keysCommand, 'list', '--admin'],
    [keysCommand, 'revoke', 'key_none', '--account', 'jo@example.com'], [accountsCommand, '--plan', 'preview'], [accountsCommand, 'list', '--status', 'active'],
    [accountsCommand, 'set', 'jo@example.com', '--plan', 'standard', '--json'], [accountsCommand, 'password', 'jo@example.com', '--status', 'suspended'],
    [invitesCommand, 'list', '--uses', '2'], [suppressCommand, 'list', '--form', 'domain'],
  ];
  for (const [command, ...args] of wrong) {
    await assert.rejects(async () => run(command, ...args), (error) => error instanceof UsageError && / takes no --\w+\.$/.test(error.message), args.join(' '));
  }
  const accounts = JSON.parse((await run(accountsCommand, '--json')).out) as Record<string, unknown>[];
  assert.deepEqual(accounts.map(({ email, plan, status }) => [email, plan, status]), [['jo@example.com', 'preview', 'active']]);
});

test('the command that begins a new store names its folder, and no later one does', async (t) => {
  const { run, look } = await shell(t);
  const first = await run(keysCommand, 'list');
  const folderNamed = first.notes.split(' held no accounts')[0]!;
  assert.ok(folderNamed !== first.notes && isAbsolute(folderNamed), first.notes);
  assert.equal((await run(keysCommand, 'list')).notes, '');
  assert.equal(await look(async (store) => (await store.accounts({ afterId: null, rowsMax: 1 })).length), 0);
});

test('of a folder in which no store can begin nothing is said to begin', async (t) => {
  const file = join(folderOf(t), 'file');
  writeFileSync(file, '');
  const notes: string[] = [];
  const terminal = { out: () => {}, note: (text: string) => { notes.push(text); }, interactive: false, signal: t.signal };
  await assert.rejects(async () => keysCommand.run({ values: {}, files: ['list'], terminal, config: async () => ({ dataDir: join(file, 'data') }) as Config }));
  assert.deepEqual(notes, []);
});

test('an account is named by its address in either writing of the domain, whichever it was kept in', async (t) => {
  const { run, look } = await shell(t);
  await look((store) => store.addAccount({ id: 'acc_before', email: 'jo@m\u00fcller.example', plan: 'preview', status: 'active', createdMs: 1 }));
  await run(keysCommand, 'create', '--account', 'ann@m\u00fcller.example');
  for (const domain of ['m\u00fcller.example', 'xn--mller-kva.example']) {
    for (const name of ['jo', 'ann']) {
      assert.equal((await run(accountsCommand, 'set', `${name}@${domain}`, '--plan', 'standard')).code, 0);
      assert.equal((await run(keysCommand, 'list', '--account', `${name}@${domain}`)).code, 0);
    }
  }
  assert.equal(await look(async (store) => (await store.accounts({ afterId: null, rowsMax: 5 })).length), 2);
});

describe('lds accounts password', () => {
  test('prints a new password alone on stdout, with which its owner signs in; the old one and its sessions end', async (t) => {
    const { run, look } = await shell(t);
    await run(keysCommand, 'create', '--account', 'jo@example.com');
    const [first, second] = [await run(accountsCommand, 'password', 'Jo@Example.com'), await run(accountsCommand, 'password', 'jo@example.com')];
    assert.match(first.out, /^[0-9A-Za-z]{20}\n$/);
    assert.ok(!first.notes.includes(first.out.trim()));
    const signIn = (password: string) => look((store) => new Members(store, makePasswords(), systemClock).signIn({ email: 'jo@example.com', password }, 'here'));
    assert.equal(await signIn(first.out.trim()), null);
    assert.notEqual(await signIn(second.out.trim()), null);
    assert.equal((await run(accountsCommand, 'password', 'nobody@example.com')).code, 1);
  });
});

describe('lds keys', () => {
  test('create says whether somebody signed up under the email, whom nobody verified', async (t) => {
    const { run, look } = await shell(t);
    const notes = async (): Promise<boolean> => /Somebody signed up under jo@example\.com/.test((await run(keysCommand, 'create', '--account', 'jo@example.com', '--plan', 'unlimited')).notes);
    assert.equal(await notes(), false);
    await look((store) => new Members(store, makePasswords({ logN: 4, r: 8, p: 1 }), systemClock).signUp({ email: 'ann@example.com', password: 'correct horse battery', invite: '' }, 'here'));
    assert.equal(await notes(), false);
    assert.match((await run(keysCommand, 'create', '--account', 'ann@example.com')).notes, /Somebody signed up under ann@example\.com, which nobody has verified/);
  });

  test('create makes a missing account, active, and prints the key alone on stdout', async (t) => {
    const { run, callerOf } = await shell(t);
    const { code, out, notes } = await run(keysCommand, 'create', '--account', 'Jo@Example.com', '--plan', 'standard');
    assert.equal(code, 0);
    assert.match(out, /^ldx_[0-9A-Za-z]{38}\n$/);
    assert.ok(isKey(out.trim()) && !notes.includes(out.trim()));
    const caller = await callerOf(out.trim());
    assert.deepEqual([caller!.kind, caller!.plan], ['external', 'standard']);
    assert.match((await run(accountsCommand)).out, /jo@example\.com +standard +active/);
  });

  test('create --json prints the key as the list does, and the key itself', async (t) => {
    const { run, callerOf } = await shell(t);
    const made = JSON.parse((await run(keysCommand, 'create', '--account', 'Jo@Example.com', '--name', 'ci', '--json')).out) as { key: string };
    assert.equal((await callerOf(made.key))!.kind, 'external');
    const [listed] = JSON.parse((await run(keysCommand, 'list', '--json')).out) as object[];
    assert.deepEqual(made, { key: made.key, ...listed });
  });

  test('create takes the preview plan by default, leaves the plan of an account alone, and makes admin keys', async (t) => {
    const { run, callerOf } = await shell(t);
    const first = (await run(keysCommand, 'create', '--account', 'jo@example.com')).out.trim();
    assert.equal((await callerOf(first))!.plan, 'preview');
    await run(keysCommand, 'create', '--account', 'jo@example.com', '--plan', 'standard');
    const admin = (await run(keysCommand, 'create', '--account', 'jo@example.com', '--admin')).out.trim();
    const caller = await callerOf(admin);
    assert.deepEqual([admin.slice(0, 4), caller!.kind, caller!.plan], ['lda_', 'admin', 'standard']);
  });

  test('create says so where the account does not let its keys in', async (t) => {
    const { run, callerOf } = await shell(t);
    await run(keysCommand, 'create', '--account', 'jo@example.com');
    await run(accountsCommand, 'set', 'jo@example.com', '--status', 'suspended');
    const { out, notes } = await run(keysCommand, 'create', '--account', 'jo@example.com');
    assert.match(notes, /The account is suspended/);
    assert.equal(await callerOf(out.trim()), null);
  });

  test('list shows what may be shown, and revoke ends a key', async (t) => {
    const { run, callerOf } = await shell(t);
    const key = (await run(keysCommand, 'create', '--account', 'jo@example.com', '--name', 'laptop')).out.trim();
    await run(keysCommand, 'create', '--account', 'al@example.com');
    const rows = JSON.parse((await run(keysCommand, 'list', '--account', 'jo@example.com', '--json')).out) as Record<string, unknown>[];
    assert.deepEqual(rows.map(({ account, kind, hint, name, state, ends_at }) => ({ account, kind, hint, name, state, ends_at })), [
      { account: 'jo@example.com', kind: 'external', hint: key.slice(0, 8), name: 'laptop', state: 'active', ends_at: null },
    ]);
    const all = (await run(keysCommand, 'list')).out;
    assert.equal(all.match(/^key_/gm)!.length, 2);
    assert.ok(!all.includes(key));
    assert.equal((await run(keysCommand, 'revoke', String(rows[0]!['id']))).code, 0);
    assert.equal(await callerOf(key), null);
    assert.match((await run(keysCommand, 'list', '--account', 'jo@example.com')).out, /revoked/);
    assert.equal((await run(keysCommand, 'revoke', 'key_none')).code, 1);
    assert.equal((await run(keysCommand, 'list', '--account', 'no@example.com')).code, 1);
  });

  test('refuses what it does not know before it touches the store', async (t) => {
    const { run } = await shell(t);
    for (const args of [[], ['create'], ['create', '--account', 'nobody'], ['create', '--account', 'a@b', '--plan', 'gold'], ['create', 'x', '--account', 'a@b'], ['revoke'], ['drop'], ['create', '--account', 'a@b', '--name', 'n'.repeat(65)]]) {
      await assert.rejects(async () => run(keysCommand, ...args), UsageError, args.join(' '));
    }
    assert.equal((await run(accountsCommand)).out, '');
  });
});

describe('lds invites', () => {
  test('create prints the invite alone, which activates as many accounts as it was made for', async (t) => {
    const { run, look } = await shell(t);
    const { out } = await run(invitesCommand, 'create', '--uses', '2', '--expires', '1');
    assert.match(out, /^ldi_[0-9A-Za-z]{43}\n$/);
    const now = Date.now();
    const won = await look(async (store) => {
      const results: boolean[] = [];
      for (const email of ['a@x', 'b@x', 'c@x']) {
        const { id } = await ensureAccount(store, email, { plan: 'preview', status: 'waiting', nowMs: now });
        results.push(await redeemInvite(store, out.trim(), id, now));
      }
      return results;
    });
    assert.deepEqual(won, [true, true, false]);
    assert.match((await run(invitesCommand, 'list')).out, /^inv_\w+ +used +2 +0 /m);
  });

  test('one that expired, was mistyped or never made opens nothing', async (t) => {
    const { run, look } = await shell(t);
    const code = (await run(invitesCommand, 'create', '--expires', '1')).out.trim();
    const opened = await look(async (store) => {
      const { id } = await ensureAccount(store, 'a@x', { plan: 'preview', status: 'waiting', nowMs: 0 });
      const later = Date.now() + 86_400_000;
      return [await redeemInvite(store, code, id, later), await redeemInvite(store, `${code}0`, id, 0), await redeemInvite(store, '', id, 0)];
    });
    assert.deepEqual(opened, [false, false, false]);
    const [row] = JSON.parse((await run(invitesCommand, 'list', '--json')).out) as Record<string, unknown>[];
    assert.deepEqual([row!['state'], row!['uses'], row!['uses_left']], ['open', 1, 1]);
    assert.ok(!JSON.stringify(row).includes(code));
  });

  test('refuses numbers out of range', async (t) => {
    const { run } = await shell(t);
    for (const args of [['--uses', '0'], ['--uses', '1.5'], ['--uses=-1'], ['--expires', '99999'], ['--expires', 'soon']]) {
      await assert.rejects(async () => run(invitesCommand, 'create', ...args), UsageError);
    }
  });
});

describe('lds accounts', () => {
  test('set changes plan and status of an account', async (t) => {
    const { run } = await shell(t);
    await run(keysCommand, 'create', '--account', 'jo@example.com');
    assert.equal((await run(accountsCommand, 'set', 'JO@example.com', '--plan', 'unlimited')).code, 0);
    await run(accountsCommand, 'set', 'jo@example.com', '--status', 'suspended');
    const [row] = JSON.parse((await run(accountsCommand, '--json')).out) as Record<string, unknown>[];
    assert.deepEqual([row!['email'], row!['plan'], row!['status']], ['jo@example.com', 'unlimited', 'suspended']);
    assert.equal((await run(accountsCommand, 'set', 'no@example.com', '--plan', 'preview')).code, 1);
    for (const args of [['set'], ['set', 'jo@example.com'], ['set', 'jo@example.com', '--status', 'gone'], ['sort']]) {
      await assert.rejects(async () => run(accountsCommand, ...args), UsageError);
    }
  });
});
