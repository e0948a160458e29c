import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { openAddresses, RecordSplitter, type AddressFile, type AddressRecord } from '../../src/cli/address_file.ts';
import { UsageError } from '../../src/cli/command.ts';
import { csvForm } from '../../src/cli/result_file.ts';
import { LIMITS } from '../../src/config/limits.ts';
import { folderOf } from '../support/folder.ts';

function open(t: TestContext, text: string, name = 'a.csv'): Promise<AddressFile> {
  const path = folderOf(t);
  const file = join(path, name);
  writeFileSync(file, text);
  return openAddresses(file, undefined, new AbortController().signal);
}

async function all({ records }: Pick<AddressFile, 'records'>): Promise<AddressRecord[]> {
  const read: AddressRecord[] = [];
  for await (const record of records) read.push(record);
  return read;
}

/** Its rows as they leave, each with a status. */
async function checked(t: TestContext, text: string): Promise<string[]> {
  const file = await open(t, text);
  const form = csvForm(file);
  const records = await all(file);
  return [form.header, form.textOf(records, records.map(() => ({ status: 'unknown' })))].join('').split('\r\n');
}

test('what is found stands below its own names, also beside rows whose last cells are missing', async (t) => {
  assert.deepEqual(await checked(t, 'email;name;note\njane@acme.com\njo@acme.com;Jo\n\nmax@acme.com;Max;"x\n;"\n'), [
    'email;name;note;validation_status;validation_reason;validation_score;validation_suggestion;validation_checked_at',
    'jane@acme.com;;;unknown;;;;', 'jo@acme.com;Jo;;unknown;;;;', 'max@acme.com;Max;"x\n;";unknown;;;;', '',
  ]);
});

test('the column of addresses is found by the names that exports give it', async (t) => {
  for (const name of ['E-mail Address', 'Email Address', 'EMAIL_ADDRESS', 'e-mail', '"Work Email"', ' Mail ', '\u00a0email']) {
    const { records } = await open(t, `name,${name}\nJane,jane@acme.com\n`);
    assert.deepEqual((await all({ records })).map(({ email }) => email), ['jane@acme.com'], name);
  }
});

test('a line that announces the separator is followed, and is no header', async (t) => {
  for (const head of ['sep=|\r\n', '\ufeffSEP=|\n']) {
    assert.deepEqual(await checked(t, `${head}name|email\nDoe, J|jane@acme.com\n`), [
      'name|email|validation_status|validation_reason|validation_score|validation_suggestion|validation_checked_at', 'Doe, J|jane@acme.com|unknown||||', '',
    ]);
  }
});

test('each form of line end ends a row, also where several are mixed; inside quotes none does', async (t) => {
  for (const end of ['\r', '\n', '\r\n']) {
    assert.deepEqual(await checked(t, `sep=;${end}name;email${end}Jo;jo@acme.com${end}"Max\r;";max@acme.com\r\nJane;jane@acme.com${end}`), [
      'name;email;validation_status;validation_reason;validation_score;validation_suggestion;validation_checked_at',
      'Jo;jo@acme.com;unknown;;;;', '"Max\r;";max@acme.com;unknown;;;;', 'Jane;jane@acme.com;unknown;;;;', '',
    ], JSON.stringify(end));
  }
});

test('a line end that two pieces of text share is one', () => {
  const splitter = new RecordSplitter(',');
  assert.deepEqual(['a,b\r', '\nc,d\r', 'e,"f\r', '\n"\r', ''].map((piece) => splitter.push(piece)), [[], ['a,b'], ['c,d'], [], []]);
  assert.deepEqual(splitter.end(), ['e,"f\r\n"']);
});

test('of a file of another kind no more is shown than a line, and no sign that a terminal would obey', async (t) => {
  await assert.rejects(open(t, 'na\u001b[2Jme,"pho\rne"\rJo,1\n'), { message: 'No column of the file is called email. It has: na [2Jme, pho ne. Name one with --column.' });
  await assert.rejects(open(t, 'a,'.repeat(100_000)), ({ message }: Error) => message.length < 600 && message.endsWith('…. Name one with --column.'));
});

test('JSON is refused by its head, and told from addresses and from columns that begin as it does', async (t) => {
  const rows = ['{"email":"jane@acme.com"}\n{"email":"jo@acme.com"}\n', '{ "email": "jane@acme.com" }', '{\n  "email": "jane@acme.com"\n}', '[{"email":"jane@acme.com"}]', '["jane@acme.com"]', '[\n  "jane@acme.com"\n]', '[["email"]]'];
  for (const text of rows) await assert.rejects(open(t, text), (error: Error) => error instanceof UsageError && error.message.startsWith('The file is JSON'), text);
  assert.deepEqual((await all(await open(t, '{jane}@acme.com\n{jo@acme.com\n', 'a.txt'))).map(({ email }) => email), ['{jane}@acme.com', '{jo@acme.com']);
  assert.deepEqual((await all(await open(t, '[id],email\n1,jane@acme.com\n'))).map(({ email }) => email), ['jane@acme.com']);
});

test('a line that no address can be is refused before it fills the memory', async (t) => {
  const { csvRecordCharactersMax: most } = LIMITS;
  assert.equal((await all(await open(t, `jane@acme.com\n${'x'.repeat(most)}\njo@acme.com`, 'a.txt'))).length, 3);
  for (const text of [`jane@acme.com\n${'x'.repeat(2 * most)}`, `${'jane@acme.com,'.repeat(most / 4)}\n`]) {
    await assert.rejects(open(t, text, 'a.txt').then(all), { message: `A line is longer than ${most} characters: a file without columns has one address a line.` });
  }
});
