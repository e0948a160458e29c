import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { Duck, literal } from '../../src/ingest/duckdb.ts';
import { IngestError } from '../../src/ingest/failure.ts';
import { compactSource, eraseRows } from '../../src/ingest/rewrite.ts';
import type { RewriteOrder } from '../../src/ingest/rewriting.ts';
import { lakeDir, segmentFiles, snapshotPath } from '../../src/sources/lake/paths.ts';
import { readCurrent } from '../../src/sources/lake/current.ts';
import { testLake, type TestLake } from './lake.ts';

const PEOPLE = 'id,name,email\n1,Ann,ann@b.co\n2,Bo,bo@b.co\n3,Cy,cy@b.co\n';

function rewriteOf({ dataDir, order }: TestLake): RewriteOrder {
  const { signal, stage } = order([]);
  return { dataDir, source: 'crm', extras: { contacts: [], companies: [] }, rowForm: null, signal, stage };
}

async function lakeOfThree(): Promise<TestLake> {
  const lake = await testLake();
  await lake.ingest([await lake.file('a.csv', PEOPLE)]);
  return lake;
}

test('erasure takes out the rows of a key file, named with their source or without, and leaves the others as they were', async () => {
  const lake = await lakeOfThree();
  const before = await lake.rows();
  const erasure = await eraseRows(rewriteOf(lake), await lake.file('ids.txt', 'crm:1\r\n\n 3 \nnobody\n'));
  assert.deepEqual(erasure, { asked: 3, erased: 2, kept: 1, snapshot: 2 });
  assert.deepEqual(await lake.rows(), new Map([['crm:2', before.get('crm:2')!]]));
});

