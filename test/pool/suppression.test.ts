import assert from 'node:assert/strict';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { LIMITS } from '../../src/config/limits.ts';
import { AppError } from '../../src/model/errors.ts';
import { emailTerms } from '../../src/model/suppression/term.ts';
import { Suppression, type SuppressionNews } from '../../src/pool/suppression.ts';
import type { LoadedSegment, Mountable } from '../../src/sources/lake/loading.ts';
import { openStore } from '../../src/store/open.ts';
import { fullRow, inFolder, inOrder, load, write } from '../segment/support.ts';
import { folderOf } from '../support/folder.ts';
import { pause } from '../support/runners.ts';
import { inTime } from '../support/until.ts';
import { sqliteAt } from '../support/sqlite_at.ts';

const UNTOLD: SuppressionNews = { onTrouble: () => {}, onWell: () => {} };

const TERMS = emailTerms('nobody@example.com')!;
const REFUSED: LoadedSegment = { ok: false, reason: 'rows_checksum' };

/** A keeper in a folder of its own, the threads that it has had, and what it told of trouble. */
async function opened(t: TestContext): Promise<{ readonly suppression: Suppression; readonly threads: Worker[]; readonly troubles: unknown[] }> {
  const dataDir = folderOf(t);
  const threads: Worker[] = [];
  const note = (worker: Worker): void => { threads.push(worker); };
  process.on('worker', note);
  t.after(() => { process.off('worker', note); });
  const troubles: unknown[] = [];
  const suppression = await Suppression.open({ dataDir, databaseUrl: null }, () => {}, { onTrouble: (error) => troubles.push(error), onWell: () => {} });
  return { suppression, threads, troubles };
}

async function segment(): Promise<Mountable> {
  const ranked = inOrder('contacts', Array.from({ length: 20 }, (_, at) => fullRow('contacts', { id: `test:${at}`, email: `p${at}@x.org` })));
  const { index, rows } = await inFolder(async (folder) => load(await write(folder, 'contacts', ranked)));
  return { ok: true, index, rows, stencils: null };
}

describe('while the thread that keeps the suppressions is replaced', () => {
  it('a change is refused at once, and taken by the thread that took over', async (t) => {
    const { suppression, threads } = await opened(t);
    await threads[0]!.terminate();
    const refused = await inTime(suppression.add(TERMS, 1).catch((error: unknown) => error), 20 * LIMITS.poolRebuildMs);
    assert.ok(refused instanceof AppError && refused.code === 'store_unavailable', String(refused));
    while (suppression.health().status !== 'ok') await pause(20);
    await suppression.add(TERMS, 1);
    assert.equal(threads.length, 2);
    await suppression.close();
  });

  it('a change is refused until it is in effect in all that is served', async (t) => {
    const { suppression, threads, troubles } = await opened(t);
    t.after(() => suppression.close());
    const folder = folderOf(t);
    const file = join(folder, 'a.index');
    const { index: bytes, rows } = await segment();
    await writeFile(file, new Uint8Array(bytes as SharedArrayBuffer));
    const index = { file };
    await suppression.guard(() => Promise.resolve([{ ok: true, index, rows, stencils: null }]))([], () => {});

    await rename(file, `${file}.away`);
    await threads[0]!.terminate();
    while (troubles.length < 2) await pause(20);
    await assert.rejects(suppression.add(emailTerms('p7@x.org')!, 1), { code: 'store_unavailable' });
    assert.deepEqual(await suppression.list(null, { afterRevision: 0, rowsMax: 9 }), []);
    assert.equal(suppression.health().status, 'degraded');
    await rename(`${file}.away`, file);
    while (suppression.health().status !== 'ok') await pause(20);
    await suppression.add(emailTerms('p7@x.org')!, 1);
    assert.notEqual(suppression.deadOf(index), null);
  });

  it('closing does not wait for it', async (t) => {
    const { suppression, threads } = await opened(t);
    await threads[0]!.terminate();
    assert.equal(await inTime(suppression.close().then(() => true), 20 * LIMITS.poolRebuildMs), true);
    assert.equal(threads.length, 1);
  });
});

it('a store that cannot be read at the start is told with what SQLite says of it', async (t) => {
  const dataDir = folderOf(t);
  await (await openStore({ dataDir })).close();
  const database = sqliteAt(join(dataDir, 'store.sqlite'));
  database.exec('ALTER TABLE suppressions RENAME TO lost; CREATE VIEW suppressions AS SELECT * FROM nowhere');
  database.close();
  await assert.rejects(Suppression.open({ dataDir, databaseUrl: null }, () => {}, UNTOLD), /^Error: the suppressions cannot be read: no such table: main.nowhere$/);
});

it('a store that cannot be read any more is told with what SQLite says of it', async (t) => {
  const dataDir = folderOf(t);
  const troubles: unknown[] = [];
  const suppression = await Suppression.open({ dataDir, databaseUrl: null }, () => {}, { onTrouble: (error) => troubles.push(error), onWell: () => {} });
  const database = sqliteAt(join(dataDir, 'store.sqlite')).unsafeMode();
  database.exec(`PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'no statement' WHERE name = 'suppressions'; PRAGMA schema_version = 1000000`);
  database.close();
  while (troubles.length === 0) await pause(20);
  assert.match(String((troubles[0] as Error).cause), /malformed database schema \(suppressions\)/);
  await suppression.close();
});

describe('a snapshot of which one segment is refused', () => {
  const UNREADABLE: Mountable = { ok: true, index: new SharedArrayBuffer(8), rows: new SharedArrayBuffer(8), stencils: null };

  for (const [title, other] of [['when it is loaded', REFUSED], ['when it is examined', UNREADABLE]] as const) {
    it(`${title} leaves nothing of the others behind, however often it is tried again`, async (t) => {
      const { suppression } = await opened(t);
      const good = await segment();
      const guarded = suppression.guard(() => Promise.resolve([good, other]));
      const loaded = await guarded([], () => {});
      assert.ok(loaded.some(({ ok }) => !ok));
      assert.throws(() => suppression.deadOf(good.index), /was not examined/);
      const whole = await suppression.guard(() => Promise.resolve([good]))([], () => {});
      assert.deepEqual([whole, suppression.deadOf(good.index)], [[good], null]);
      await suppression.close();
    });
  }
});
