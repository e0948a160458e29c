import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { literal, withDuck } from '../../src/ingest/duckdb.ts';
import type { Keeping } from '../../src/ingest/rewritten.ts';
import { compactSource, eraseRows } from '../../src/ingest/rewrite.ts';
import type { RewriteOrder } from '../../src/ingest/rewriting.ts';
import { readCurrent } from '../../src/sources/lake/current.ts';
import type { Manifest } from '../../src/sources/lake/manifest.ts';
import { lakeDir, segmentFiles, segmentsDir, snapshotPath } from '../../src/sources/lake/paths.ts';
import { testLake, type TestLake } from './lake.ts';

/** What is twice as large as a change stays. */
const keeping: Keeping = { smallRowsMax: 1, ratio: 2, goneShareMax: 0.2 };

const HEADER = 'id,name,email,country,updated_at\n';

function people(from: number, to: number, name = 'Ann'): string {
  const line = (nth: number): string => `${nth},${name} ${nth},${nth % 4 === 0 ? '' : `p${nth}@b.co`},${['US', 'DE', ''][nth % 3]},2024-01-01T00:00:${String(nth % 60).padStart(2, '0')}Z\n`;
  return HEADER + Array.from({ length: to - from }, (_, at) => line(from + at)).join('');
}

async function lakeOf(rows: number): Promise<TestLake> {
  const lake = await testLake();
  await lake.ingest([await lake.file('a.csv', people(0, rows))], { keeping });
  return lake;
}

const dirOf = ({ dataDir }: TestLake): string => lakeDir(dataDir, 'contacts', 'crm');
const current = async (lake: TestLake): Promise<Manifest> => (await readCurrent(dirOf(lake)))!;
const rewriteOf = ({ dataDir, order }: TestLake): RewriteOrder => ({ ...order([]), dataDir, source: 'crm', extras: { contacts: [], companies: [] }, rowForm: null, keeping });

test('a small upsert leaves the segment of before, marks what it replaces, and is a segment of its own', async () => {
  const lake = await lakeOf(100);
  const [before] = (await current(lake)).segments;
  const summary = await lake.ingest([await lake.file('b.csv', `${HEADER}59,Zoe,zoe@b.co,US,2023-01-01\nnew,Di,,NL,\n`)], { keeping });
  assert.deepEqual([summary.added, summary.replaced, summary.kept, summary.rows], [1, 1, 99, 101]);
  const { segments: [kept, added] } = await current(lake);
  assert.equal(kept!.id, before!.id);
  assert.deepEqual([kept!.rows, kept!.gone!.rows, added!.rows], [99, 1, 2]);
  // Row 59 was one without a country, had an address, and the latest time.
  assert.deepEqual(kept!.countries, before!.countries);
  assert.deepEqual([before!.fill.email, kept!.fill.email, kept!.fill.phone], [0.75, 74 / 99, 0]);
  assert.deepEqual([before!.updatedAt, kept!.updatedAt, added!.updatedAt], ['2024-01-01T00:00:59Z', '2024-01-01T00:00:58Z', '2023-01-01T00:00:00Z']);
  const rows = await lake.rows();
  assert.deepEqual([rows.size, rows.get('crm:59')!.full_name, rows.get('crm:58')!.full_name, rows.get('crm:new')!.country], [101, 'Zoe', 'Ann 58', 'NL']);
});

test('a small append leaves the segment of before as it is', async () => {
  const lake = await lakeOf(100);
  const { segments: [before] } = await current(lake);
  const summary = await lake.ingest([await lake.file('b.csv', people(97, 103, 'Bo'))], { mode: 'append', keeping });
  assert.deepEqual([summary.added, summary.replaced, summary.kept, summary.rejected], [3, 0, 100, { 'the key is there already: append adds new rows only': 3 }]);
  const { segments } = await current(lake);
  assert.deepEqual([segments[0], segments.map(({ rows }) => rows)], [before, [100, 3]]);
  assert.equal((await lake.rows()).get('crm:98')!.full_name, 'Ann 98');
  // Of many rows nearly all are there: few are new, and small is what comes of them.
  assert.equal((await lake.ingest([await lake.file('c.csv', people(0, 104, 'Cy'))], { mode: 'append', keeping })).added, 1);
  assert.deepEqual((await current(lake)).segments.map(({ rows }) => rows), [100, 3, 1]);
});

