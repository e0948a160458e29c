import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { LIMITS } from '../../src/config/limits.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import type { SuppressionTerm } from '../../src/model/suppression/term.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { account, key } from '../contract/store/store_suite.ts';
import { folderOf } from '../support/folder.ts';
import { sqliteAt } from '../support/sqlite_at.ts';
import { turnsMeanwhile } from '../support/turns_meanwhile.ts';

const ALL = { afterId: null, rowsMax: 1_000 };
const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

async function opened(t: TestContext): Promise<{ readonly store: Store; readonly dataDir: string }> {
  const dataDir = folderOf(t);
  const store = await openStore({ dataDir });
  t.after(() => store.close());
  await store.addAccount(account('a'));
  return { store, dataDir };
}

/** Of each transaction the last page in the log says how large the database then is. Each of these is one wait for the disk. */
async function transactionsIn(dataDir: string): Promise<number> {
  const log = await readFile(join(dataDir, 'store.sqlite-wal'));
  const frameBytes = FRAME_HEADER_BYTES + log.readUInt32BE(8);
  let transactions = 0;
  for (let at = LOG_HEADER_BYTES; at + frameBytes <= log.length; at += frameBytes) if (log.readUInt32BE(at + 4) > 0) transactions += 1;
  return transactions;
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

test('writes that come together wait for the disk once, each for all', async (t) => {
  const { store, dataDir } = await opened(t);
  const before = await transactionsIn(dataDir);
  const added = await Promise.all(numbers(LIMITS.storeWritesTogetherMax).map((at) => store.addKey(key(`k${at}`, 'a'))));
  assert.equal(await transactionsIn(dataDir), before + 1);
  assert.ok(added.every(Boolean));
  assert.equal((await store.keys('a', ALL)).length, LIMITS.storeWritesTogetherMax);
});

test('long writes are done each by itself, in their turn, so that others get at the store between them', async (t) => {
  const { store, dataDir } = await opened(t);
  const before = await transactionsIn(dataDir);
  const terms = (at: number): SuppressionTerm[] => [{ kind: 'email', digest: Buffer.alloc(32, at), value: null }];
  const done: string[] = [];
  const noted = async (name: string, write: Promise<unknown>): Promise<unknown> => write.then(() => done.push(name));
  await Promise.all([
    noted('k', store.addKey(key('k', 'a'))), noted('l', store.addKey(key('l', 'a'))), noted('long 1', store.addSuppressions(terms(1), 1)), noted('long 2', store.addSuppressions(terms(2), 1)),
    noted('m', store.addKey(key('m', 'a'))), noted('n', store.addKey(key('n', 'a'))),
  ]);
  assert.deepEqual(done, ['k', 'l', 'long 1', 'long 2', 'm', 'n']);
  assert.equal(await transactionsIn(dataDir), before + 4);
});

test('each write gets its own result', async (t) => {
  const { store } = await opened(t);
  assert.deepEqual(await Promise.all([store.addKey(key('k', 'a')), store.addKey(key('l', 'nobody')), store.endKey('k', 1), store.endKey('m', 1)]), [true, false, true, false]);
});

test('one write that fails is told so, and those that came with it are done', async (t) => {
  const { store, dataDir } = await opened(t);
  await store.addKey(key('k0', 'a'));
  const before = await transactionsIn(dataDir);
  const settled = await Promise.allSettled(['k1', 'k0', 'k2', 'k1', 'k3'].map((id) => store.addKey(key(id, 'a'))));
  assert.deepEqual(settled.map(({ status }) => status), ['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled']);
  for (const one of settled) if (one.status === 'rejected') assert.match(String(one.reason), /UNIQUE constraint failed/);
  assert.deepEqual((await store.keys('a', ALL)).map(({ id }) => id), ['k0', 'k1', 'k2', 'k3']);
  assert.equal(await transactionsIn(dataDir), before + 1);
});

test('other work goes on amid more writes than are done together', async (t) => {
  const { store } = await opened(t);
  const transactions = 8;
  const { turns } = await turnsMeanwhile(() => Promise.all(numbers(transactions * LIMITS.storeWritesTogetherMax).map((at) => store.addKey(key(`k${at}`, 'a')))));
  assert.ok(turns >= transactions, `${turns} turns`);
});

test('calls without a key of the day before are forgotten by and by, and more at once than come', async (t) => {
  const { store, dataDir } = await opened(t);
  const write = async (day: number, calls: number): Promise<void> => store.keepPlaygroundCalls(numbers(calls).map((at) => ({ day, name: `n${at}`, calls: 1 })), 100_000);
  await write(20_000, 2 * LIMITS.playgroundForgottenMax + 1);
  const database = sqliteAt(join(dataDir, 'store.sqlite'));
  t.after(() => database.close());
  const left = (): unknown => database.prepare('SELECT count(*) FROM playground WHERE day = 20000').pluck().get();
  const seen: unknown[] = [];
  for (let writes = 0; writes < 3; writes += 1) {
    await write(20_001, 1);
    seen.push(left());
  }
  assert.deepEqual(seen, [LIMITS.playgroundForgottenMax + 1, 1, 0]);
  assert.ok(LIMITS.playgroundForgottenMax > LIMITS.usageCellsInWriteMax);
});

test('what waits to be written when the store is closed is refused', async (t) => {
  const { store, dataDir } = await opened(t);
  const refused = assert.rejects(store.addKey(key('k', 'a')), { code: 'store_unavailable' });
  await store.close();
  await refused;
  const again = await openStore({ dataDir });
  assert.deepEqual(await again.keys('a', ALL), []);
  await again.close();
});

test('while another process holds the store no write waits for the patience of those before it', async (t) => {
  const { store, dataDir } = await opened(t);
  const other = sqliteAt(join(dataDir, 'store.sqlite'));
  t.after(() => other.close());
  other.exec('BEGIN IMMEDIATE');
  const fromMs = monotonicMs();
  const settled = await Promise.allSettled(numbers(4 * LIMITS.storeWritesTogetherMax).map((at) => store.addKey(key(`k${at}`, 'a'))));
  const tookMs = monotonicMs() - fromMs;
  assert.ok(settled.every(({ status }) => status === 'rejected'));
  assert.ok(tookMs < 2 * LIMITS.storeBusyMs, `${tookMs} ms`);
  other.exec('ROLLBACK');
  assert.equal(await store.addKey(key('k', 'a')), true);
});
