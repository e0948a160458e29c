import assert from 'node:assert/strict';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { vocabulary } from '../../../src/model/vocabulary.ts';
import type { Search } from '../../../src/sources/source.ts';
import { readRow } from '../../../src/worker/foreign/read_row.ts';
import { assertExact } from '../../contract/sources/odd_texts.ts';
import { ids, NEVER, read, WrittenFiles } from './written_files.ts';

const CONTACTS = vocabulary('contacts');

describe('parquet files of differing columns', () => {
  const files = new WrittenFiles();
  const copied = (name: string, rows: string): Promise<unknown> => files.writer.run(`COPY (${rows}) TO '${join(files.folder, name)}' (FORMAT parquet)`);

  it('finds and counts rows by their times where some files have days in that column', async () => {
    await copied('a.parquet', "SELECT unnest([1, 2]) AS id, unnest(['2024-01-01', '2023-12-31'])::DATE AS updated_at");
    await copied('b.parquet', "SELECT unnest([3, 4, 5]) AS id, unnest(['2024-01-01', '2024-01-01 10:00:00.5', '2023-12-31 23:59:59.999'])::TIMESTAMP AS updated_at");
    const source = files.openAt('*.parquet');
    const [day, morning, before] = ['2024-01-01T00:00:00Z', '2024-01-01T10:00:00.5Z', '2023-12-31T23:59:59.999Z'].map(Date.parse) as [number, number, number];
    const within = (min: number, max: number): Search => ({ filters: [{ kind: 'intervals', name: 'updated_at', include: [[min, max]], exclude: [] }], terms: [] });
    const without = (min: number, max: number): Search => ({ filters: [{ kind: 'intervals', name: 'updated_at', include: null, exclude: [[min, max]] }], terms: [] });
    const ranges = [[day, day], [-Infinity, day], [day + 1, Infinity], [before, day - 1], [day, morning], [morning, Infinity]] as const;
    await assertExact(source, CONTACTS, ranges.flatMap(([min, max]) => [within(min, max), without(min, max)]));
    assert.deepEqual(ids(await read(source, within(day + 1, Infinity))), ['files:4']);
    assert.deepEqual(ids(await read(source, { ...within(day, day), rowsWanted: 5, order: 'identity' })).toSorted(), ['files:1', 'files:3']);
  });

  it('leaves out a column of lists and the like of which there is no one, and says so, and reads those of which there is', async () => {
    await copied('a.parquet', "SELECT 1 AS id, [1, 2] AS skills, 'Bonn' AS city");
    const source = files.openAt('*.parquet');
    for (const skills of ["[DATE '2024-01-01']", "[['go']]", "[{'name': 'go'}]", "MAP {'go': 1}", "{'name': 'go'}"]) {
      await copied('b.parquet', `SELECT 2 AS id, ${skills} AS skills, 'Ulm' AS city`);
      const { fields, trouble } = await source.describe(NEVER);
      assert.equal(trouble, 'columns that are of one type in some files and of another in others are left out: skills', skills);
      assert.ok(!fields.includes('skills'));
      for (const order of ['stored', 'identity'] as const) assert.equal((await read(source, { order, rowsWanted: 5 })).length, 2, skills);
    }
    for (const [skills, shown] of [["['go', 'js']", ['go', 'js']], ['[3]::BIGINT[]', ['3']]] as const) {
      await copied('b.parquet', `SELECT 2 AS id, ${skills} AS skills, 'Ulm' AS city`);
      assert.equal((await source.describe(NEVER)).trouble, null, skills);
      const rows = (await read(source)).map(({ json }) => readRow(json));
      assert.deepEqual(rows.toSorted((a, b) => (String(a['id']) < String(b['id']) ? -1 : 1)).map((row) => row['skills']), [['1', '2'], shown], skills);
    }
  });

  it('says where it reads the first of several columns whose names are one but for the case of letters', async () => {
    await copied('a.parquet', "SELECT 1 AS id, 'inf' AS email, 1.5::DOUBLE AS \"Emajl\", {'city': 'Bonn', 'x': ['a']} AS city, 7 AS city_1");
    const path = join(files.folder, 'a.parquet');
    const source = files.openAt('*.parquet', { columns: { email: 'Email', headline: 'city_1' } });
    assert.equal((await source.describe(NEVER)).trouble, null);
    // The engine writes no such names.
    await writeFile(`${path}.next`, Buffer.from((await readFile(path, 'latin1')).replaceAll('Emajl', 'Email'), 'latin1'));
    await rename(`${path}.next`, path);
    assert.equal((await source.describe(NEVER)).trouble, 'of columns of one name, but for the case of its letters, the first of a file is read: email');
    assert.deepEqual((await read(source)).map(({ json }) => readRow(json)['email']), ['inf']);
    await copied('b.parquet', "SELECT 2 AS id, 'cid@x.org' AS \"EMAIL\"");
    assert.match((await source.describe(NEVER)).trouble!, /^of columns of one name, but for the case of its letters, the first of a file is read: email$/i);
    assert.deepEqual((await read(source, { order: 'identity' })).map(({ json }) => readRow(json)['email']), ['cid@x.org', 'inf']);
  });

  it('tells the newest time of its rows, also where another of that second is written shorter', async () => {
    await copied('a.parquet', "SELECT unnest(['2024-01-01T10:00:00Z', '2024-01-01T10:00:00.123Z', '2024-01-01']) AS updated_at");
    assert.equal((await files.openAt('a.parquet').figures(NEVER)).updatedAt, '2024-01-01T10:00:00.123Z');
    await copied('b.parquet', "SELECT '2024-01-02' AS updated_at");
    assert.equal((await files.openAt('b.parquet').figures(NEVER)).updatedAt, '2024-01-02');
  });
});
