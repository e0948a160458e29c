import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { AppError } from '../../src/model/errors.ts';
import { openStore } from '../../src/store/open.ts';
import { adviceOn, RESTORE, storeError } from '../../src/store/sqlite/errors.ts';
import { migrate, MIGRATIONS } from '../../src/store/sqlite/migrations.ts';
import { account, key } from '../contract/store/store_suite.ts';
import { pragmaOf } from '../../src/store/sqlite/retired.ts';
import { folderOf } from '../support/folder.ts';
import { sqliteAt } from '../support/sqlite_at.ts';

test('the folder and the file of the store are its owner\'s alone', async (t) => {
  const dataDir = join(folderOf(t), 'deep', 'data');
  const store = await openStore({ dataDir });
  await store.addAccount(account('a'));
  assert.equal((await stat(dataDir)).mode & 0o777, 0o700);
  for (const file of ['store.sqlite', 'store.sqlite-wal']) assert.equal((await stat(join(dataDir, file))).mode & 0o777, 0o600, file);
  await store.close();
});

test('a store of a newer version is refused and left as it is', async (t) => {
  const dataDir = folderOf(t);
  await (await openStore({ dataDir })).close();
  const database = sqliteAt(join(dataDir, 'store.sqlite'));
  database.exec(`PRAGMA user_version = ${MIGRATIONS.length + 1}`);
  await assert.rejects(openStore({ dataDir }), /written by a newer version of this service/);
  assert.equal(pragmaOf(database, 'user_version'), MIGRATIONS.length + 1);
  database.close();
});

test('a store that is opened once more by the process keeps its lock, without which another program removes its log', { skip: process.platform !== 'linux' && 'only Linux tells its locks' }, async (t) => {
  const dataDir = folderOf(t);
  const store = await openStore({ dataDir });
  const { ino } = await stat(join(dataDir, 'store.sqlite'));
  const locks = async (): Promise<string[]> => (await readFile('/proc/locks', 'utf8')).split('\n').filter((line) => line.includes(` ${process.pid} `) && line.includes(`:${ino} `));
  assert.notDeepEqual(await locks(), []);
  // As the thread that keeps the suppressions does.
  const second = await openStore({ dataDir });
  assert.notDeepEqual(await locks(), []);
  await second.close();
  assert.notDeepEqual(await locks(), []);
  await store.close();
});

test('a migration that fails leaves the store at the version it had', () => {
  const database = sqliteAt(':memory:');
  migrate(database, ['CREATE TABLE one (n)']);
  assert.throws(() => migrate(database, ['CREATE TABLE one (n)', 'CREATE TABLE two (n)', 'CREATE TABLE two (n)']));
  assert.equal(pragmaOf(database, 'user_version'), 1);
  assert.deepEqual(database.prepare('SELECT name FROM sqlite_schema').pluck().all(), ['one']);
  migrate(database, ['CREATE TABLE one (n)', 'CREATE TABLE two (n)']);
  assert.equal(pragmaOf(database, 'user_version'), 2);
  database.close();
});

test('a file that is no database is told to the operator by its path, with what to do', async (t) => {
  const dataDir = folderOf(t);
  await writeFile(join(dataDir, 'store.sqlite'), 'not a database at all, but long enough to be looked at as if it were one'.repeat(20));
  await assert.rejects(
    openStore({ dataDir }),
    (error) => error instanceof Error && error.message === `the store ${join(dataDir, 'store.sqlite')} cannot be opened: file is not a database; ${RESTORE}`,
  );
});

test('a full disk, a failed sync and a lost file are store_unavailable; a broken constraint is a bug', () => {
  for (const code of ['SQLITE_FULL', 'SQLITE_IOERR_FSYNC', 'SQLITE_IOERR', 'SQLITE_CANTOPEN', 'SQLITE_BUSY', 'SQLITE_CORRUPT', 'SQLITE_READONLY_DBMOVED']) {
    const error = storeError(new Database.SqliteError('disk I/O error', code));
    assert.ok(error instanceof AppError && error.code === 'store_unavailable' && error.retryAfter === 1, code);
  }
  const lost = storeError(Object.assign(new Error("EIO: i/o error, open '/srv/store.sqlite'"), { code: 'EIO', syscall: 'open' }));
  assert.ok(lost instanceof AppError && !lost.message.includes('/srv'));
  const bug = new Database.SqliteError('UNIQUE constraint failed', 'SQLITE_CONSTRAINT_UNIQUE');
  assert.equal(storeError(bug), bug);
});

test('what to do about a store is told by what it failed of: a backup is no help against a full disk or a wrong owner', () => {
  const sqlite = (code: string) => adviceOn(new Database.SqliteError('disk I/O error', code));
  const system = (code: string) => adviceOn(Object.assign(new Error('open'), { code, syscall: 'open' }));
  for (const advice of [sqlite('SQLITE_IOERR_SHMSIZE'), sqlite('SQLITE_FULL'), system('ENOSPC')]) assert.equal(advice, 'make room on its disk');
  for (const advice of [sqlite('SQLITE_READONLY'), sqlite('SQLITE_CANTOPEN'), system('EACCES')]) assert.match(advice!, /to the user who runs the service/);
  assert.match(system('EROFS')!, /mount it for writing/);
  assert.match(sqlite('SQLITE_IOERR_READ')!, /is full or fails/);
  for (const code of ['SQLITE_CORRUPT', 'SQLITE_NOTADB']) assert.equal(sqlite(code), RESTORE);
  assert.equal(adviceOn(new Error('a bug')), null);
});

test('a writer waits for another process without holding the main loop', async (t) => {
  const dataDir = folderOf(t);
  const store = await openStore({ dataDir });
  t.after(() => store.close());
  await store.addAccount(account('a'));
  const other = sqliteAt(join(dataDir, 'store.sqlite'));
  other.exec('BEGIN IMMEDIATE');
  const writing = store.addKey(key('k', 'a'));
  const written = writing.then(() => 'written');
  for (let turn = 0; turn < 10; turn += 1) assert.equal(await Promise.race([written, sleep(5, 'waits')]), 'waits');
  assert.equal((await store.keys('a', { afterId: null, rowsMax: 9 })).length, 0, 'readers do not wait');
  other.exec('COMMIT');
  await writing;
  other.close();
  assert.equal((await store.keys('a', { afterId: null, rowsMax: 9 })).length, 1);
});

test('no closed connection is collected: where SQLite was compiled for Node 24.19 or newer, that may end the process', async (t) => {
  const child = join(import.meta.dirname, 'collected_child.js');
  assert.ok(Number(execFileSync(process.execPath, ['--no-warnings', child, folderOf(t), '20'], { encoding: 'utf8' })) >= 20);
});
