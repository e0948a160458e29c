import assert from 'node:assert/strict';
import { copyFile, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { LIMITS } from '../../../src/config/limits.ts';
import { compactSource, eraseRows } from '../../../src/ingest/rewrite.ts';
import type { RewriteOrder } from '../../../src/ingest/rewriting.ts';
import { loadSegments } from '../../../src/pool/loader.ts';
import { DamagedLake, readCurrent } from '../../../src/sources/lake/current.ts';
import { readGone } from '../../../src/sources/lake/gone.ts';
import { Lakes, type LakesState } from '../../../src/sources/lake/lakes.ts';
import { sealed } from '../../../src/sources/lake/manifest.ts';
import { gonePath, segmentFiles, segmentsDir, snapshotPath } from '../../../src/sources/lake/paths.ts';
import { checkTruths } from '../../../src/sources/lake/seals.ts';
import { sweepUnlessWriting } from '../../../src/sources/lake/sweep.ts';
import { layeredLake, people, versions, type Layered } from '../../ingest/layered.ts';
import { SMALL } from '../../ingest/small.ts';

/** What may happen to the list of what is gone of the first segment. */
const LOST: Readonly<Record<string, (path: string, other: string) => Promise<void>>> = {
  missing: (path) => rm(path),
  cut: (path) => truncate(path, 20),
  empty: (path) => truncate(path, 0),
  flipped: async (path) => {
    const bytes = await readFile(path);
    bytes[9]! ^= 1;
    await writeFile(path, bytes);
  },
  exchanged: (path, other) => copyFile(other, path),
};

function rewriting({ lake }: Layered): RewriteOrder {
  const { signal, stage, dataDir } = lake.order([]);
  return { dataDir, source: 'crm', extras: { contacts: [], companies: [] }, rowForm: null, signal, stage, keeping: SMALL };
}

/** Each writer, and what it changes of the versions of before. */
const WRITERS: Readonly<Record<string, (layered: Layered) => Promise<Record<string, string | undefined>>>> = {
  'a compaction': async (layered) => {
    await compactSource(rewriting(layered));
    return {};
  },
  'an upsert': async ({ lake }) => {
    await lake.ingest([await people(lake, 'next', [2, 56, 80])], { keeping: SMALL });
    return { 2: 'next', 56: 'next', 80: 'next' };
  },
  'an appending': async ({ lake }) => {
    const { rejected } = await lake.ingest([await people(lake, 'next', [0, 57, 81])], { mode: 'append', keeping: SMALL });
    assert.deepEqual(Object.values(rejected), [2]);
    return { 81: 'next' };
  },
  'an erasure': async (layered) => {
    const { erased } = await eraseRows(rewriting(layered), await layered.lake.file('ids.txt', '3\n55\n99\n'));
    assert.equal(erased, 2);
    return { 3: undefined, 55: undefined };
  },
};

async function served(dataDir: string): Promise<(number | string)[]> {
  let state: LakesState = { lakes: [], retained: [], held: [], restoring: [] };
  const lakes = new Lakes(dataDir, loadSegments, { memoryBytes: 0, mapped: true }, (next) => { state = next; });
  await lakes.open();
  await lakes.close();
  return state.lakes.map(({ snapshot, trouble }) => trouble ?? snapshot!.manifest.snapshot);
}

test('a list of replaced rows that is damaged is told, and nothing is served without it', async () => {
  const { lake, dir, segments: [first, second] } = await layeredLake();
  const [path, other] = [gonePath(dir, first!.gone!.id), gonePath(dir, second!.gone!.id)];
  const bytes = await readFile(path);
  for (const [what, lose] of Object.entries(LOST)) {
    await lose(path, other);
    await assert.rejects(readGone(dir, first!.gone), (error) => error instanceof DamagedLake && error.advice.startsWith('lds compact --source crm makes it again from the Parquet files, or ingest all'), what);
    assert.deepEqual(await served(lake.dataDir), ['a segment was refused: its replaced rows cannot be told'], what);
    await writeFile(path, bytes);
    assert.deepEqual(await served(lake.dataDir), [3], what);
  }
});

test('lists of replaced rows that are damaged any writer makes again from the Parquet files', async () => {
  for (const [writer, write] of Object.entries(WRITERS)) {
    const layered = await layeredLake();
    const { lake, dir, segments: [first, second] } = layered;
    const before = await versions(lake);
    await LOST.cut!(gonePath(dir, first!.gone!.id), '');
    await LOST.missing!(gonePath(dir, second!.gone!.id), '');
    const changed = await write(layered);
    assert.deepEqual(await versions(lake), Object.fromEntries(Object.entries({ ...before, ...changed }).filter(([, version]) => version !== undefined).sort()), writer);
    assert.deepEqual(await served(lake.dataDir), [4], writer);
  }
});

test('a list of replaced rows that does not come out of the Parquet files as it was published is not taken', async () => {
  const layered = await layeredLake();
  const { lake, dir, segments: [first, , third] } = layered;
  await rm(gonePath(dir, first!.gone!.id));
  const refused = async (about: RegExp): Promise<void> => {
    for (const write of Object.values(WRITERS)) {
      await assert.rejects(write(layered), (error) => error instanceof DamagedLake && about.test(error.message) && error.advice.startsWith('ingest all its rows anew: '), about.source);
    }
  };
  const manifest = (await readCurrent(dir))!;
  const other = manifest.segments.map((segment) => (segment.gone === undefined ? segment : { ...segment, gone: { ...segment.gone, seal: 1 } }));
  await writeFile(snapshotPath(dir, 3), sealed({ ...manifest, segments: other }));
  await refused(/\.gone is lost, and the Parquet files do not tell what it said$/);
  await writeFile(snapshotPath(dir, 3), sealed(manifest));
  await rm(segmentFiles(dir, third!.id).truth);
  await refused(/\.parquet is missing$/);
  await lake.ingest([await people(lake, 'anew', [1])], { mode: 'replace' });
  assert.deepEqual(await versions(lake), { 1: 'anew' });
});

test('a kept segment of which the index or the rows are damaged is made anew from its Parquet file by the next upsert', async () => {
  for (const [part, damage] of [['index', 'flip'], ['index', 'rm'], ['index', 'version'], ['rows', 'rm'], ['rows', 'cut'], ['rows', 'flip']] as const) {
    const { lake, dir, segments: [first] } = await layeredLake();
    const before = await versions(lake);
    const path = segmentFiles(dir, first!.id)[part];
    const bytes = await readFile(path);
    if (damage === 'rm') await rm(path);
    else if (damage === 'cut') await truncate(path, bytes.length - 5);
    else if (damage === 'version') await writeFile(path, bytes.fill(2, 8, 9));
    else {
      for (let at = 100; at < bytes.length; at += 50) bytes[at]! ^= 1;
      await writeFile(path, bytes);
    }
    await lake.ingest([await people(lake, 'next', [2, 56, 80])], { keeping: SMALL });
    assert.deepEqual(await versions(lake), Object.fromEntries(Object.entries({ ...before, 2: 'next', 56: 'next', 80: 'next' }).sort()), `${part} ${damage}`);
    assert.deepEqual(await served(lake.dataDir), [4], `${part} ${damage}`);
  }
});

test('a row that stays and of which the id is damaged is found by it all the same, since its segment is made anew', async () => {
  const writers: Readonly<Record<string, (layered: Layered) => Promise<Record<string, string | undefined>>>> = {
    'an upsert': async ({ lake }) => {
      await lake.ingest([await people(lake, 'next', [23])], { keeping: SMALL });
      return { 23: 'next' };
    },
    'an appending': async ({ lake }) => {
      assert.deepEqual(Object.values((await lake.ingest([await people(lake, 'next', [23, 80])], { mode: 'append', keeping: SMALL })).rejected), [1]);
      return { 80: 'next' };
    },
    'an erasure': async (layered) => {
      assert.equal((await eraseRows(rewriting(layered), await layered.lake.file('ids.txt', '23\n'))).erased, 1);
      return { 23: undefined };
    },
  };
  for (const [writer, write] of Object.entries(writers)) {
    const layered = await layeredLake();
    const { lake, dir, segments: [first] } = layered;
    const before = await versions(lake);
    const { rows } = segmentFiles(dir, first!.id);
    const bytes = await readFile(rows);
    const at = bytes.indexOf('23', bytes.indexOf('crm:23') === -1 ? 0 : bytes.indexOf('crm:23'));
    bytes[at]! ^= 1;
    await writeFile(rows, bytes);
    const changed = await write(layered);
    assert.deepEqual(await versions(lake), Object.fromEntries(Object.entries({ ...before, ...changed }).filter(([, version]) => version !== undefined).sort()), writer);
  }
});

test('a Parquet file that is damaged is in the way of what would rewrite its segment, and of nothing else', async () => {
  const layered = await layeredLake();
  const { lake, dir, segments: [first] } = layered;
  const before = await versions(lake);
  await truncate(segmentFiles(dir, first!.id).truth, 1_000);
  await lake.ingest([await people(lake, 'next', [2, 80])], { keeping: SMALL });
  await lake.ingest([await people(lake, 'last', [90])], { mode: 'append', keeping: SMALL });
  assert.equal((await eraseRows(rewriting(layered), await lake.file('ids.txt', '61\n80\n'))).erased, 2);
  const { 61: _erased, ...left } = before;
  const now = { ...left, 2: 'next', 90: 'last' };
  assert.deepEqual(await versions(lake), Object.fromEntries(Object.entries(now).sort()));
  assert.deepEqual(await served(lake.dataDir), [6]);
  for (const write of [() => compactSource(rewriting(layered)), async () => eraseRows(rewriting(layered), await lake.file('ids.txt', '2\n'))]) {
    await assert.rejects(write, (error) => error instanceof DamagedLake && error.message.endsWith('.parquet is not what was published') && error.advice.startsWith('ingest all its rows anew: '));
  }
});

test('the look at Parquet files is over when its order is, however large they are', async () => {
  const { dir, segments } = await layeredLake();
  const stop = new AbortController();
  const looked = checkTruths(dir, [...segments], stop.signal);
  stop.abort();
  await assert.rejects(looked, { name: 'AbortError' });
});

test('a manifest that is missing of segments that were kept costs no row where theirs alone are there, and no Parquet files are named where others may be', async () => {
  const { lake, dir, segments } = await layeredLake();
  const before = await versions(lake);
  const path = snapshotPath(dir, 3);
  const manifest = await readFile(path);
  const named = async (): Promise<string | undefined> => {
    await rm(path);
    const advice = await readCurrent(dir).then(() => '', (error: DamagedLake) => error.advice);
    return / lds ingest (\S+) --dataset /.exec(advice)?.[1];
  };
  assert.equal(await named(), 'FILE', 'what was replaced is there yet');
  await writeFile(path, manifest);
  await sweepUnlessWriting(dir, Date.now() + LIMITS.snapshotRetainMs);
  const killed = join(segmentsDir(dir), '000004-beside-0000-killed.parquet');
  await writeFile(killed, '');
  assert.equal(await named(), 'FILE', 'a killed writer left something');
  await rm(killed);
  await writeFile(path, manifest);
  const { truth } = segmentFiles(dir, segments[0]!.id);
  const bytes = await readFile(truth);
  await rm(truth);
  assert.equal(await named(), 'FILE', 'one is missing');
  await writeFile(truth, bytes);
  await writeFile(path, manifest);
  assert.equal(await named(), join(segmentsDir(dir), '*.parquet'));
  const files = (await readdir(segmentsDir(dir))).filter((name) => name.endsWith('.parquet')).sort().map((name) => join(segmentsDir(dir), name));
  await lake.ingest(files, { mode: 'replace' });
  assert.deepEqual([files.length, await versions(lake)], [3, before]);
});
