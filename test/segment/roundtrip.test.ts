import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import type { Row } from '../../src/model/field.ts';
import { VERSION } from '../../src/segment/layout.ts';
import { mapsFiles } from '../../src/segment/mapping.ts';
import { closeSegment, openSegment, readRow, verifyRows } from '../../src/segment/reader.ts';
import { publishedLines } from '../support/published_rows.ts';
import { fullRow, inFolder, inOrder, load, summaryOf, write } from './support.ts';

const EXTRAS = [
  { name: 'tags', type: 'strings', description: 'tags' },
  { name: 'score', type: 'integer', description: 'score' },
] as const;

const ROWS: Row[] = ([
  {
    id: 'test:1', full_name: 'Žofie "Žo" Nováková', job_title: 'VP, Engineering', email: 'zofie@acme.cz', country: 'CZ',
    city: 'Praha', skills: ['Machine Learning', 'SQL'],
    updated_at: '2024-05-01T00:00:00.000Z', tags: ['A', 'b', 'a'], score: 7,
  },
  { id: 'test:2', full_name: '李 雷', linkedin_url: 'https://linkedin.com/in/li', country: 'CN', updated_at: '2023-05-01T00:00:00.000Z' },
  { id: 'test:3', email: 'Big@Case.com', country: 'CN', phone: '+15550100', job_title: 'vp engineering' },
  { id: 'test:4', full_name: '😀 line\nbreak', email: '"a b"@quoted.com', score: -3 },
  { id: 'test:5', email: '  ', linkedin_url: '', country: 'CZ' },
] as Row[]).map((row) => fullRow('contacts', row, EXTRAS));

test('a segment gives back the rows it was written from, in their order', async () => {
  await inFolder(async (folder) => {
    const ranked = inOrder('contacts', ROWS);
    const { index, rows } = load(await write(folder, 'contacts', ranked, EXTRAS));
    const segment = openSegment(index, rows);
    assert.deepEqual(Array.from({ length: segment.rows }, (_, row) => readRow(segment, row)), ranked.map(({ row }) => row));
    assert.deepEqual([...segment.ranks], ranked.map(({ rank }) => rank));
    assert.deepEqual(segment.meta.ranges, [['CN', 0, 2], ['CZ', 2, 4], [null, 4, 5]]);
  });
});

test('the text of a row is a line of JSON in the order of the fields, with nulls spelled out', async () => {
  await inFolder(async (folder) => {
    const ranked = inOrder('contacts', ROWS);
    const shuffled = ranked.map(({ rank, row }) => ({ rank, row: Object.fromEntries(Object.entries(row).reverse().filter(([, value]) => value !== null)) }));
    assert.deepEqual(await publishedLines(await write(folder, 'contacts', shuffled, EXTRAS)), ranked.map(({ row }) => `${JSON.stringify(row)}\n`));
  });
});

test('the summary tells rows, fill, countries and the newest change', async () => {
  await inFolder(async (folder) => {
    const written = await write(folder, 'contacts', inOrder('contacts', ROWS), EXTRAS);
    const { summary } = written;
    assert.equal(summary.rows, 5);
    assert.equal(summary.fill.email, 0.6);
    assert.equal(summary.fill.linkedin_url, 0.2);
    assert.equal(summary.fill.headline, 0);
    assert.deepEqual(summary.countries, { CN: 2, CZ: 2 });
    assert.equal(summary.updatedAt, '2024-05-01T00:00:00.000Z');
    const { index, rows } = load(written);
    assert.equal(summary.indexBytes, index.byteLength);
    assert.equal(summary.rowsBytes, rows.byteLength);
    assert.deepEqual(summaryOf(openSegment(index, rows)), summary);
  });
});

for (const mapped of [true, false]) {
  test(`rows are ${mapped ? 'mapped' : 'read from the file'} where they are not resident`, async () => {
    await inFolder(async (folder) => {
      const ranked = inOrder('contacts', ROWS);
      const written = await write(folder, 'contacts', ranked, EXTRAS);
      const segment = openSegment(load(written).index, { file: written.rows, bytes: written.summary.rowsBytes, mapped });
      assert.equal(segment.bytes.resident !== null, mapped && mapsFiles());
      assert.deepEqual(readRow(segment, 3), ranked[3]!.row);
      verifyRows(segment);
      closeSegment(segment);
      assert.throws(() => readRow(segment, 3), 'a segment that was closed is read no more');
    });
  });
}

test('a segment without rows can be written and opened', async () => {
  await inFolder(async (folder) => {
    const { index, rows } = load(await write(folder, 'companies', []));
    const segment = openSegment(index, rows);
    assert.equal(segment.rows, 0);
    assert.deepEqual(segment.meta.ranges, []);
  });
});

test('rows out of order, a rank given twice and a rank left out are refused by the writer', async () => {
  const ranked = inOrder('contacts', ROWS);
  const refused = async (rows: typeof ranked, pattern: RegExp): Promise<void> => {
    await inFolder(async (folder) => { await assert.rejects(write(folder, 'contacts', rows, EXTRAS), pattern); });
  };
  await refused(ranked.toReversed(), /country CZ is out of order/);
  await refused([ranked[1]!, ranked[0]!], /test:\d is out of order/);
  await refused(ranked.map(({ row }) => ({ row, rank: 0 })), /out of order|comes twice/);
  await refused(ranked.map(({ row, rank }) => ({ row, rank: rank + 1 })), /leave gaps/);
});

test('the same rows make the same bytes: whoever changes more than what may be left out makes a new version', async () => {
  const bytes = await Promise.all([1, 2].map(() => inFolder(async (folder) => {
    const { index, rows } = await write(folder, 'contacts', inOrder('contacts', ROWS), EXTRAS);
    return [readFileSync(index), readFileSync(rows)].map((file) => crc32(file).toString(16));
  })));
  assert.deepEqual(bytes[0], bytes[1]);
  assert.deepEqual([VERSION, ...bytes[0]!], [3, 'b5dec358', '25790333']);
});
