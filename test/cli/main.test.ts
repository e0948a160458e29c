import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { open, readFile, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { VERSION } from '../../src/config/version.ts';
import { Authority, NO_OPENSSL } from '../support/certificates.ts';
import { folderOf } from '../support/folder.ts';
import { OWN_KIND } from '../support/http_kinds.ts';
import { MAIN } from '../support/main.ts';
import { until } from '../support/until.ts';

function lds(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [MAIN, ...args], { env: { PATH: process.env['PATH'], ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
  const told = { out: '', notes: '' };
  child.stdout.on('data', (chunk: Buffer) => { told.out += chunk.toString(); });
  child.stderr.on('data', (chunk: Buffer) => { told.notes += chunk.toString(); });
  const ended = once(child, 'close').then(([code, signal]) => ({ code: code as number | null, signal: signal as NodeJS.Signals | null, ...told }));
  return { child, ended };
}

async function gateway(t: TestContext, answer: (response: ServerResponse) => void): Promise<Record<string, string>> {
  const server = createServer((_request, response) => answer(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => { server.closeAllConnections(); server.close(); });
  return { LDS_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, LDS_KEY: 'ldx_x' };
}

test('the process exits with the code of the command', async () => {
  const [version, unknown] = await Promise.all([lds(['--version']).ended, lds(['nonsense']).ended]);
  assert.deepEqual([version.code, version.out, version.notes], [0, `${VERSION}\n`, '']);
  assert.deepEqual([unknown.code, unknown.out], [2, '']);
});

test('the source runs as it is, its types left out', { skip: 'typescript' in process.features ? false : 'this Node reads no TypeScript' }, () => {
  const { status, stdout } = spawnSync(process.execPath, [join('src', 'main.ts'), '--version'], { cwd: fileURLToPath(new URL('../../../', import.meta.url)), encoding: 'utf8' });
  assert.deepEqual([status, stdout], [0, `${VERSION}\n`]);
});

test('an admin key that was mistyped stops the command before it begins', async () => {
  const key = `lda_${'0'.repeat(38)}`;
  const { code, out, notes } = await lds(['accounts'], { LDS_ADMIN_KEY: key, LDS_DATA_DIR: '/nowhere' }).ended;
  assert.deepEqual([code, out], [2, '']);
  assert.match(notes, /admin_key \(LDS_ADMIN_KEY\): mistyped/);
  assert.ok(!notes.includes(key));
  const both = await lds(['accounts'], { LDS_ADMIN_KEY: key, LDS_PORT: 'x' }).ended;
  assert.match(both.notes, /LDS_PORT: .*\n.*admin_key \(LDS_ADMIN_KEY\): mistyped/, 'beside what else is not right');
});

test('a large answer reaches a slow reader whole before the process ends', async (t) => {
  const text = `${'x'.repeat(2_000_000)}\n{"@end":{"partial":false}}\n`;
  const env = await gateway(t, (response) => response.end(text));
  const { child, ended } = lds(['find', 'contacts', '--ndjson'], env);
  child.stdout.pause();
  setTimeout(() => child.stdout.resume(), 400);
  const { code, out } = await ended;
  assert.equal(out.length, text.length);
  assert.equal(code, 0);
});

test('a reader who left ends the command without a word', async (t) => {
  const env = await gateway(t, (response) => {
    const timer = setInterval(() => response.write(`${'x'.repeat(10_000)}\n`), 2);
    response.on('close', () => clearInterval(timer));
  });
  const { child, ended } = lds(['find', 'contacts', '--ndjson'], env);
  await once(child.stdout, 'data');
  child.stdout.destroy();
  const { code, notes } = await ended;
  assert.deepEqual([code, notes], [0, '']);
});

test('an output that cannot be written is a failure told once', { skip: !existsSync('/dev/full') }, async () => {
  const full = openSync('/dev/full', 'w');
  const child = spawn(process.execPath, [MAIN, '--help'], { stdio: ['ignore', full, 'pipe'] });
  let notes = '';
  child.stderr!.on('data', (chunk: Buffer) => { notes += chunk.toString(); });
  const [code] = await once(child, 'close');
  closeSync(full);
  assert.deepEqual([code, notes], [1, 'lds: The output cannot be written (ENOSPC).\n']);
});

test('what is shown once, and could not be shown, is not left behind, and the command has failed', { skip: !existsSync('/dev/full') }, async (t) => {
  const folder = folderOf(t);
  const env = { LDS_DATA_DIR: folder };
  const unseen = async (to: 'full' | 'gone', ...args: string[]) => {
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, [MAIN, ...args], { env: { PATH: process.env['PATH'], ...env }, stdio: ['ignore', to === 'full' ? full : 'pipe', 'pipe'] });
    closeSync(full);
    child.stdout?.destroy();
    let notes = '';
    child.stderr!.on('data', (chunk: Buffer) => { notes += chunk.toString(); });
    const [code] = await once(child, 'close');
    return [code, notes.trim().split('\n').at(-1)];
  };
  const create = ['keys', 'create', '--account', 'jo@example.com'];
  await lds(create, env).ended;
  for (const to of ['full', 'gone'] as const) {
    assert.deepEqual(await unseen(to, ...create), [1, 'The key could not be shown, and was revoked: make another.']);
    assert.deepEqual(await unseen(to, 'invites', 'create'), [1, 'The invite could not be shown, and was dropped: make another.']);
    assert.deepEqual(await unseen(to, 'accounts', 'password', 'jo@example.com'), [1, 'The new password could not be shown: nothing was changed.']);
  }
  const [keys, invites, again] = await Promise.all([lds(['keys', 'list', '--json'], env).ended, lds(['invites', 'list', '--json'], env).ended, lds(create, env).ended]);
  assert.equal((JSON.parse(keys.out) as { state: string }[]).filter(({ state }) => state === 'revoked').length, 2);
  assert.equal(invites.out, '[]\n');
  assert.doesNotMatch(again.notes, /Somebody signed up/, 'no password was set');
});

test('an interrupt ends a command that waits', async (t) => {
  const env = await gateway(t, (response) => response.write('{"id":"crm:1"}\n'));
  const { child, ended } = lds(['find', 'contacts', '--ndjson'], env);
  await once(child.stdout, 'data');
  child.kill('SIGINT');
  assert.equal((await ended).code, 1);
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`${signal} ends a command that waits for more to come on its standard input`, async (t) => {
    const env = await gateway(t, (response) => response.end(JSON.stringify({ data: { results: Array.from({ length: 1_000 }, () => ({ status: 'unknown' })) } })));
    const validate = lds(['validate', '-', '--ndjson'], env);
    validate.child.stdin.write('a@acme.com\n'.repeat(1_001));
    await once(validate.child.stdout, 'data');
    validate.child.kill(signal);
    const told = await validate.ended;
    assert.deepEqual([told.code, told.notes.includes('Only the first 1,000 addresses were validated')], [1, true]);

    const folder = folderOf(t);
    await lds(['suppress', 'add', 'example.org'], { LDS_DATA_DIR: folder }).ended;
    const suppress = lds(['suppress', 'add', '--file', '-'], { LDS_DATA_DIR: folder });
    suppress.child.stdin.write('nothing\n');
    await once(suppress.child.stderr, 'data');
    suppress.child.kill(signal);
    assert.deepEqual([(await suppress.ended).code, (await suppress.ended).notes.split('\n').length], [1, 2]);
  });
}

/** What becomes of a command that gets a signal amid a stream, which comes to its end `restMs` later. */
async function signalledAmidStream(t: TestContext, signal: NodeJS.Signals, restMs = 0) {
  const held: ServerResponse[] = [];
  const env = await gateway(t, (response) => { held.push(response); response.write('{"id":"crm:1"}\n'); });
  const { child, ended } = lds(['find', 'contacts', '--ndjson'], env);
  await once(child.stdout, 'data');
  child.kill(signal);
  await sleep(restMs);
  for (const response of held) response.end('{"@end":{"partial":false}}\n');
  return ended;
}

test('without a terminal, as under nohup, SIGHUP ends no command', async (t) => {
  const { code, signal } = await signalledAmidStream(t, 'SIGHUP');
  assert.deepEqual([code, signal], [0, null]);
});

test('SIGUSR1 opens no debugger, and ends no command', async (t) => {
  // Time enough for Node to open one.
  const { code, notes } = await signalledAmidStream(t, 'SIGUSR1', 500);
  assert.deepEqual([code, notes], [0, '']);
});

const NO_TERMINAL = spawnSync('script', ['--version']).status === 0 ? false : 'no terminal can be made here';

test('a terminal that closes ends what was started in it as a signal does that asks', { skip: NO_TERMINAL }, async (t) => {
  const folder = folderOf(t);
  const env = await gateway(t, (response) => response.write('{"id":"crm:1"}\n'));
  const told = join(folder, 'code');
  // The shell is whom the system tells of it; it passes that on, and outlives the terminal.
  const command = `trap 'kill -HUP $!' HUP; '${process.execPath}' '${MAIN}' find contacts --ndjson & wait $!; wait $!; echo $? > '${told}.part'; mv '${told}.part' '${told}'`;
  const terminal = spawn('script', ['-qc', command, '/dev/null'], { env: { PATH: process.env['PATH'], SHELL: '/bin/sh', ...env }, stdio: ['pipe', 'pipe', 'ignore'] });
  t.after(() => terminal.kill('SIGKILL'));
  await once(terminal.stdout, 'data');
  terminal.kill('SIGKILL');
  await until(() => existsSync(told));
  assert.equal(readFileSync(told, 'utf8'), '1\n');
});

test('a pipe that is named holds no command: one signal ends what reads it as it comes, two end everything', async (t) => {
  const env = await gateway(t, (response) => response.end(JSON.stringify({ data: { results: [{ status: 'unknown' }] } })));
  const folder = folderOf(t);
  const pipe = join(folder, 'pipe');
  spawnSync('mkfifo', [pipe]);
  const whole = lds(['validate', pipe, '--ndjson'], env);
  await writeFile(pipe, 'a@acme.com\n');
  assert.deepEqual(await whole.ended, { code: 0, signal: null, out: '{"status":"unknown"}\n', notes: '1 unknown\n' });

  const stopped = async (often: boolean, args: string[], more: Record<string, string> = {}): Promise<unknown> => {
    const { child, ended } = lds(args, { ...env, LDS_DATA_DIR: folder, ...more });
    const writer = await open(pipe, 'w');
    child.kill('SIGTERM');
    const again = setInterval(() => { if (often) child.kill('SIGTERM'); }, 20);
    const { code, signal } = await ended;
    clearInterval(again);
    await writer.close();
    return code ?? signal;
  };
  assert.equal(await stopped(false, ['validate', pipe]), 1);
  assert.equal(await stopped(false, ['suppress', 'add', '--file', pipe]), 1);
  assert.equal(await stopped(false, ['lists', 'update', pipe, '--list', 'free']), 1);
  assert.equal(await stopped(true, ['sources'], { LDS_CONFIG: pipe }), 'SIGTERM');
});

test('a pipe that breaks off because all that runs is told to end leaves a list as it was', async (t) => {
  const folder = folderOf(t);
  const pipe = join(folder, 'pipe');
  spawnSync('mkfifo', [pipe]);
  const { child, ended } = lds(['lists', 'update', pipe], { LDS_DATA_DIR: folder });
  const writer = await open(pipe, 'w');
  await writer.write('a.com\nb.c');
  child.kill('SIGINT');
  await sleep(200);
  await writer.close();
  assert.equal((await ended).code, 1);
  assert.equal(existsSync(join(folder, 'lists')), false);
});

/** Under this limit. Newer versions of Node take no more addresses there than they have bytes. */
const FEW_ADDRESSES = 'ulimit -v 6000000; exec "$0" "$@"';
const ENOUGH = spawnSync('sh', ['-c', FEW_ADDRESSES, process.execPath, '-e', 'new WebAssembly.Memory({ initial: 1 })'], { stdio: 'ignore' }).status === 0 && 'this Node has enough';

test('where the limit of addresses leaves no room to read an answer of HTTP, that is told, and no gateway is said to be missing', { skip: ENOUGH }, async (t) => {
  const env = { ...await gateway(t, (response) => response.end('{}')), PATH: process.env['PATH'] ?? '', LDS_DATA_DIR: tmpdir(), LDS_PORT: '0' };
  const limited = (...args: string[]) => new Promise<{ code: unknown; out: string; notes: string }>((resolve) => {
    execFile('sh', ['-c', FEW_ADDRESSES, process.execPath, MAIN, ...args], { env }, (error, out, notes) => resolve({ code: error?.code ?? 0, out, notes }));
  });
  const found = await limited('find', 'contacts');
  assert.deepEqual([found.code, found.notes], [1, 'lds find: This process has too few addresses to read an answer (ulimit -v): lds doctor says what to do.\n']);
  const examined = await limited('doctor', '--json');
  assert.deepEqual([examined.code, examined.notes], [1, '']);
  const { checks } = JSON.parse(examined.out) as { checks: { name: string; status: string }[] };
  assert.deepEqual(checks.filter(({ status }) => status === 'fail').map(({ name }) => name), ['addresses']);
});

test('where the engine of ingests and Parquet does not load the doctor says so, and goes on', async (t) => {
  const folder = folderOf(t);
  await writeFile(join(folder, 'without.cjs'), "const { dlopen } = process;\nprocess.dlopen = (module, file, ...rest) => { if (file.includes('duckdb')) throw new Error('gone'); dlopen(module, file, ...rest); };\n");
  await writeFile(join(folder, 'lds.yaml'), 'sources: [{ name: files, dataset: contacts, kind: parquet, path: "./*.parquet" }]\n');
  const { code, out } = await lds(['doctor', '--json'], {
    NODE_OPTIONS: `--require=${join(folder, 'without.cjs')}`,
    LDS_DATA_DIR: folder, LDS_PORT: '0', LDS_HTTP: OWN_KIND, LDS_CONFIG: join(folder, 'lds.yaml'), LDS_DNS_SERVERS: '127.0.0.1:9',
  }).ended;
  const { checks } = JSON.parse(out) as { checks: { name: string; status: string }[] };
  assert.equal(code, 1);
  assert.deepEqual(checks.filter(({ status }) => status === 'fail').map(({ name }) => name), ['@duckdb/node-api', 'source files']);
});

test('a gateway that is not there is told in one line', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.close();
  const { code, notes } = await lds(['find', 'contacts'], { LDS_URL: url, LDS_KEY: 'ldx_x' }).ended;
  assert.deepEqual([code, notes], [1, `lds find: No gateway answers at ${url} (ECONNREFUSED). Is it running?\n`]);
});

test('of a gateway whose certificate is not known it is told what to do', { skip: NO_OPENSSL }, async (t) => {
  const authority = new Authority();
  t.after(() => authority.remove());
  const { cert, key } = authority.certificate('IP:127.0.0.1');
  const server = createTlsServer({ cert: readFileSync(cert), key: readFileSync(key) }, (socket) => { socket.end(); }).listen(0, '127.0.0.1');
  server.on('tlsClientError', () => {});
  t.after(() => { server.close(); });
  await once(server, 'listening');
  const LDS_URL = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { code, notes } = await lds(['find', 'contacts'], { LDS_URL, LDS_KEY: 'ldx_x' }).ended;
  assert.equal(code, 1);
  assert.match(notes, /^lds find: No gateway answers at https:\S+ \(\w+\): .*NODE_EXTRA_CA_CERTS.*\.\n$/);
});

test('npm start becomes the gateway itself, so that a signal to npm reaches it', async (t) => {
  const bin = folderOf(t);
  await writeFile(join(bin, 'npm'), '#!/bin/sh\n', { mode: 0o755 });
  await writeFile(join(bin, 'node'), '#!/bin/sh\necho $$ "$@"\n', { mode: 0o755 });
  const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as { scripts: { start: string } };
  const { pid, stdout } = spawnSync('sh', ['-c', scripts.start], { encoding: 'utf8', env: { PATH: `${bin}:${process.env['PATH']}` } });
  assert.equal(stdout, `${pid} --use-largepages=silent dist/src/main.js serve\n`);
});
