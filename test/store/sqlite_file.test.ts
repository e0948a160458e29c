import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { account, key } from '../contract/store/store_suite.ts';
import { folderOf } from '../support/folder.ts';
import { noSmallDisk } from '../support/small_disk.ts';
import { sqliteAt } from '../support/sqlite_at.ts';

const ALL = { afterId: null, rowsMax: 9 };

async function opened(t: TestContext, dataDir: string): Promise<Store> {
  const store = await openStore({ dataDir });
  t.after(() => store.close());
  return store;
}

/** What an operator reads of it. */
async function cause(refused: Promise<unknown>): Promise<string> {
  const error = await refused.then(() => null, (reason: { code?: string; cause?: Error }) => reason);
  assert.equal(error?.code, 'store_unavailable');
  return error.cause!.message;
}

test('a store that was moved away takes nothing and tells nothing until it is back', async (t) => {
  const home = folderOf(t);
  const [dataDir, elsewhere] = [join(home, 'data'), join(home, 'elsewhere')];
  const store = await opened(t, dataDir);
  await store.addAccount(account('a'));
  await rename(dataDir, elsewhere);
  assert.match(await cause(store.addKey(key('k', 'a'))), /store\.sqlite was moved, removed or replaced/);
  assert.match(await cause(store.revision()), /put back the one that was there, or restart/);
  await rename(elsewhere, dataDir);
  await store.addKey(key('k', 'a'));
  assert.deepEqual((await store.keys('a', ALL)).map(({ id }) => id), ['k']);
});

test('a store that was removed is not begun anew, and one that another process made in its place is not taken for it', async (t) => {
  const dataDir = join(folderOf(t), 'data');
  const store = await opened(t, dataDir);
  await store.addAccount(account('a'));
  await rm(dataDir, { recursive: true });
  for (const refused of [() => store.addKey(key('k', 'a')), () => store.keyByDigest(Buffer.alloc(32))]) assert.match(await cause(refused()), /removed/);
  await mkdir(dataDir);
  assert.match(await cause(store.revision()), /removed/);
  assert.deepEqual(await readdir(dataDir), []);
  const other = await opened(t, dataDir);
  assert.deepEqual(await other.accounts(ALL), []);
  assert.match(await cause(store.addAccount(account('b'))), /replaced/);
  assert.deepEqual(await other.accounts(ALL), []);
});

test('a store on a file system that takes no writes any more is read, and written again when it does', { skip: noSmallDisk() ?? false }, async (t) => {
  const dataDir = folderOf(t);
  const store = await opened(t, dataDir);
  const beside = await opened(t, dataDir);
  await store.addAccount(account('a'));
  const direct = sqliteAt(join(dataDir, 'store.sqlite')).unsafeMode();
  t.after(() => direct.close());
  const sql = direct.prepare(`SELECT sql FROM sqlite_schema WHERE name = 'keys'`).pluck().get() as string;
  const write = (text: string, version: number) => {
    direct.exec('PRAGMA writable_schema = ON');
    direct.prepare(`UPDATE sqlite_schema SET sql = ? WHERE name = 'keys'`).run(text);
    direct.exec(`PRAGMA schema_version = ${version}`);
  };
  // Whoever comes upon something damaged opens the file anew.
  write('no statement', 1_000);
  for (const one of [store, beside]) assert.match(await cause(one.accounts(ALL)), /malformed/);
  const mount = (...words: string[]) => assert.equal(spawnSync('mount', words).status, 0);
  mount('--bind', dataDir, dataDir);
  try {
    mount('-o', 'remount,bind,ro', dataDir);
    write(sql, 1_001);
    for (const one of [store, beside]) assert.deepEqual((await one.accounts(ALL)).map(({ id }) => id), ['a']);
    assert.match(await cause(store.addAccount(account('b'))), /EROFS: read-only file system/);
    for (const one of [store, beside]) assert.deepEqual((await one.accounts(ALL)).map(({ id }) => id), ['a']);
  } finally {
    spawnSync('umount', ['-l', dataDir]);
  }
  for (const [one, id] of [[store, 'b'], [beside, 'c']] as const) await one.addAccount(account(id));
  for (const one of [store, beside]) assert.deepEqual((await one.accounts(ALL)).map(({ id }) => id), ['a', 'b', 'c']);
});

for (const ending of ['wal', 'shm']) {
  test(`a store whose -${ending} was removed takes and tells nothing more, and what it took before is found by the next who opens it, also after a crash`, async (t) => {
    const [dataDir, afterCrash] = [folderOf(t), folderOf(t)];
    const store = await openStore({ dataDir });
    await store.addAccount(account('a'));
    await rm(join(dataDir, `store.sqlite-${ending}`));
    assert.match(await cause(store.addAccount(account('b'))), new RegExp(`store\\.sqlite-${ending} was removed or replaced while it was in use: restart`));
    assert.match(await cause(store.accounts(ALL)), /removed or replaced/);
    await cp(join(dataDir, 'store.sqlite'), join(afterCrash, 'store.sqlite'));
    await store.close();
    for (const found of [await opened(t, dataDir), await opened(t, afterCrash)]) {
      assert.deepEqual((await found.accounts(ALL)).map(({ id }) => id), ['a']);
      await found.addAccount(account('c'));
    }
  });
}
