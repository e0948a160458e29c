import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { listsCommand } from '../../src/cli/lists.ts';
import type { Config } from '../../src/config/schema.ts';
import { folderOf } from '../support/folder.ts';
import { noSmallDisk, smallDisk } from '../support/small_disk.ts';
import { runCommand } from './run_command.ts';

function run(args: readonly string[], dataDir: string) {
  return runCommand('run', listsCommand, args, async () => ({ dataDir }) as Config);
}

test('a list is replaced by a file of names, with its source and date', async (t) => {
  const dataDir = folderOf(t);
  const file = join(dataDir, 'names.conf');
  writeFileSync(file, 'Throw.com\n# note\nnot a name\n');
  const { code, out, notes } = await run(['update', file], dataDir);
  assert.deepEqual([code, out, notes], [0, 'disposable: 1 name\n', '1 line is no name: line 3\n']);
  assert.match(readFileSync(join(dataDir, 'lists', 'disposable.txt'), 'utf8'), /^# disposable, from names\.conf, \d{4}-\d\d-\d\d\nthrow\.com\n$/);
  writeFileSync(file, '# nothing\n');
  assert.equal((await run(['update', file], dataDir)).code, 1);
  writeFileSync(file, '["throw.com"');
  assert.match((await run(['update', file], dataDir)).notes, /^lds run: names\.conf begins as a JSON array and is none: /);
  assert.match((await run(['update', '/dev/zero'], dataDir)).notes, /^lds run: zero is larger than \d+ bytes\.\n$/);
  assert.equal((await run(['update', file, '--list', 'spam'], dataDir)).code, 2);
  assert.equal((await run(['delete'], dataDir)).code, 2);
});

test('entries of a JSON array that are no strings are no names, and are told by their place', async (t) => {
  const dataDir = folderOf(t);
  const file = join(dataDir, 'names.json');
  writeFileSync(file, '["info", null, ["sales"], {"name": "hr"}, 3, "a b", "Billing"]');
  const { code, out, notes } = await run(['update', file, '--list', 'role'], dataDir);
  assert.deepEqual([code, out, notes], [0, 'role: 2 names\n', '5 entries are no names, the first is entry 2\n']);
  assert.match(readFileSync(join(dataDir, 'lists', 'role.txt'), 'utf8'), /\ninfo\nbilling\n$/);
});

test('a list for which the disk has no room is told so, and what was in use stays', { skip: noSmallDisk() ?? false }, async (t) => {
  const disk = smallDisk(1)!;
  t.after(() => disk.close());
  const file = join(folderOf(t), 'names.conf');
  writeFileSync(file, 'throw.com\n');
  assert.equal((await run(['update', file], disk.folder)).code, 0);
  disk.fillUpTo(65_536);
  writeFileSync(file, Array.from({ length: 10_000 }, (_, index) => `throw${index}.com\n`).join(''));
  const { code, notes } = await run(['update', file], disk.folder);
  assert.deepEqual([code, notes], [1, `lds run: the list disposable in ${disk.folder} cannot be written: the disk is full (ENOSPC). What was in use stays.\n`]);
  assert.match(readFileSync(join(disk.folder, 'lists', 'disposable.txt'), 'utf8'), /\nthrow\.com\n$/);
  assert.deepEqual(readdirSync(join(disk.folder, 'lists')), ['disposable.txt']);
});
