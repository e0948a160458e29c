import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Command } from '../../src/cli/command.ts';
import { listsCommand } from '../../src/cli/lists.ts';
import { suppressCommand } from '../../src/cli/suppress.ts';
import { validateCommand } from '../../src/cli/validate.ts';
import type { Config } from '../../src/config/schema.ts';
import { folderOf } from '../support/folder.ts';
import { noSmallDisk, smallDisk } from '../support/small_disk.ts';
import { runCommand } from './run_command.ts';

type Body = { readonly emails: readonly string[]; readonly stages?: readonly string[]; readonly timeout_ms?: number };

function run(command: Command, args: readonly string[], dataDir = '') {
  return runCommand('run', command, args, async () => ({ dataDir }) as Config);
}

/** The gateway answers the first `fails` calls with `status`. `path`: the folder of the file. */
type Setting = { readonly path?: string; readonly status?: number; readonly fails?: number; readonly retryAfter?: string };

async function validate(t: TestContext, name: string, text: string, args: readonly string[] = [], { path = folderOf(t), status = 200, fails = Infinity, retryAfter }: Setting = {}) {
  const asked: Body[] = [];
  let calls = 0;
  const server = createServer((request, response) => {
    let sent = '';
    request.on('data', (chunk: Buffer) => { sent += chunk.toString(); });
    request.on('end', () => {
      const body = JSON.parse(sent) as Body;
      asked.push(body);
      const results = body.emails.map((input) => ({
        input, status: input.includes('@') ? 'unknown' : 'undeliverable', reason: 'X', score: 1,
        suggestion: input === 'evil' ? '=1+1' : null, checked_at: '2026-01-01T00:00:00Z',
      }));
      const data = { results, summary: {} };
      const code = ++calls > fails ? 200 : status;
      response.writeHead(code, { 'x-request-id': 'r7', ...(code !== 200 && retryAfter !== undefined ? { 'retry-after': retryAfter } : {}) })
        .end(JSON.stringify(code === 200 ? { data, meta: {} } : { data: null, meta: {}, error: { code: 'RATE_LIMITED', message: 'slow down', status } }));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => { server.closeAllConnections(); server.close(); });
  const file = join(path, name);
  writeFileSync(file, text);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { ...await run(validateCommand, [file, '--url', url, '--key', 'ldx_k', ...args]), asked };
}

const CSV = '\ufeffname;E-Mail;note\r\n"Doe; ""J""";jane@acme.com;"two\r\nlines"\r\n\r\nNobody;;5"" pipe\r\nEvil;evil;\r\n';
const CHECKED = [
  'name;E-Mail;note;validation_status;validation_reason;validation_score;validation_suggestion;validation_checked_at', '"Doe; ""J""";jane@acme.com;"two\r\nlines";unknown;X;1;;2026-01-01T00:00:00Z',
  'Nobody;;5"" pipe;;;;;', 'Evil;evil;;undeliverable;X;1;"\'=1+1";2026-01-01T00:00:00Z', '',
].join('\r\n');

test('CSV comes out as it went in, whatever its quotes and separators, with what was found beside it', async (t) => {
  assert.equal((await validate(t, 'a.csv', CSV, ['--csv'])).out, CHECKED);
  assert.equal((await validate(t, 'a.txt', 'jane@acme.com\n', ['--csv'])).out, 'email,validation_status,validation_reason,validation_score,validation_suggestion,validation_checked_at\r\njane@acme.com,unknown,X,1,,2026-01-01T00:00:00Z\r\n');
});

test('results go to a file that is not there yet, and a run that was cut off goes on where it stopped', async (t) => {
  const path = folderOf(t);
  const out = join(path, 'checked.csv');
  const whole = await validate(t, 'a.csv', CSV, ['--out', out], { path });
  assert.deepEqual([whole.code, whole.notes, readFileSync(out, 'utf8')], [0, '1 unknown, 1 undeliverable\n', CHECKED]);
  assert.equal((await validate(t, 'a.csv', CSV, ['--out', out], { path })).code, 2);
  for (let bytes = 0; bytes <= CHECKED.length; bytes += 7) {
    writeFileSync(out, CHECKED.slice(0, bytes));
    assert.equal((await validate(t, 'a.csv', CSV, ['--out', out, '--resume'], { path })).code, 0);
    assert.equal(readFileSync(out, 'utf8'), CHECKED, `cut after ${bytes}`);
  }
  const done = await validate(t, 'a.csv', CSV, ['--out', out, '--resume'], { path });
  assert.deepEqual([done.asked.length, done.notes], [0, '3 done before, nothing left to do\n']);
});

test('what no earlier run has begun is not gone on with, whatever it holds, and stays as it was', async (t) => {
  const path = folderOf(t);
  const csv = join(path, 'a.csv');
  const text = 'name,email\nJane,jane@acme.com\nJo,jo@acme.com';
  const resumed = async (out: string, ...form: string[]) => validate(t, 'a.csv', text, ['--out', out, '--resume', ...form], { path });
  assert.deepEqual([(await resumed(csv)).code, readFileSync(csv, 'utf8')], [2, text]);
  for (const held of ['one line without an end', 'a diary\nof two days\nand a bit', 'email\njo@acme.com\n', '{"id":"crm:1"}\n', CHECKED]) {
    for (const form of ['--csv', '--ndjson']) {
      const other = join(path, 'other');
      writeFileSync(other, held);
      const { code, asked, notes } = await resumed(other, form);
      assert.deepEqual([code, asked, readFileSync(other, 'utf8')], [2, [], held], `${held} ${form}`);
      assert.match(notes, /other was not begun by this call: it holds something else\. Take another name\./);
    }
  }
});

test('results of other addresses are not gone on with either, nor what is no file', async (t) => {
  const path = folderOf(t);
  const text = 'name,email\nJane,jane@acme.com\nJo,jo@acme.com\n';
  const others = 'name,email\nMax,max@acme.com\nMia,mia@acme.com\nKim,kim@acme.com\n';
  for (const form of ['--csv', '--ndjson']) {
    const out = join(path, `out${form}`);
    const resumed = async (addresses: string) => validate(t, 'a.csv', addresses, ['--out', out, '--resume', form], { path });
    await resumed(text);
    const whole = readFileSync(out, 'utf8');
    const end = whole.indexOf('\n') + 1;
    for (const held of [whole, whole.slice(0, whole.length - 5), whole.slice(0, end + 40), '{"input":"what another program wrote"}\n', '{"input":"and has not ended'].slice(0, form === '--csv' ? 3 : 5)) {
      for (const addresses of [others, 'name,email\n']) {
        writeFileSync(out, held);
        const { code, asked } = await resumed(addresses);
        assert.deepEqual([code, asked, readFileSync(out, 'utf8')], [2, [], held], `${held} of ${addresses}`);
      }
    }
    writeFileSync(out, whole);
    const { code, asked } = await resumed(`${text}Kim,kim@acme.com\n`);
    assert.deepEqual([code, asked.map(({ emails }) => emails)], [0, [['kim@acme.com']]]);
  }
  assert.equal((await validate(t, 'a.csv', text, ['--out', path, '--resume'], { path })).code, 2);
  execFileSync('mkfifo', [join(path, 'pipe')]);
  assert.equal((await validate(t, 'a.csv', text, ['--out', join(path, 'pipe'), '--resume'], { path })).code, 2);
});

test('NDJSON is resumed too', async (t) => {
  const path = folderOf(t);
  const out = join(path, 'checked.ndjson');
  const text = 'a@acme.com\n"a\\"b"@acme.com\nc@acme.com\n';
  await validate(t, 'a.txt', text, ['--out', out], { path });
  const whole = readFileSync(out, 'utf8');
  writeFileSync(out, whole.slice(0, whole.length - 20));
  const { asked } = await validate(t, 'a.txt', text, ['--out', out, '--resume'], { path });
  assert.deepEqual([asked[0]!.emails, readFileSync(out, 'utf8')], [['c@acme.com'], whole]);
});

test('a column that is not there, and a quote that is not closed, are told', async (t) => {
  const wrong = await validate(t, 'a.csv', 'name,phone\nJane,1\n');
  assert.equal(wrong.code, 2);
  assert.match(wrong.notes, /No column of the file is called email\. It has: name, phone\./);
  const open = await validate(t, 'a.csv', 'name,email\n"Jane,jane@acme.com\n');
  assert.deepEqual([open.code, open.asked.length], [1, 0]);
  assert.match(open.notes, /ends inside quotes/);
});

test('where the gateway says when to come back, the command waits; a day is too long', async (t) => {
  const waited = await validate(t, 'a.txt', 'a@b.com\n', [], { status: 429, fails: 2, retryAfter: '0' });
  assert.deepEqual([waited.code, waited.asked.length], [0, 3]);
  const refused = await validate(t, 'a.txt', 'a@b.com\n', [], { status: 429, retryAfter: '40000' });
  assert.deepEqual([refused.code, refused.asked.length], [1, 1]);
  for (const status of [429, 503]) assert.equal((await validate(t, 'a.txt', 'a@b.com\n', [], { status, fails: 1, retryAfter: new Date().toUTCString() })).code, 0, 'a proxy may name the moment');
});

test('where its gateway is in passing trouble, or goes away after it had answered, amid an answer too, the command asks again; at first it tells that nobody is there', async (t) => {
  const startedMs = performance.now();
  const troubled = await validate(t, 'a.txt', 'a@b.com\n', [], { status: 503, fails: 2, retryAfter: '0' });
  assert.deepEqual([troubled.code, troubled.asked.length, troubled.notes], [0, 3, '1 unknown\n']);
  assert.ok(performance.now() - startedMs > 2_900, 'longer each time, though one that starts always says to come back in a moment');
  const file = join(folderOf(t), 'a.txt');
  writeFileSync(file, addresses(1_001));
  for (const [lost, told] of [['leaves', /No gateway answers/], [{ status: 200, body: '{"data":{"results":[', cut: true }, /The answer broke off\./]] as const) {
    const leaves = async (at: number): Promise<{ code: number | null; notes: string; asked: number[] }> => {
      const { url, asked } = await gateway(t, (emails, call) => (call === at ? lost : { status: 200, body: results(emails) }));
      return { ...await run(validateCommand, [file, '--url', url, '--key', 'ldx_k', '--csv']), asked };
    };
    const later = await leaves(2);
    assert.deepEqual([later.code, later.notes, later.asked], [0, '1,001 unknown\n', [1_000, 1, 1]]);
    const first = await leaves(1);
    assert.deepEqual([first.code, first.asked], [1, [1_000]]);
    assert.match(first.notes, told);
  }
});

test('the lines of a file are validated, a thousand a call, and counted', async (t) => {
  const { code, out, notes, asked } = await validate(t,
    'a.txt', Array.from({ length: 1_001 }, (_, index) => `u${index}@acme.com`).join('\r\n'),
    ['--stages', 'syntax, dns', '--timeout-ms', '900', '--ndjson'],
  );
  assert.equal(code, 0);
  assert.deepEqual(asked.map(({ emails, stages, timeout_ms: timeoutMs }) => [emails.length, stages, timeoutMs]), [[1_000, ['syntax', 'dns'], 900], [1, ['syntax', 'dns'], 900]]);
  assert.equal(out.trimEnd().split('\n').length, 1_001);
  assert.equal(JSON.parse(out.split('\n')[0]!).input, 'u0@acme.com');
  assert.equal(notes, '1,001 unknown\n');
});

test('a CSV file is read by its column email, or the one that is named', async (t) => {
  const csv = '\ufeffname,Email,work\n"Doe, Jane",jane@acme.com,"j ""x""@acme.com"\nNobody,,\nJoe,joe,\n';
  assert.deepEqual((await validate(t, 'a.csv', csv)).asked[0]!.emails, ['jane@acme.com', 'joe']);
  assert.deepEqual((await validate(t, 'a.csv', csv, ['--column', 'work'])).asked[0]!.emails, ['j "x"@acme.com']);
  assert.equal((await validate(t, 'a.csv', csv, ['--column', 'phone'])).code, 2);
});

test('a refusal is told with its code and request id', async (t) => {
  const { code, notes } = await validate(t, 'a.txt', 'a@b.com\n', [], { status: 429 });
  assert.deepEqual([code, notes], [1, 'lds validate: 429 RATE_LIMITED: slow down [request r7]\n']);
});

test('results are a table, and an empty file says so', async (t) => {
  const { out } = await validate(t, 'a.txt', 'jane@acme.com\nbad\n');
  assert.match(out, /^input +status +reason +score +suggestion\n[- ]+\njane@acme\.com +unknown +X +1/);
  assert.equal((await validate(t, 'a.txt', '')).notes, 'no address in the file\n');
});

test('a table of several calls has one head, and keeps its columns', async (t) => {
  const long = `${'a'.repeat(20)}@acme.com`;
  const { out } = await validate(t, 'a.txt', `${long}\n`.repeat(1_000) + 'b@acme.com\n');
  const lines = out.trimEnd().split('\n');
  assert.deepEqual([lines.length, lines.filter((line) => line.startsWith('input')).length], [1_003, 1]);
  assert.equal(lines.at(-1), `b@acme.com${' '.repeat(19)}  ${lines[2]!.slice(long.length + 2)}`);
});

/** A gateway that answers each call as it is told, and the numbers of addresses that it was asked for. */
async function gateway(t: TestContext, answer: (emails: readonly string[], call: number) => { readonly status: number; readonly body: string; readonly cut?: true } | 'leaves') {
  const asked: number[] = [];
  const server = createServer((request, response) => {
    let sent = '';
    request.on('data', (chunk: Buffer) => { sent += chunk.toString(); });
    request.on('end', () => {
      const { emails } = JSON.parse(sent) as Body;
      asked.push(emails.length);
      const given = answer(emails, asked.length);
      if (given === 'leaves') {
        response.destroy();
        return;
      }
      const { status, body, cut } = given;
      response.writeHead(status, { 'content-length': Buffer.byteLength(body) + (cut === true ? 10 : 0) });
      if (cut === true) response.write(body, () => response.destroy());
      else response.end(body);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => { server.closeAllConnections(); server.close(); });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const results = (emails: readonly string[]): string => JSON.stringify({
  data: { results: emails.map((input) => ({ input, status: 'unknown', reason: 'X', score: 1, suggestion: null, checked_at: 'now' })) }, meta: {},
});
const addresses = (count: number): string => Array.from({ length: count }, (_, at) => `u${at}@acme.com\n`).join('');

test('where a call may hold fewer addresses, as many go into one as it takes, and all have their result in order', async (t) => {
  const file = join(folderOf(t), 'a.txt');
  writeFileSync(file, addresses(1_300));
  for (const refusal of [{ status: 400, body: '{"data":null,"meta":{},"error":{"code":"TOO_MANY_EMAILS","message":"at most 300"}}' }, { status: 413, body: '<html>too large</html>' }]) {
    const { url, asked } = await gateway(t, (emails) => (emails.length > 300 ? refusal : { status: 200, body: results(emails) }));
    const { code, out, notes } = await run(validateCommand, [file, '--url', url, '--key', 'ldx_k', '--ndjson']);
    assert.deepEqual([code, notes, asked], [0, '1,300 unknown\n', [1_000, 500, 250, 250, 250, 250, 250, 50]]);
    assert.deepEqual(out.trimEnd().split('\n').map((line) => `${(JSON.parse(line) as { input: string }).input}\n`).join(''), addresses(1_300));
  }
});

test('an answer that is no JSON or lacks results is no result, and what is done is told and gone on with', async (t) => {
  const path = folderOf(t);
  const [file, out] = [join(path, 'a.txt'), join(path, 'checked.csv')];
  writeFileSync(file, addresses(2_500));
  const broken = [{ status: 200, body: '<html>log in</html>' }, { status: 200, body: results(['one@acme.com']) }] as const;
  for (const [at, answer] of broken.entries()) {
    const { url } = await gateway(t, (emails, call) => (call === 2 ? answer : { status: 200, body: results(emails) }));
    const shown = await run(validateCommand, [file, '--url', url, '--key', 'ldx_k', '--csv']);
    assert.deepEqual([shown.code, shown.out.trimEnd().split('\n').length], [1, 1_001], `${at}`);
    assert.match(shown.notes, /Only the first 1,000 addresses were validated.*\nlds run: What answers there is no gateway/);
    const { url: again } = await gateway(t, (emails, call) => (call === 2 ? answer : { status: 200, body: results(emails) }));
    const written = await run(validateCommand, [file, '--url', again, '--key', 'ldx_k', '--out', `${out}${at}`]);
    assert.deepEqual([written.code, /go on with --resume/.test(written.notes)], [1, true]);
    const { url: sound, asked } = await gateway(t, (emails) => ({ status: 200, body: results(emails) }));
    assert.equal((await run(validateCommand, [file, '--url', sound, '--key', 'ldx_k', '--out', `${out}${at}`, '--resume'])).code, 0);
    assert.deepEqual([asked, readFileSync(`${out}${at}`, 'utf8').trimEnd().split('\r\n').length], [[1_000, 500], 2_501]);
  }
});

test('what is not UTF-8 is refused, as its rows could not leave as they stood; a mistake in the command leaves no file behind', async (t) => {
  const { url, asked } = await gateway(t, (emails) => ({ status: 200, body: results(emails) }));
  const path = folderOf(t);
  const [file, out] = [join(path, 'a.csv'), join(path, 'out.csv')];
  const [wide, mark] = [Buffer.from('email\r\na@acme.com\r\n', 'utf16le'), Buffer.from([0xff, 0xfe])];
  const files = [
    [Buffer.from('name,email\r\nJosé,jose@acme.com\r\n', 'latin1'), 'WINDOWS-1252'], [gzipSync('email\r\na@acme.com\r\n'), 'WINDOWS-1252'],
    [Buffer.concat([mark, wide]), 'UTF-16'], [wide, 'UTF-16'], [Buffer.from(wide).swap16(), 'UTF-16'],
  ] as const;
  for (const [bytes, charset] of files) {
    writeFileSync(file, bytes);
    const { code, notes } = await run(validateCommand, [file, '--url', url, '--key', 'ldx_k', '--csv']);
    assert.deepEqual([code, notes.includes('not text in UTF-8'), /iconv -f (\S+)/.exec(notes)?.[1]], [1, true, charset]);
  }
  assert.deepEqual(asked, []);
  writeFileSync(file, 'email\na@acme.com\n');
  for (const wrong of [['--key', ''], ['--key', 'k', '--timeout-ms', '1'], ['--key', 'k', '--column', 'x']]) {
    assert.equal((await run(validateCommand, [file, '--url', url, '--out', out, ...wrong])).code, 2);
    assert.equal(existsSync(out), false, wrong.join(' '));
  }
  writeFileSync(join(path, 'a.txt'), 'a@acme.com\rb@acme.com\r\nc@acme.com');
  assert.equal((await run(validateCommand, [join(path, 'a.txt'), '--url', url, '--key', 'k', '--ndjson'])).notes, '3 unknown\n');
});

test('a file that cannot be read is told in one sentence', async (t) => {
  const path = folderOf(t);
  for (const [command, args] of [[validateCommand, ['--key', 'k']], [listsCommand, ['update']], [suppressCommand, ['add', '--file']]] as const) {
    const missing = await run(command, [...args, join(path, 'none.csv')]);
    assert.deepEqual([missing.code, missing.notes.split('\n')[0]], [2, `lds run: ${path}/none.csv: no such file`]);
    assert.equal((await run(command, [...args, path])).notes.split('\n')[0], `lds run: ${path} is a folder, not a file`);
  }
  writeFileSync(join(path, 'a.txt'), addresses(1));
  const nowhere = await run(validateCommand, [join(path, 'a.txt'), '--key', 'k', '--out', join(path, 'none', 'out.csv')]);
  assert.deepEqual([nowhere.code, /out\.csv cannot be written: there is no such folder \(ENOENT\)\./.test(nowhere.notes)], [2, true]);
});

test('a disk that is full is told as such, and what is done is gone on with once there is room', { skip: noSmallDisk() ?? false }, async (t) => {
  const disk = smallDisk(1)!;
  t.after(() => disk.close());
  const out = join(disk.folder, 'checked.csv');
  disk.fillUpTo(65_536);
  const full = await validate(t, 'a.txt', addresses(3_000), ['--out', out]);
  assert.deepEqual([full.code, full.notes.split('\n').slice(-2)], [1, [`lds run: ${out} cannot be written: the disk is full (ENOSPC).`, '']]);
  disk.empty();
  const path = folderOf(t);
  const { code, notes } = await validate(t, 'a.txt', addresses(3_000), ['--out', out, '--resume'], { path });
  assert.deepEqual([code, /^[\d,]+ done before, [\d,]+ unknown\n$/.test(notes), readFileSync(out, 'utf8').split('\r\n').length], [0, true, 3_002]);
});
