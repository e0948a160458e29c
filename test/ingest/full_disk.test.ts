import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { Cutting } from '../../src/ingest/cut.ts';
import { worldly } from '../../src/ingest/failure.ts';
import type { Stage } from '../../src/ingest/progress.ts';
import { eraseRows } from '../../src/ingest/rewrite.ts';
import { readCurrent } from '../../src/sources/lake/current.ts';
import { lakeDir } from '../../src/sources/lake/paths.ts';
import { MAIN } from '../support/main.ts';
import { livingLines } from '../support/published_rows.ts';
import { noSmallDisk, smallDisk } from '../support/small_disk.ts';
import { testLake } from './lake.ts';
import { people, range } from './layered.ts';

const ROWS = 8_000;
/** From no byte at all on: it fails at another place each time. */
const FREE_KIB = [0, 8, 100, 400, 900];
const SAID = /^the disk is full: free some space/;

test('an ingest onto a full disk says so, publishes nothing, leaves nothing behind, and goes through once there is room', { skip: noSmallDisk() ?? false }, async () => {
  const lake = await testLake();
  const disk = smallDisk(24)!;
  after(() => disk.close());
  const dataDir = join(disk.folder, 'data');
  const dir = lakeDir(dataDir, 'contacts', 'crm');
  const file = (version: string, rows: number): Promise<string> =>
    lake.file(`${version}.csv`, `id,name,email,city\n${Array.from({ length: rows }, (_, at) => `${at},Ann ${version},ann${at}@company${at % 300}.com,Town ${at % 90}`).join('\n')}\n`);
  const contents = (): Map<string, string> => new Map(readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name), 'latin1')]));

  await lake.ingest([await file('before', 200)], { dataDir });
  const before = contents();
  assert.equal(before.size, 5);
  const next = await file('after', ROWS);
  const failedIn = new Set<string>();
  const fails = async (about: string, stage: Stage, cutting?: Cutting): Promise<void> => {
    let begun = '';
    const told: Stage = (name, extent, work) => { begun = name; return stage(name, extent, work); };
    await assert.rejects(lake.ingest([next], { dataDir, mode: 'replace', stage: told, ...(cutting !== undefined && { cutting }) }), (error) => SAID.test(worldly(error) ?? ''), about);
    disk.empty();
    assert.deepEqual([...contents().keys()], [...before.keys()], about);
    assert.ok(isDeepStrictEqual(contents(), before), about);
    failedIn.add(begun);
  };
  for (const kib of FREE_KIB) {
    disk.fillUpTo(kib * 1_024);
    await fails(`${kib} KiB`, (_name, _extent, work) => work(() => undefined));
  }
  assert.ok(failedIn.size > 1, [...failedIn].join());
  await fails('full when all is built', async (name, _extent, work) => {
    const done = await work(() => undefined);
    if (name === 'indexing') disk.fillUpTo(0);
    return done;
  });
  await fails('full while rows are written apart', (name, _extent, work) => {
    if (name === 'parting') disk.fillUpTo(20 * 1_024);
    return work(() => undefined);
  }, { rowsMin: 1, threads: 3, bytesMax: 1e9, heldBytesMax: 0 });
  assert.ok(failedIn.has('parting'));

  disk.fillUpTo(64 * 1_024);
  const { status, stderr } = spawnSync(process.execPath, [MAIN, 'ingest', next, '--dataset', 'contacts', '--source', 'crm'], {
    env: { ...process.env, LDS_DATA_DIR: dataDir, LDS_CONFIG: '' }, encoding: 'utf8',
  });
  assert.deepEqual([status, stderr.trimEnd().split('\n').at(-1)], [1, 'lds ingest: the disk is full: free some space or move the data folder, then run it again; what was published before stands']);
  disk.empty();
  await lake.ingest([next], { dataDir, mode: 'replace' });
  assert.equal(readFileSync(join(dir, 'CURRENT'), 'utf8'), '2\n');

  disk.fillUpTo(200 * 1_024);
  await assert.rejects(lake.ingest([next], { dataDir, mode: 'append' }), (error) => SAID.test(worldly(error) ?? ''));
  assert.deepEqual(readdirSync(join(dataDir, 'rejects', 'crm')), [], 'of all rows there is no room to tell why they were rejected');
});

test('a disk that is full amid a list of what is gone, or the segment beside it, leaves those of before as they were, and the next upsert goes through; an erasure likewise', { skip: noSmallDisk() ?? false }, async () => {
  const lake = await testLake();
  const disk = smallDisk(24)!;
  after(() => disk.close());
  const dataDir = join(disk.folder, 'data');
  const keeping = { smallRowsMax: 3, ratio: 0.1, goneShareMax: 1 };
  await lake.ingest([await people(lake, 'old', range(0, ROWS))], { dataDir, keeping });
  const dir = lakeDir(dataDir, 'contacts', 'crm');
  const contents = (): string[] => readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name)).sort();
  const before = contents();
  const next = await people(lake, 'next', range(0, ROWS / 2));
  const failedIn = new Set<string>();
  for (const [stage, kib] of [['normalising', 0], ['merging', 8], ['merging', 12], ['sorting', 8], ['indexing', 0]] as const) {
    let begun = '';
    const filling: Stage = async (name, _extent, work) => {
      begun = name;
      const done = await work(() => undefined);
      if (name === stage) disk.fillUpTo(kib * 1_024);
      return done;
    };
    await assert.rejects(lake.ingest([next], { dataDir, keeping, stage: filling }), (error) => SAID.test(worldly(error) ?? ''), `${stage} ${kib}`);
    disk.empty();
    failedIn.add(begun);
    assert.deepEqual(contents(), before, `${stage} ${kib}`);
  }
  assert.ok(failedIn.size > 1, [...failedIn].join());
  await lake.ingest([next], { dataDir, keeping });
  const { segments } = (await readCurrent(dir))!;
  assert.deepEqual(segments.map(({ rows, gone }) => [rows, gone?.rows]), [[ROWS / 2, ROWS / 2], [ROWS / 2, undefined]]);
  const lines = await livingLines(dir, await readCurrent(dir));
  assert.deepEqual(['old', 'next'].map((version) => lines.filter((line) => line.includes(`"Ann ${version}"`)).length), [ROWS / 2, ROWS / 2]);

  disk.empty();
  const standing = contents();
  const { signal, stage } = lake.order([]);
  const order = { dataDir, source: 'crm', extras: { contacts: [], companies: [] }, rowForm: null, signal, stage };
  const ids = await lake.file('ids.txt', '0\n7\n7999\n');
  for (const kib of FREE_KIB) {
    disk.fillUpTo(kib * 1_024);
    await assert.rejects(eraseRows(order, ids), (error) => SAID.test(worldly(error) ?? ''), `an erasure, ${kib} KiB`);
    disk.empty();
    assert.ok(isDeepStrictEqual(contents(), standing), `an erasure, ${kib} KiB`);
  }
  assert.deepEqual(await eraseRows(order, ids), { asked: 3, erased: 3, kept: ROWS - 3, snapshot: 3 });
});
