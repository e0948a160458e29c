import assert from 'node:assert/strict';
import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { test, type TestContext } from 'node:test';
import { openStore } from '../../src/store/open.ts';
import { folderOf } from '../support/folder.ts';
import { checkLedger, type Entry } from './ledger.ts';
import { pragmaOf } from '../../src/store/sqlite/retired.ts';
import { sqliteAt } from '../support/sqlite_at.ts';

/** Between two counts of a process that runs there are hardly more. */
const RUNNING_STEP_MS = 20;

type Child = { process: ChildProcessByStdio<Writable, Readable, null>; lines(): string[] };

const LEDGER_CHILD = join(import.meta.dirname, 'ledger_child.js');
const CHILD = join(import.meta.dirname, 'child.js');

/** `limit` is what a shell does before it becomes the child. */
function start(t: TestContext, part: string, dataDir: string, limit = 'true'): Child {
  return watched(t, spawn('sh', ['-c', `${limit}; exec "$@"`, 'sh', process.execPath, CHILD, part, dataDir], { stdio: ['pipe', 'pipe', 'inherit'] }));
}

function run(t: TestContext, script: string, args: readonly string[]): Child {
  return watched(t, spawn(process.execPath, [script, ...args], { stdio: ['pipe', 'pipe', 'inherit'] }));
}

function watched(t: TestContext, child: Child['process']): Child {
  t.after(() => child.kill('SIGKILL'));
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => { said += text; });
  return { process: child, lines: () => said.split('\n').slice(0, -1) };
}

async function said(child: Child, lines: number): Promise<void> {
  while (child.lines().length < lines) await Promise.race([once(child.process.stdout, 'data'), sleep(1_000)]);
}

async function kill(child: Child): Promise<number> {
  child.process.kill('SIGKILL');
  const killedMs = Date.now();
  await once(child.process, 'close');
  return killedMs;
}

/** Two ledgers at the same time, each in one folder from its first kill to its last. */
test('a hundred kills amid writes of keys, invites and suppressions lose nothing that was acknowledged and leave nothing half-done', async (t) => {
  const ledgers = await Promise.all([0, 1].map(async () => {
    const dataDir = folderOf(t);
    const entries: Entry[] = [];
    for (let kills = 0; kills < 50; kills += 1) {
      const child = run(t, LEDGER_CHILD, [dataDir]);
      await said(child, 1 + Math.floor(Math.random() * 12));
      await sleep(Math.random() * 5);
      await kill(child);
      entries.push(...child.lines().map((line) => line.split(' ') as unknown as Entry));
      const store = await openStore({ dataDir });
      await checkLedger(store, entries);
      await store.close();
    }
    const database = sqliteAt(join(dataDir, 'store.sqlite'));
    assert.equal(pragmaOf(database, 'integrity_check'), 'ok');
    database.close();
    return entries;
  }));
  const kinds = new Set(ledgers.flat().map(([kind]) => kind));
  assert.deepEqual([...kinds].toSorted(), ['invite', 'key', 'member', 'released', 'releasing', 'renewing', 'rotated', 'suppressed']);
});

/** What had been counted a second before, of the time in which the process ran: one that stands still writes nothing either. */
function countsSafe(counts: readonly (readonly [number, number])[], killedMs: number): number {
  let [ranMs, nextMs, at] = [0, killedMs, counts.length];
  while (ranMs < 1_000 && at > 0) {
    at -= 1;
    ranMs += Math.min(nextMs - counts[at]![1], RUNNING_STEP_MS);
    nextMs = counts[at]![1];
  }
  return ranMs < 1_000 ? 0 : counts[at]![0];
}

test('a killed process loses at most one second of usage', async (t) => {
  const dataDir = folderOf(t);
  const child = start(t, 'spendForEver', dataDir);
  await said(child, 600);
  const killedMs = await kill(child);
  const counts = child.lines().map((line) => line.split(' ').map(Number) as [number, number]);
  const safe = countsSafe(counts, killedMs);
  const store = await openStore({ dataDir });
  const [row] = await store.usage('acc', 0, 1e6);
  assert.ok(safe > 10 && row!.requests >= safe, `${row!.requests} kept, ${safe} due`);
  assert.ok(row!.requests <= counts.at(-1)![0] + 1);
  assert.equal(row!.units, row!.requests * 2);
  await store.close();
});

test('a write that the disk refuses is store_unavailable and not acknowledged; reads go on, and writes when the disk takes them again', async (t) => {
  const child = start(t, 'issueOverFailure', folderOf(t), 'ulimit -S -f 400');
  await said(child, 1);
  const { issued, listed, code } = JSON.parse(child.lines()[0]!) as Record<string, unknown>;
  assert.equal(code, 'store_unavailable');
  assert.ok(Number(issued) > 0);
  assert.equal(listed, issued);
  execFileSync('prlimit', ['--fsize=unlimited', '--pid', String(child.process.pid)]);
  child.process.stdin.end('go on\n');
  await once(child.process, 'close');
  assert.deepEqual(JSON.parse(child.lines()[1]!), { listed: Number(issued) + 1 });
});
