import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { literal, withDuck } from '../../src/ingest/duckdb.ts';
import { eraseRows } from '../../src/ingest/rewrite.ts';
import { RANK } from '../../src/ingest/truth/truth_rows.ts';
import { closeSegment } from '../../src/segment/reader.ts';
import type { RowForm } from '../../src/segment/row_form.ts';
import { readCurrent } from '../../src/sources/lake/current.ts';
import { sealed, type Manifest } from '../../src/sources/lake/manifest.ts';
import { lakeDir, segmentFiles, segmentsDir, snapshotPath } from '../../src/sources/lake/paths.ts';
import { openPublished } from '../../src/sources/lake/published_segment.ts';
import { testLake, type TestLake } from './lake.ts';

/** Several segments, each of more rows than the engine hands on at once. */
const ROWS = 7_500;
const CUTTING = { rowsMin: 1_000, threads: 3, bytesMax: Infinity };
const WHOLE = { ...CUTTING, rowsMin: Infinity };

const NUMBERS = Array.from({ length: ROWS }, (_, nth) => nth);

/** Addresses, and so identities, in another order than ids. */
function person(nth: number): string {
  const mixed = (nth * 7_919) % ROWS;
  return `k${nth},Ann ${mixed},${mixed % 3 === 0 ? '' : `p${mixed}@b${mixed % 50}.co`},${['US', 'DE', 'FR', ''][mixed % 4]},Chef ${mixed % 90},2024-01-01T00:${String(nth % 60).padStart(2, '0')}:00Z\n`;
}

type Chosen = (nth: number) => boolean;

async function ingest(lake: TestLake, isChosen: Chosen, more: Parameters<TestLake['ingest']>[1]): Promise<void> {
  await lake.ingest([await lake.file('a.csv', `id,name,email,country,title,updated_at\n${NUMBERS.filter(isChosen).map(person).join('')}`)], more);
}

async function erase(lake: TestLake, isChosen: Chosen): Promise<number> {
  const { signal, stage } = lake.order([]);
  const ids = await lake.file('ids.txt', NUMBERS.filter(isChosen).map((nth) => `k${nth}\n`).join(''));
  const { erased } = await eraseRows({ dataDir: lake.dataDir, source: 'crm', extras: { contacts: [], companies: [] }, rowForm: null, signal, stage, cutting: CUTTING }, ids);
  return erased;
}

const dirOf = ({ dataDir }: TestLake): string => lakeDir(dataDir, 'contacts', 'crm');
const segmentsOf = async (lake: TestLake): Promise<Manifest['segments']> => (await readCurrent(dirOf(lake)))!.segments;

function formOf(lake: TestLake, entry: Manifest['segments'][number]): RowForm {
  const segment = openPublished(dirOf(lake), entry);
  closeSegment(segment);
  return segment.stencils === null ? 'text' : 'compact';
}

async function bytesOf(lake: TestLake, file: 'rows' | 'index', nth: number): Promise<Buffer> {
  return readFile(segmentFiles(dirOf(lake), (await segmentsOf(lake))[nth]!.id)[file]);
}

async function inEngine<T>(lake: TestLake, query: (sql: (text: string) => Promise<Record<string, unknown>[]>) => Promise<T>): Promise<T> {
  return withDuck(lake.dataDir, { folders: [segmentsDir(dirOf(lake))], files: [] }, new AbortController().signal, (duck) => query((text) => duck.rows(text)));
}

function numbersOf(lake: TestLake, { id }: Manifest['segments'][number]): Promise<Set<number>> {
  return inEngine(lake, async (sql) => new Set((await sql(`SELECT id FROM read_parquet(${literal(segmentFiles(dirOf(lake), id).truth)})`)).map((row) => Number((row.id as string).slice('crm:k'.length)))));
}

test('what rows are erased from, again and again, is byte for byte what an ingest makes of the others', async () => {
  const lake = await testLake();
  await ingest(lake, () => true, { cutting: CUTTING });
  const forms = (await segmentsOf(lake)).map((entry) => formOf(lake, entry));
  assert.deepEqual([forms.length, new Set(forms).size], [3, 2], 'rows as text, and compact ones');
  const early: Chosen = (nth) => nth % 150 === 7;
  const late: Chosen = (nth) => nth % 3 === 0;
  assert.equal(await erase(lake, early), ROWS / 150);
  assert.equal(await erase(lake, (nth) => early(nth) || late(nth)), NUMBERS.filter((nth) => late(nth) && !early(nth)).length);
  const left = new Set(NUMBERS.filter((nth) => !early(nth) && !late(nth)));
  const segments = await segmentsOf(lake);
  assert.deepEqual(segments.map((entry) => formOf(lake, entry)), forms);
  assert.equal(segments.reduce((sum, { rows }) => sum + rows, 0), left.size);
  for (const [nth, entry] of segments.entries()) {
    const own = await numbersOf(lake, entry);
    assert.ok(own.size === entry.rows && [...own].every((number) => left.has(number)), 'nothing of what was erased is in its Parquet file');
    const anew = await testLake();
    await ingest(anew, (number) => own.has(number), { cutting: WHOLE, rowForm: forms[nth]! });
    for (const file of ['rows', 'index'] as const) assert.ok((await bytesOf(lake, file, nth)).equals(await bytesOf(anew, file, 0)), `${file} of segment ${nth}`);
  }
});

test('a segment that holds none of the rows stays, in its place, and one that holds no others goes', async () => {
  const lake = await testLake();
  await ingest(lake, () => true, { cutting: CUTTING });
  const before = await segmentsOf(lake);
  const middle = await numbersOf(lake, before[1]!);
  const [some] = middle;
  assert.equal(await erase(lake, (nth) => nth === some), 1);
  const thinned = await segmentsOf(lake);
  assert.deepEqual([thinned[0], thinned[1]!.rows, thinned[2]], [before[0], before[1]!.rows - 1, before[2]]);
  assert.equal(await erase(lake, (nth) => middle.has(nth)), middle.size - 1);
  assert.deepEqual(await segmentsOf(lake), [before[0], before[2]]);
});

/** As a version might have written it that knew no ranks. */
async function forgetRanks(lake: TestLake): Promise<void> {
  const manifest = (await readCurrent(dirOf(lake)))!;
  const segments: Manifest['segments'] = [];
  for (const entry of manifest.segments) {
    const { truth } = segmentFiles(dirOf(lake), entry.id);
    const bare = `${lake.dataDir}/bare.parquet`;
    await inEngine(lake, (sql) => sql(`COPY (SELECT * EXCLUDE ("${RANK}") FROM read_parquet(${literal(truth)})) TO ${literal(bare)} (FORMAT parquet)`));
    const bytes = await readFile(bare);
    await writeFile(truth, bytes);
    segments.push({ ...entry, seals: { ...entry.seals!, truth: crc32(bytes) } });
  }
  await writeFile(snapshotPath(dirOf(lake), manifest.snapshot), sealed({ ...manifest, segments }));
}

test('rows are erased from what another version wrote, too', async () => {
  const lake = await testLake();
  await ingest(lake, () => true, { cutting: CUTTING });
  await forgetRanks(lake);
  assert.equal(await erase(lake, (nth) => nth % 100 === 1), ROWS / 100);
  const anew = await testLake();
  await ingest(anew, (nth) => nth % 100 !== 1, { cutting: CUTTING });
  assert.deepEqual(await lake.rows(), await anew.rows());
  assert.equal(await erase(lake, (nth) => nth % 100 === 2), ROWS / 100);
});
