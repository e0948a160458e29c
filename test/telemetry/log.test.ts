import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { LOG_LEVELS, type LogLevel } from '../../src/config/schema.ts';
import { LIMITS } from '../../src/config/limits.ts';
import { AppError } from '../../src/model/errors.ts';
import { FileOut } from '../../src/telemetry/file_out.ts';
import { openLog } from '../../src/telemetry/log.ts';
import type { RequestLine } from '../../src/telemetry/request_line.ts';
import { noSmallDisk, smallDisk } from '../support/small_disk.ts';
import { until } from '../support/until.ts';

/** A reader of stdout that can stop reading. */
class Reader extends Writable {
  text = '';
  #resume: (() => void) | null = null;
  stopped = false;

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    if (this.stopped) this.#resume = done;
    else done();
  }

  read(): void {
    this.stopped = false;
    this.#resume?.();
  }

  lines(): Record<string, unknown>[] {
    return this.text.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as Record<string, unknown>);
  }
}

const LOG = new URL('../../src/telemetry/log.js', import.meta.url).href;

const LINE: RequestLine = {
  unixMs: Date.UTC(2026, 0, 2, 3, 4, 5, 6), id: '01jd2-req', clientRequestId: 'theirs.1', account: 'acc_1', key: 'key_1', route: '/v1/find', method: 'POST', target: null, status: 200, error: null, cap: null,
  ms: 1.23456, rows: 25, bytes: 7_000, units: 1,
  sources: [{ source: 'crm', status: 'complete', returned: 20, took_ms: 0.512 }, { source: 'events', status: 'failed', returned: 0, took_ms: 3 }],
};

test("the request's log line is written at every log level, under its id", async () => {
  for (const level of LOG_LEVELS) {
    const reader = new Reader();
    const log = openLog(level, reader);
    log.request(LINE);
    await log.close();
    assert.deepEqual(reader.lines().map((line) => line['id']), [LINE.id], level);
  }
});

test('a request is one line of JSON with the fields of the contract', async () => {
  const reader = new Reader();
  const log = openLog('info', reader);
  log.request(LINE);
  log.request({ ...LINE, clientRequestId: null, account: null, key: null, status: 502, error: 'sources_unreachable', sources: [] });
  await log.close();
  const [first, second] = reader.lines();
  assert.deepEqual(first, {
    level: 30, time: '2026-01-02T03:04:05.006Z', id: '01jd2-req', client_request_id: 'theirs.1', account: 'acc_1', key: 'key_1', method: 'POST', route: '/v1/find', status: 200,
    ms: 1.23, rows: 25, bytes: 7_000, units: 1, msg: 'request',
    sources: [{ source: 'crm', status: 'complete', returned: 20, ms: 0.51 }, { source: 'events', status: 'failed', returned: 0, ms: 3 }],
  });
  assert.deepEqual([second!['level'], second!['error'], 'account' in second!, 'cap' in second!], [50, 'sources_unreachable', false, false]);
});

test('a call that made, changed or ended something says what', async () => {
  const reader = new Reader();
  const log = openLog('info', reader);
  log.request({ ...LINE, target: 'key_2' });
  await log.close();
  assert.deepEqual(reader.lines().map(({ route, target }) => [route, target]), [['/v1/find', 'key_2']]);
});

test('a call that a cap turned away says which', async () => {
  const reader = new Reader();
  const log = openLog('info', reader);
  log.request({ ...LINE, status: 429, error: 'rate_limited', cap: 'daily' });
  await log.close();
  assert.deepEqual(reader.lines().map(({ level, error, cap }) => [level, error, cap]), [[30, 'rate_limited', 'daily']]);
});

test('each line says who asked for what, whoever did before', async () => {
  const reader = new Reader();
  const log = openLog('info', reader);
  const changes = [{}, { account: 'acc_2' }, {}, { key: null }, {}, { method: 'GET' }, {}, { route: '/v1/validate' }, {}, { status: 404 }, {}, {}];
  for (const change of changes) log.request({ ...LINE, ...change });
  await log.close();
  const said = reader.lines().map(({ account, key = null, method, route, status }) => ({ account, key, method, route, status }));
  const { account, key, method, route, status } = LINE;
  assert.deepEqual(said, changes.map((change) => ({ account, key, method, route, status, ...change })));
});

