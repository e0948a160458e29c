import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { mintKey } from '../../src/accounts/key.ts';
import { openApp, type App } from '../../src/app.ts';
import { LIMITS } from '../../src/config/limits.ts';
import { loadConfig } from '../../src/config/load.ts';
import { lakeDir, segmentsDir } from '../../src/sources/lake/paths.ts';
import { openLog } from '../../src/telemetry/log.ts';
import { testLake, type TestLake } from '../ingest/lake.ts';
import { MAIN } from '../support/main.ts';
import { MovedClock } from '../support/moved_clock.ts';
import { freePort } from '../support/ports.ts';
import { inTime } from '../support/until.ts';
import { OWN_KIND } from '../support/http_kinds.ts';
import { heldStream, type HeldStream } from './held_stream.ts';
import type { Json } from './service.ts';

/** So many that a stream of them fits in no buffer on its way. */
const OLD_ROWS = 24_000;
const NEW_ROWS = 100;
const FILLER = 'of many words '.repeat(64).trim();
const LATER_MS = LIMITS.snapshotRetainMs + 60_000;

async function ingest(lake: TestLake, name: string, rows: number): Promise<void> {
  const lines = Array.from({ length: rows }, (_, at) => `${name}${String(at).padStart(6, '0')},Ann ${at},${name}${String(at).padStart(6, '0')}@mail.example,${FILLER}`);
  await lake.ingest([await lake.file(`${name}.csv`, `id,full_name,email,headline\n${lines.join('\n')}\n`)], { mode: 'replace', rowForm: 'text' });
}

/** Another process, in which it is that much later. */
async function ldsLater(dataDir: string, ...args: string[]): Promise<void> {
  const later = `data:text/javascript,const now = Date.now; Date.now = () => now() + ${LATER_MS};`;
  await promisify(execFile)(process.execPath, ['--import', later, MAIN, ...args], { env: { ...process.env, LDS_DATA_DIR: dataDir } });
}

/** Reads the streams on meanwhile, a little: who stands still is taken for gone. */
async function slowly(streams: readonly HeldStream[], work: Promise<unknown>): Promise<void> {
  const ended = work.then(() => true);
  ended.catch(() => {});
  do {
    for (const stream of streams) await stream.some();
  } while (await inTime(ended, 2_000) === 'late');
}

/** The first look may have been under way. */
async function look(app: App): Promise<void> {
  await app.reload();
  await app.reload();
}

type Asked = { readonly url: string; readonly key: string };

async function call({ url, key }: Asked, path: string, body: object): Promise<{ readonly status: number; readonly json: Json }> {
  const answer = await fetch(url + path, { method: 'POST', headers: { authorization: `Bearer ${key}` }, body: JSON.stringify(body) });
  return { status: answer.status, json: await answer.json() };
}

async function withApp(dataDir: string, clock: MovedClock, work: (app: App, asked: Asked) => Promise<void>): Promise<void> {
  const [port, key] = [await freePort(), mintKey('admin')];
  const config = loadConfig({ LDS_DATA_DIR: dataDir, LDS_PORT: String(port), LDS_ADMIN_KEY: key, LDS_DEMO: '0', LDS_HTTP: OWN_KIND }, () => '');
  const log = openLog('error', new Writable({ write: (_line, _encoding, done) => done() }));
  const app = await openApp(config, log, clock);
  try {
    app.serve();
    await work(app, { url: `http://127.0.0.1:${port}`, key });
  } finally {
    await app.close();
    await log.close();
  }
}

test('a slow stream over a snapshot that was replaced ends complete when its cursors are long stale and others have swept, less only who was suppressed', { timeout: 240_000 }, async () => {
  const lake = await testLake();
  const dir = lakeDir(lake.dataDir, 'contacts', 'crm');
  const filesOfOld = async (): Promise<string[]> => (await readdir(segmentsDir(dir))).filter((name) => name.startsWith('000001-'));
  const clock = new MovedClock();
  await ingest(lake, 'old', OLD_ROWS);
  const files = await filesOfOld();
  const stored = (await readFile(join(segmentsDir(dir), files.find((name) => name.endsWith('.rows'))!), 'utf8')).trimEnd().split('\n');
  assert.deepEqual([files.length, stored.length], [3, OLD_ROWS]);

  await withApp(lake.dataDir, clock, async (app, asked) => {
    const page = { type: 'contacts', limit: 10 };
    const first = await call(asked, '/v1/find', page);
    const search = { type: 'contacts', timeout_ms: LIMITS.streamTimeoutMsMax };
    const streams = [await heldStream(asked, search), await heldStream(asked, search)] as const;

    await slowly(streams, ingest(lake, 'new', NEW_ROWS));
    await slowly(streams, look(app));
    assert.equal((await call(asked, '/v1/find', page)).json.total, NEW_ROWS);
    assert.equal((await call(asked, '/v1/find', { ...page, cursor: first.json.next_cursor })).json.total, OLD_ROWS);

    clock.shiftMs = LATER_MS;
    await slowly(streams, look(app));
    const late = await call(asked, '/v1/find', { ...page, cursor: first.json.next_cursor });
    assert.deepEqual([late.status, late.json.error], [400, 'stale_cursor']);
    await slowly(streams, ldsLater(lake.dataDir, 'compact', '--source', 'crm'));
    assert.deepEqual(await filesOfOld(), files, 'what is read is not swept');

    const whole = await streams[0].rest();
    assert.deepEqual(whole.filter((line) => !line.startsWith('{"@')), stored);
    const end = JSON.parse(whole.at(-1)!)['@end'] as Json;
    assert.deepEqual([end.returned, end.total, end.partial, end.next_cursor, end.warnings, end.errors], [OLD_ROWS, OLD_ROWS, false, null, [], []]);

    const gone = stored.at(-1)!;
    const hash = createHash('sha256').update((JSON.parse(gone) as Json).email).digest('hex');
    assert.equal((await call(asked, '/admin/suppressions', { email_sha256: hash })).status, 200);
    const less = await streams[1].rest();
    assert.deepEqual(less.filter((line) => !line.startsWith('{"@')), stored.slice(0, -1));
    assert.match(less.at(-1)!, /^\{"@end":/);

    clock.shiftMs += LIMITS.lakeSweepAgainMs;
    await look(app);
    assert.deepEqual(await filesOfOld(), [], 'who read it last swept it');
  });
  assert.deepEqual((await readdir(dir)).filter((name) => /^(?:READ|LOCK)-/.test(name)), []);
});