test('an export of everything writes the rows that changed alone, and one in which nothing changed nothing', async () => {
  const lake = await lakeOf(1_200);
  const before = await current(lake);
  const again = await lake.ingest([await lake.file('b.csv', people(0, 1_200))], { keeping });
  assert.deepEqual([again.added, again.replaced, again.kept, again.rows, again.published, again.snapshot], [0, 1_200, 0, 1_200, false, before.snapshot]);
  assert.deepEqual(await current(lake), before);
  const changed = people(0, 1_210).replace('Ann 7,', 'Zoe,').replace(',p9@b.co,', ',,');
  const summary = await lake.ingest([await lake.file('c.csv', changed)], { keeping });
  assert.deepEqual([summary.added, summary.replaced, summary.kept, summary.rows, summary.published], [10, 1_200, 0, 1_210, true]);
  const { segments } = await current(lake);
  assert.deepEqual(segments.map(({ id, rows }) => [id === before.segments[0]!.id, rows]), [[true, 1_198], [false, 12]]);
  const rows = await lake.rows();
  assert.deepEqual([rows.get('crm:7')!.full_name, rows.get('crm:9')!.email, rows.get('crm:10')!.full_name, rows.size], ['Zoe', null, 'Ann 10', 1_210]);
});

test('of a part of a source that is no small one the rows that changed are written alone', async () => {
  const lake = await lakeOf(3_000);
  const before = await current(lake);
  const part = people(1_000, 1_700);
  const again = await lake.ingest([await lake.file('b.csv', part)], { keeping });
  assert.deepEqual([again.added, again.replaced, again.kept, again.published], [0, 700, 2_300, false]);
  const summary = await lake.ingest([await lake.file('c.csv', `${part.replace('Ann 1007,', 'Zoe,')}new,Di,,NL,\n`)], { keeping });
  assert.deepEqual([summary.added, summary.replaced, summary.kept, summary.rows, summary.published], [1, 700, 2_300, 3_001, true]);
  assert.deepEqual((await current(lake)).segments.map(({ id, rows }) => [id === before.segments[0]!.id, rows]), [[true, 2_999], [false, 2]]);
  assert.equal((await lake.rows()).get('crm:1007')!.full_name, 'Zoe');
  const other = await lake.ingest([await lake.file('d.csv', people(0, 700, 'Bo'))], { keeping });
  assert.deepEqual([other.replaced, other.rows], [700, 3_001]);
});

test('of an export a row is written of which a text changed into another of the same hash', async () => {
  const lake = await testLake();
  const staff = (company: string): string => `id,name,company\n${Array.from({ length: 600 }, (_, nth) => `${nth},Ann ${nth},${nth === 7 ? company : 'Acme'}\n`).join('')}`;
  await lake.ingest([await lake.file('a.csv', staff('Springfieldx'))], { keeping });
  assert.equal((await lake.ingest([await lake.file('b.csv', staff('k8OfY6qDmu$X'))], { keeping })).published, true);
  assert.equal((await lake.rows()).get('crm:7')!.company_name, 'k8OfY6qDmu$X');
});

test('an export of everything is compared with a source that was made before there was one of its fields', async () => {
  const lake = await lakeOf(1_200);
  const { segments: [segment], ...manifest } = await current(lake);
  const { truth } = segmentFiles(dirOf(lake), segment!.id);
  await writeFile(snapshotPath(dirOf(lake), manifest.snapshot), JSON.stringify({ ...manifest, segments: [{ ...segment, seals: undefined }] }));
  await withDuck(lake.dataDir, { folders: [segmentsDir(dirOf(lake))], files: [] }, new AbortController().signal, async (duck) => {
    await duck.run(`CREATE TABLE old AS SELECT * EXCLUDE (department) FROM read_parquet(${literal(truth)})`);
    await duck.run(`COPY old TO ${literal(truth)} (FORMAT parquet)`);
  });
  const { replaced, rows, published } = await lake.ingest([await lake.file('b.csv', people(0, 1_200))], { keeping });
  assert.deepEqual([replaced, rows, published], [1_200, 1_200, false]);
});

test('of few rows those that are there as they are change nothing', async () => {
  const lake = await lakeOf(100);
  const before = await current(lake);
  const some = people(10, 14);
  assert.deepEqual([(await lake.ingest([await lake.file('b.csv', some)], { keeping })).replaced, await current(lake)], [4, before]);
  const summary = await lake.ingest([await lake.file('c.csv', some.replace('Ann 12,', 'Zoe,'))], { keeping });
  assert.deepEqual([summary.added, summary.replaced, summary.kept, summary.published], [0, 4, 96, true]);
  assert.deepEqual((await current(lake)).segments.map(({ rows }) => rows), [99, 1]);
  assert.equal((await lake.rows()).get('crm:12')!.full_name, 'Zoe');
});