test('no text can break out of its line', async () => {
  const reader = new Reader();
  const log = openLog('info', reader);
  const hostile = 'a"\\\n{"forged":true}\u2028é\u0000';
  log.request({ ...LINE, clientRequestId: hostile, account: hostile, route: hostile, sources: [{ ...LINE.sources[0]!, source: hostile }] });
  log.info(hostile, { reason: hostile });
  await log.close();
  const [line, other] = reader.lines();
  assert.deepEqual([line!['account'], line!['route'], other!['reason'], reader.lines().length], [hostile, hostile, hostile, 2]);
});

test('a line below the level is left out', async () => {
  const written = async (level: LogLevel): Promise<number> => {
    const reader = new Reader();
    const log = openLog(level, reader);
    log.info('b'); log.warn('c'); log.error('d'); log.fatal('e');
    await log.close();
    return reader.lines().length;
  };
  assert.deepEqual(await Promise.all((['debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const).map(written)), [4, 4, 3, 2, 1, 0]);
});

test('only the listed fields are written', async () => {
  const reader = new Reader();
  const log = openLog('info', reader);
  const more = { source: 'crm', rows: 3, email: 'jane@acme.com', body: '{}' };
  log.info('loaded', more);
  await log.close();
  const { time: _, ...line } = reader.lines()[0]!;
  assert.deepEqual(line, { level: 30, source: 'crm', rows: 3, msg: 'loaded' });
});

test('keys, emails and passwords in the texts of errors are blotted out, down to their causes', async () => {
  const reader = new Reader();
  const log = openLog('info', reader);
  const key = `ldx_${'0'.repeat(38)}`;
  const cause = new Error(`duplicate row (jane.doe+x@acme.example) for ${key} at postgres://user:hunter2@db/leads`);
  log.error(`failed for jane@acme.example`, { error: new AppError('internal', 'a failure', { cause }), reason: `key ${key}` });
  log.error('odd', { error: 'jane@acme.example' });
  await log.close();
  assert.doesNotMatch(reader.text, /jane|hunter2|ldx_0/);
  const [line] = reader.lines();
  const error = line!['error'] as { type: string; code: string; cause: { message: string } };
  assert.deepEqual([error.type, error.code, error.cause.message], ['AppError', 'internal', 'duplicate row ([email]) for [key] at postgres://db/leads']);
});

test('lines leave within the flush interval without anybody closing the log', async () => {
  const reader = new Reader();
  const log = openLog('info', reader);
  log.request(LINE);
  assert.equal(reader.text, '');
  await new Promise((resolve) => { setTimeout(resolve, LIMITS.logFlushMs + 50); });
  assert.equal(reader.lines().length, 1);
});

test('a reader who stops reading costs a bounded buffer, and learns how many lines he lost', async () => {
  const reader = new Reader({ highWaterMark: 1 });
  const log = openLog('info', reader);
  reader.stopped = true;
  const all = 40_000;
  for (let line = 0; line < all; line += 1) log.request(LINE);
  const lost = log.dropped();
  assert.ok(lost > 0 && lost < all);
  reader.read();
  await log.close();
  log.request(LINE);
  await log.close();
  const notes = reader.lines().filter((line) => line['msg'] !== 'request');
  assert.deepEqual(notes.map((line) => line['count']), [lost]);
  assert.equal(reader.lines().length, all - lost + 2);
  assert.ok(reader.text.length < LIMITS.logWaitingBytesMax * 1.1);
});

test('closing does not wait for a reader who never reads', async () => {
  const reader = new Reader({ highWaterMark: 1 });
  const log = openLog('info', reader);
  reader.stopped = true;
  log.request(LINE);
  const before = performance.now();
  await log.close();
  assert.ok(performance.now() - before < LIMITS.logCloseMsMax + 2_000);
});

test('a reader who left is not written to any more', async () => {
  const reader = new Reader();
  const log = openLog('info', reader);
  reader.destroy(new Error('EPIPE'));
  await new Promise(setImmediate);
  log.request(LINE);
  await log.close();
  assert.equal(log.dropped(), 1);
});

test('a file that is full for a while loses what it has no room for, learns how many lines, and gets the next ones whole', { skip: noSmallDisk() ?? false }, async (t) => {
  const disk = smallDisk(1)!;
  const file = join(disk.folder, 'log');
  const fd = openSync(file, 'a');
  t.after(() => { closeSync(fd); disk.close(); });
  const log = openLog('info', new FileOut(fd));
  const say = (lines: number): void => { for (let line = 0; line < lines; line += 1) log.request(LINE); };
  const told = (text: string): Promise<void> => until(() => readFileSync(file, 'utf8').includes(text));
  say(1);
  await told('request');
  disk.fillUpTo(0);
  // The page of the disk that was begun takes some of them, and one in part.
  say(40);
  await until(() => log.dropped() > 0);
  const lost = log.dropped();
  assert.ok(lost < 40, String(lost));
  say(5);
  await until(() => log.dropped() === lost + 5);
  disk.empty();
  say(3);
  await told('dropped');
  disk.fillUpTo(0);
  say(40);
  await log.close();
  assert.ok(log.dropped() > lost + 5, 'a log ends over a disk that is full, too');
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  const note = lines.findIndex((line) => line.includes('dropped'));
  assert.equal((JSON.parse(lines[note]!) as { count: number }).count, lost + 5);
  const before = lines.slice(0, note);
  assert.equal(before.filter((line) => line.endsWith('}')).length, 1 + 40 - lost);
  assert.ok(before.every((line, at) => line.endsWith('}') || at === note - 1), 'one line at most is torn, and has an end');
  assert.ok(lines.slice(note, note + 4).every((line) => line.endsWith('}')));
});

test('the last words of a process that dies at once are written', async () => {
  const script = `
    import { openLog } from '${LOG}';
    const log = openLog('info');
    for (let line = 0; line < 300; line += 1) log.info('before');
    process.on('uncaughtExceptionMonitor', (error) => { log.fatal('died', { error }); log.spill(); });
    setTimeout(() => { log.info('meanwhile'); throw new RangeError('a bug'); }, 150);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  let told = '';
  child.stdout.on('data', (chunk: Buffer) => { told += chunk.toString(); });
  await once(child, 'close');
  const lines = told.trim().split('\n').map((line) => JSON.parse(line) as { msg: string; error?: { message: string } });
  assert.deepEqual([lines.length, lines.at(-2)!.msg, lines.at(-1)!.msg, lines.at(-1)!.error!.message], [302, 'meanwhile', 'died', 'a bug']);
});

test('a process whose stdout nobody reads goes on and can exit', async () => {
  const script = `
    import { openLog } from '${LOG}';
    const log = openLog('info');
    const line = ${JSON.stringify(LINE)};
    for (let i = 0; i < 30000; i += 1) log.request(line);
    let longestMs = 0, last = performance.now();
    const timer = setInterval(() => { const now = performance.now(); longestMs = Math.max(longestMs, now - last); last = now; log.request(line); }, 5);
    setTimeout(async () => { clearInterval(timer); await log.close(); process.stderr.write(JSON.stringify({ longestMs, dropped: log.dropped() })); process.exit(0); }, 300);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'pipe'] });
  let told = '';
  child.stderr.on('data', (chunk: Buffer) => { told += chunk.toString(); });
  const late = setTimeout(() => child.kill('SIGKILL'), 60_000);
  const [code] = await once(child, 'exit') as [number | null];
  clearTimeout(late);
  child.stdout.destroy();
  assert.equal(code, 0, told);
  const { longestMs, dropped } = JSON.parse(told) as { longestMs: number; dropped: number };
  assert.ok(longestMs < 10_000, `stalled for ${longestMs} ms`);
  assert.ok(dropped > 0);
});