test('erasure finds rows by their keys as they stood in the file that was ingested', async () => {
  const lake = await testLake();
  const keys = ['crm:17', '="00123"', 'cafe\u0301', 'a  b', 'x\u200b1', "O'Neil", '7.0', 'N/A-1'];
  await lake.ingest([await lake.file('a.csv', `id,name\n${keys.map((key, at) => `"${key.replaceAll('"', '""')}",Ann ${at}\n`).join('')}plain,Zoe\n`)]);
  const erasure = await eraseRows(rewriteOf(lake), await lake.file('ids.txt', keys.map((key, at) => (at % 2 === 0 ? key : `crm:${key}`)).join('\n')));
  assert.deepEqual([erasure.asked, erasure.erased], [keys.length, keys.length]);
  assert.deepEqual([...(await lake.rows()).keys()], ['crm:plain']);
});

test('a file of ids in another encoding than UTF-8 is refused, for none of them would be found', async () => {
  const lake = await testLake();
  await lake.ingest([await lake.file('a.csv', 'id,name\né1,Ann\n2,Bob\n')]);
  const order = rewriteOf(lake);
  for (const content of [Buffer.from('\ufeffé1\r\n2\r\n', 'utf16le'), Buffer.from('2\r\n', 'utf16le'), Buffer.from('2\né1\n', 'latin1'), Buffer.from('2\né', 'utf8').subarray(0, -1)]) {
    await assert.rejects(eraseRows(order, await lake.file('ids.txt', content)), (error) => error instanceof IngestError && error.usage && /not text in UTF-8/.test(error.message));
  }
  assert.equal((await lake.rows()).size, 2);
  assert.equal((await eraseRows(order, await lake.file('ids.txt', '\ufeffé1\r\n\r\ncrm:é1\r2'))).erased, 2);
});

test('erasure of ids that are not there publishes nothing', async () => {
  const lake = await lakeOfThree();
  const erasure = await eraseRows(rewriteOf(lake), await lake.file('ids.txt', '7\n'));
  assert.deepEqual(erasure, { asked: 1, erased: 0, kept: 3, snapshot: 1 });
});

test('erasure of every row leaves an empty source, which takes rows again', async () => {
  const lake = await lakeOfThree();
  assert.equal((await eraseRows(rewriteOf(lake), await lake.file('ids.txt', '1\n2\n3\n'))).kept, 0);
  assert.equal((await lake.rows()).size, 0);
  await lake.ingest([await lake.file('b.csv', PEOPLE)]);
  assert.equal((await lake.rows()).size, 3);
});

test('erased rows come back with a later ingest of the same file: erasure is of what is there', async () => {
  const lake = await lakeOfThree();
  await eraseRows(rewriteOf(lake), await lake.file('ids.txt', '1\n'));
  await lake.ingest([await lake.file('b.csv', PEOPLE)]);
  assert.equal((await lake.rows()).size, 3);
});

test('a file of ids that is not there, and a source that is not there, are refused before anything is touched', async () => {
  const lake = await lakeOfThree();
  await assert.rejects(eraseRows(rewriteOf(lake), '/nowhere/ids.txt'), IngestError);
  await assert.rejects(eraseRows({ ...rewriteOf(lake), source: 'nobody' }, await lake.file('ids.txt', '1\n')), IngestError);
  assert.equal((await readCurrent(lakeDir(lake.dataDir, 'contacts', 'crm')))!.snapshot, 1);
});

test('compaction keeps every row, and gives it the extra columns that are declared now', async () => {
  const lake = await lakeOfThree();
  const extras = { contacts: [{ name: 'badge', type: 'integer', description: 'badge number' }], companies: [] } as const;
  const { rows, segmentsBefore } = await compactSource({ ...rewriteOf(lake), extras });
  assert.deepEqual([rows, segmentsBefore], [3, 1]);
  for (const row of (await lake.rows()).values()) assert.equal(row['badge'], null);
});

test('what rows have in a field of the operator stays through a compaction and an erasure to which it is not declared', async () => {
  const lake = await testLake();
  await lake.ingest([await lake.file('a.csv', 'id,name,badge\n1,Ann,7\n2,Bob,8\n')], { extras: [{ name: 'badge', type: 'integer', description: 'badge number' }] });
  await compactSource(rewriteOf(lake));
  await eraseRows(rewriteOf(lake), await lake.file('ids.txt', '1\n'));
  assert.deepEqual([...(await lake.rows()).values()].map(({ id, badge }) => [id, badge]), [['crm:2', 8]]);
});

/** As a lake stands that was written when truths were packed otherwise, and manifests knew no seals. */
async function repacked({ dataDir }: TestLake): Promise<void> {
  const dir = lakeDir(dataDir, 'contacts', 'crm');
  const manifest = (await readCurrent(dir))!;
  const path = snapshotPath(dir, manifest.snapshot);
  await writeFile(path, JSON.stringify({ ...manifest, segments: manifest.segments.map((segment) => ({ ...segment, seals: undefined })) }));
  const duck = await Duck.open(dataDir, { folders: [], files: [] }, new AbortController().signal);
  try {
    for (const { id } of manifest.segments) {
      const { truth } = segmentFiles(dir, id);
      await duck.run(`CREATE OR REPLACE TABLE old AS FROM read_parquet(${literal(truth)})`);
      await duck.run(`COPY old TO ${literal(truth)} (FORMAT parquet, COMPRESSION zstd, PARQUET_VERSION V2)`);
    }
  } finally {
    duck.close();
  }
}

test('a lake whose truth is packed as it once was is upserted into, appended to, erased from and compacted', async () => {
  const lake = await lakeOfThree();
  const before = await lake.rows();
  await repacked(lake);
  await lake.ingest([await lake.file('b.csv', 'id,name,email\n4,Di,di@b.co\n')], { mode: 'append' });
  await repacked(lake);
  await lake.ingest([await lake.file('c.csv', 'id,name,email\n3,Cyd,cy@b.co\n')]);
  await repacked(lake);
  assert.equal((await eraseRows(rewriteOf(lake), await lake.file('ids.txt', '2\n'))).kept, 3);
  await repacked(lake);
  assert.equal((await compactSource(rewriteOf(lake))).rows, 3);
  const rows = await lake.rows();
  assert.deepEqual([...rows.keys()].sort(), ['crm:1', 'crm:3', 'crm:4']);
  assert.deepEqual(rows.get('crm:1'), before.get('crm:1'));
  assert.equal(rows.get('crm:3')!.full_name, 'Cyd');
});

test('a source keeps the form in which its rows are stored until it is told another, and the rows are the same in either', async () => {
  const lake = await lakeOfThree();
  const dir = lakeDir(lake.dataDir, 'contacts', 'crm');
  const formNow = async (): Promise<unknown> => (await readCurrent(dir))!.rowForm;
  const before = await lake.rows();
  assert.equal(await formNow(), 'balanced', 'of a new source');
  await compactSource({ ...rewriteOf(lake), rowForm: 'compact' });
  assert.deepEqual([await formNow(), await lake.rows()], ['compact', before]);
  await lake.ingest([await lake.file('b.csv', PEOPLE.replaceAll('Bo', 'Bob'))]);
  assert.equal(await formNow(), 'compact', 'after an ingest that does not say');
  assert.equal((await lake.rows()).get('crm:2')!.full_name, 'Bob');
  await eraseRows(rewriteOf(lake), await lake.file('ids.txt', 'crm:2\n'));
  assert.deepEqual([await formNow(), (await lake.rows()).size], ['compact', 2]);
  await lake.ingest([await lake.file('a.csv', PEOPLE)], { mode: 'replace', rowForm: 'text' });
  assert.equal(await formNow(), 'text');
  assert.deepEqual([...(await lake.rows()).keys()].sort(), [...before.keys()].sort());
});

test('a source of which an older version did not say how its rows are stored keeps them as text', async () => {
  const lake = await lakeOfThree();
  const dir = lakeDir(lake.dataDir, 'contacts', 'crm');
  const { rowForm, ...older } = (await readCurrent(dir))!;
  assert.equal(rowForm, 'balanced');
  await writeFile(snapshotPath(dir, older.snapshot), JSON.stringify(older));
  await lake.ingest([await lake.file('b.csv', PEOPLE.replaceAll('Bo', 'Bob'))]);
  assert.equal((await readCurrent(dir))!.rowForm, 'text');
});