/** A segment of the source is not what it was. */
async function damage(lake: TestLake): Promise<Manifest> {
  const manifest = await current(lake);
  const { index } = segmentFiles(dirOf(lake), manifest.segments[0]!.id);
  const bytes = await readFile(index);
  bytes[bytes.length - 100]! ^= 1;
  await writeFile(index, bytes);
  return manifest;
}

test('an export in which nothing changed makes a segment anew that is damaged', async () => {
  const lake = await lakeOf(1_200);
  const { snapshot } = await damage(lake);
  assert.equal((await lake.ingest([await lake.file('b.csv', people(0, 1_200))], { keeping })).snapshot, snapshot + 1);
  assert.equal((await lake.rows()).size, 1_200);
});

test('an append makes a segment anew that is damaged, also where none was asked for the rows that are there', async () => {
  for (const from of [0, 100]) {
    const lake = await lakeOf(100);
    await damage(lake);
    assert.equal((await lake.ingest([await lake.file('b.csv', people(from, 101))], { mode: 'append', keeping })).added, 1);
    assert.equal((await lake.rows()).size, 101);
  }
});

test('what too much of is gone is written anew, as is what has stood beside the rest until it is half as large', async () => {
  const lake = await lakeOf(100);
  for (const [from, sizes] of [[0, [90, 10]], [10, [80, 20]], [20, [100]]] as const) {
    await lake.ingest([await lake.file('b.csv', people(from, from + 10, 'Bo'))], { keeping });
    assert.deepEqual((await current(lake)).segments.map(({ rows }) => rows), sizes);
  }
  for (let from = 100; from < 160; from += 10) await lake.ingest([await lake.file('b.csv', people(from, from + 10))], { mode: 'append', keeping });
  assert.deepEqual((await current(lake)).segments.map(({ rows }) => rows), [150, 10]);
  assert.equal((await lake.rows()).size, 160);
});

test('erasure writes what holds a row of the id anew, be it one that was replaced, and nothing else', async () => {
  const lake = await lakeOf(100);
  await lake.ingest([await lake.file('b.csv', `${HEADER}5,Secret,,US,\nnew,Other,,US,\n`)], { keeping });
  const [base, small] = (await current(lake)).segments;
  const erasure = await eraseRows(rewriteOf(lake), await lake.file('ids.txt', 'new\nN/A\n'));
  assert.deepEqual([erasure.asked, erasure.erased, erasure.kept], [2, 1, 100]);
  const after = (await current(lake)).segments;
  assert.deepEqual([after[0], after.length, after[1]!.rows], [base, 2, 1]);
  assert.notEqual(after[1]!.id, small!.id);
  assert.deepEqual(await eraseRows(rewriteOf(lake), await lake.file('ids.txt', 'crm:5\n')), { asked: 1, erased: 1, kept: 99, snapshot: 4 });
  assert.deepEqual((await current(lake)).segments.map(({ rows, gone }) => [rows, gone]), [[99, undefined]], 'its first row too is in no file');
});

test('compaction leaves nothing of what was replaced', async () => {
  const lake = await lakeOf(100);
  await lake.ingest([await lake.file('b.csv', people(3, 6, 'Bo'))], { keeping });
  const before = await lake.rows();
  assert.deepEqual(await compactSource(rewriteOf(lake)), { rows: 100, segmentsBefore: 2, snapshot: 3 });
  assert.deepEqual((await current(lake)).segments.map(({ rows, gone }) => [rows, gone]), [[100, undefined]]);
  assert.deepEqual(await lake.rows(), before);
});

test('another row form, or other extras, have everything written anew', async () => {
  const lake = await lakeOf(100);
  await lake.ingest([await lake.file('b.csv', people(3, 5, 'Bo'))], { rowForm: 'text', keeping });
  assert.equal((await current(lake)).segments.length, 1);
  await lake.ingest([await lake.file('c.csv', people(3, 5, 'Cy'))], { extras: [{ name: 'tier', type: 'string', description: '' }], keeping });
  assert.equal((await current(lake)).segments.length, 1);
  assert.equal((await lake.rows()).get('crm:4')!.full_name, 'Cy 4');
});
