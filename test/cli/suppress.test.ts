import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { suppressCommand } from '../../src/cli/suppress.ts';
import type { Config } from '../../src/config/schema.ts';
import { folderOf } from '../support/folder.ts';
import { runCommand } from './run_command.ts';

function place(t: TestContext): (...args: string[]) => Promise<string> {
  const dataDir = folderOf(t);
  return async (...args) => {
    const { code, notes } = await runCommand('suppress', suppressCommand, args, async () => ({ dataDir, databaseUrl: null }) as Config);
    assert.equal(code, 0, notes);
    return notes;
  };
}

test('what was added and removed is told, and that the rest was there, or not, only where some was', async (t) => {
  const suppress = place(t);
  // Before it stands that a new store begins there.
  assert.match(await suppress('add', 'jo@example.com'), /\n1 value: 1 entry added\.\n$/);
  assert.equal(await suppress('add', 'jo@example.com', 'example.org'), '2 values: 1 entry added, the others were there already.\n');
  // An address of such a domain is kept in both its spellings.
  assert.equal(await suppress('add', 'jo@example.com', 'jo@b\u00fccher.example'), '2 values: 2 entries added, the others were there already.\n');
  assert.equal(await suppress('remove', 'jo@b\u00fccher.example'), '1 value: 2 entries removed.\n');
  assert.equal(await suppress('remove', 'example.org', 'example.net'), '2 values: 1 entry removed, the others were not there.\n');
});

test('a value of no form is refused with all the forms, what it was taken for first, and one of a form that is asked for with that alone', async (t) => {
  const dataDir = folderOf(t);
  const refused = async (...args: string[]): Promise<string> => {
    const { code, notes } = await runCommand('suppress', suppressCommand, ['add', ...args], async () => ({ dataDir, databaseUrl: null }) as Config);
    assert.equal(code, 2, notes);
    return notes.split('\n')[0]!;
  };
  const all = ['a domain such as example.com', 'an email address', 'the SHA-256 of a trimmed, lower-case email address, as 64 hexadecimal digits', 'the address of a LinkedIn profile or company page'];
  assert.equal(await refused('abc'), `lds suppress: Not ${all.join(', or ')}: abc`);
  assert.equal(await refused('jo@'), `lds suppress: Not ${[all[1], all[2], all[0], all[3]].join(', or ')}: jo@`);
  assert.equal(await refused('abc', '--form', 'email'), 'lds suppress: Not an email address: abc');
});

test('of a file the lines that were not taken are told, and counted', async (t) => {
  const dataDir = folderOf(t);
  const file = join(dataDir, 'values');
  const told = async (text: string): Promise<string> => {
    writeFileSync(file, text);
    const { code, notes } = await runCommand('suppress', suppressCommand, ['add', '--file', file], async () => ({ dataDir, databaseUrl: null }) as Config);
    assert.equal(code, 1, notes);
    return notes.trim().split('\n').at(-1)!;
  };
  assert.equal(await told('example.org\n?\n'), '1 line was not taken.');
  assert.equal(await told('?\n!\n'), '2 lines were not taken.');
});

test('an address that is not in UTF-8 is not taken for another one', async (t) => {
  const dataDir = folderOf(t);
  const file = join(dataDir, 'values');
  writeFileSync(file, Buffer.from('jo@example.com\tJ\xf6rg\nj\xf6rg@example.com\n', 'latin1'));
  const config = async () => ({ dataDir, databaseUrl: null }) as Config;
  const latin = await runCommand('suppress', suppressCommand, ['add', '--file', file], config);
  assert.match(latin.notes, /\nLine 2 is not taken: it is not text in UTF-8\.\n1 value: 1 entry added\.\n1 line was not taken\.\n$/);
  writeFileSync(file, '\ufeffj\u00f6rg@example.com\r\nvoil\u00e0@example.com\u2028\n\ufffd@example.com\n');
  const { code, notes } = await runCommand('suppress', suppressCommand, ['add', '--file', file], config);
  assert.deepEqual([code, notes], [0, '3 values: 3 entries added.\n']);
});

test('quotes around a cell are no part of it, and those of an address are', async (t) => {
  const dataDir = folderOf(t);
  const file = join(dataDir, 'values');
  const addresses = ['jo@example.com', '"example.net"@example.com', '"jo doe"@example.com'];
  writeFileSync(file, `"${addresses[0]}";x\n${addresses[1]}\n"${addresses[2]!.replaceAll('"', '""')}","x"\n`);
  const config = async () => ({ dataDir, databaseUrl: null }) as Config;
  assert.equal((await runCommand('suppress', suppressCommand, ['add', '--file', file], config)).code, 0);
  const { out } = await runCommand('suppress', suppressCommand, ['list'], config);
  assert.deepEqual(out.trim().split('\n').map((line) => line.split('\t')[1]), addresses.map((address) => createHash('sha256').update(address).digest('hex')));
});

test('an option that the list does not take is named', async () => {
  const { code, notes } = await runCommand('suppress', suppressCommand, ['list', '--file', 'values'], async () => assert.fail('ran'));
  assert.deepEqual([code, notes.split('\n')[0]], [2, 'lds suppress: list takes no --file.']);
});
