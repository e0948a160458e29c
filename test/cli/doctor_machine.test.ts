import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkDataFolder, checkDisk, checkMemory, checkNativeModules, checkOpenFiles } from '../../src/cli/doctor/machine.ts';
import { folderOf } from '../support/folder.ts';
import { noSmallDisk } from '../support/small_disk.ts';
import { briefly, config } from './doctor_support.ts';

test('a data folder that cannot be made is a failure', (t) => {
  const file = join(folderOf(t), 'file');
  writeFileSync(file, '');
  assert.deepEqual(briefly(checkDataFolder(config({ dataDir: join(file, 'data') }))), ['fail data folder']);
  assert.equal(checkDataFolder(config({ dataDir: file }))[0]!.detail, `${file} is no folder`);
});

test('a data folder that is a link to nothing, or below one, is a failure: none is made there', (t) => {
  const link = join(folderOf(t), 'link');
  symlinkSync(join(link, '..', 'nowhere'), link);
  for (const dataDir of [link, join(link, 'data')]) {
    const checks = checkDataFolder(config({ dataDir }));
    assert.deepEqual([briefly(checks), checks[0]!.detail], [['fail data folder'], `${link} is a link that leads nowhere`]);
  }
});

test('of a data folder whose file system is full or takes no writes that is told, not to give it to another', { skip: noSmallDisk() ?? false }, (t) => {
  const dataDir = folderOf(t);
  const mount = (...words: string[]) => assert.equal(spawnSync('mount', [...words, dataDir]).status, 0);
  const told = () => checkDataFolder(config({ dataDir })).map(({ status, detail, advice }) => `${status} ${detail}: ${advice}`);
  mount('-t', 'tmpfs', '-o', 'nr_inodes=1', 'tmpfs');
  try {
    assert.deepEqual(told(), [`fail ${dataDir} cannot be written (ENOSPC): make room on its disk, of bytes and of files, or set LDS_DATA_DIR`]);
    mount('-o', 'remount,ro');
    assert.deepEqual(told(), [`fail ${dataDir} cannot be written (EROFS): find out why its file system takes no writes, and mount it for writing, or set LDS_DATA_DIR`]);
  } finally {
    spawnSync('umount', ['-l', dataDir]);
  }
});

test('a data folder that does not exist yet is looked for in the nearest one that does', (t) => {
  const [check] = checkDataFolder(config({ dataDir: join(folderOf(t), 'a', 'b') }));
  assert.deepEqual([check!.status, check!.detail.endsWith('will be made')], ['ok', true]);
});

test('a disk is told by its free bytes, and by the files that it still takes', () => {
  const room = { bavail: 2 ** 22, bsize: 4_096, files: 1_000_000, ffree: 999 };
  const checks = [room, { ...room, ffree: 1_000 }, { ...room, files: 0, ffree: 0 }, { ...room, files: 0, ffree: 0, bavail: 1 }].map((given) => checkDisk('/', given));
  assert.deepEqual(checks.map(({ status, detail }) => [status, detail]), [['fail', 'has room for 999 more files'], ['ok', '16.0 GiB free'], ['ok', '16.0 GiB free'], ['fail', '0.0 GiB free']]);
});

test('a native module that takes too long to load on a busy machine is not told to be built anew', async () => {
  const checks = await checkNativeModules('uws', 1);
  assert.deepEqual(briefly(checks), ['warn uWebSockets.js', 'warn better-sqlite3', 'warn @duckdb/node-api', 'warn koffi']);
  for (const { detail } of checks) assert.match(detail, /^has not loaded within /);
});

test('few open files and greedy rows are told', () => {
  assert.deepEqual([null, 256, 4_096, 1_048_576, Infinity].map((files) => checkOpenFiles(files).status), ['warn', 'fail', 'warn', 'ok', 'ok']);
  assert.equal(checkOpenFiles(4_096).detail, 'at most 4096, and 3584 connections');
  assert.deepEqual([checkMemory(config({ rowsMemoryBytes: 6e9 }), 8e9).status, checkMemory(config({ rowsMemoryBytes: 2e9 }), 8e9).status], ['warn', 'ok']);
});
