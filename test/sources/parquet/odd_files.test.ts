import assert from 'node:assert/strict';
import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { vocabulary } from '../../../src/model/vocabulary.ts';
import { Connections } from '../../../src/sources/parquet/connect.ts';
import { literal } from '../../../src/sources/parquet/dialect.ts';
import { SourceFailure, type FoundRow, type Search } from '../../../src/sources/source.ts';
import { readRow } from '../../../src/worker/foreign/read_row.ts';
import { assertExact } from '../../contract/sources/odd_texts.ts';
import { WIDE_DECIMALS } from '../../support/wide_decimals.ts';
import { failsAs } from '../fails_as.ts';
import { assertWalks } from '../postgres/odd_table.ts';
import { WRITTEN_TIMES } from '../sql/written_times.ts';
import { ALL, ids, NEVER, read, WrittenFiles } from './written_files.ts';

describe('a parquet file that is not what it seemed', () => {
  const files = new WrittenFiles();

  it('has failed where a file turns out damaged behind its first rows, by pages and as a whole, and gives what stands before', async () => {
    await files.write('a.parquet', 0, 100_000, ", md5(i::VARCHAR) AS headline");
    const bytes = await readFile(join(files.folder, 'a.parquet'));
    await writeFile(join(files.folder, 'a.parquet'), bytes.fill(0xff, bytes.length - (bytes.length >>> 3), bytes.length - (bytes.length >>> 3) + 4_096));
    const source = files.openAt('a.parquet');
    for (const rowsWanted of [null, 20_000]) {
      const given: FoundRow[] = [];
      const gather = async (): Promise<void> => {
        for await (const batch of source.rows({ ...ALL, rowsWanted, fields: ['headline'] }, NEVER)) given.push(...batch);
      };
      await assert.rejects(gather, (error: unknown) => failsAs('broken')(error) || failsAs('malformed')(error));
      assert.ok(given.length > 0 && given.length < 100_000, `${given.length} rows`);
      assert.deepEqual(ids(given), given.map((_, at) => `files:${at}`));
    }
  });

  it('gives no row of a file that replaced another between the sorting of its keys and the reading of its rows', async () => {
    await files.write('a.parquet', 0, 100);
    const source = files.openAt('a.parquet');
    await source.describe(NEVER);
    // As many rows, none where it was; of the country that is asked for, and of the other.
    const replaced = async (): Promise<void> => {
      await files.write('next', 100, 200);
      await rename(join(files.folder, 'next'), join(files.folder, 'a.parquet'));
    };
    const { all } = Connections.prototype;
    let swapped = false;
    Connections.prototype.all = async function (this: Connections, ...asked) {
      const rows = await all.apply(this, asked);
      if (asked[0].includes('ORDER BY') && !swapped) {
        swapped = true;
        await replaced();
      }
      return rows;
    };
    try {
      const rows = await read(source, { order: 'identity', rowsWanted: 10, filters: [{ kind: 'terms', name: 'country', include: ['DE'], exclude: [] }] });
      assert.ok(swapped);
      const shown = rows.map(({ json }) => readRow(json) as { email: string; country: string });
      assert.deepEqual(shown.map(({ email, country }) => [email, country]), rows.map(({ key }) => [key, 'DE']));
      assert.deepEqual(ids(rows), Array.from({ length: 10 }, (_, at) => `files:${101 + 2 * at}`));
    } finally {
      Connections.prototype.all = all;
    }
  });

  it('is read as it is by now where it was replaced before its first row came, whatever the engine made of that', async () => {
    await files.write('a.parquet', 0, 100);
    const source = files.openAt('a.parquet');
    await source.describe(NEVER);
    const { batches } = Connections.prototype;
    let swapped = false;
    Connections.prototype.batches = async function* (this: Connections, ...asked) {
      if (asked[0].includes('to_json') && !swapped) {
        swapped = true;
        await files.write('next', 100, 300);
        await rename(join(files.folder, 'next'), join(files.folder, 'a.parquet'));
        throw new SourceFailure('malformed', 'Invalid Input Error: No magic bytes found at end of file');
      }
      yield* batches.apply(this, asked);
    };
    try {
      assert.deepEqual(ids(await read(source)), Array.from({ length: 200 }, (_, at) => `files:${100 + at}`));
    } finally {
      Connections.prototype.batches = batches;
    }
  });

  it('misses what it cannot look at: a link whose end is gone, a folder that it may not look into', async () => {
    await mkdir(join(files.folder, 'day'));
    await files.write('day/a.parquet', 0, 10);
    const source = files.openAt('*/*.parquet');
    const trouble = async (): Promise<string | null> => (await source.describe(NEVER)).trouble;
    assert.equal(await trouble(), null);
    await symlink(join(files.folder, 'away', 'b.parquet'), join(files.folder, 'day', 'b.parquet'));
    assert.equal(await trouble(), '1 of 2 files cannot be read');
    await symlink(join(files.folder, 'away'), join(files.folder, 'other'));
    assert.equal(await trouble(), '1 of 2 files cannot be read; 1 folder cannot be looked into');
    await assert.rejects(source.count(ALL, NEVER), failsAs('incomplete'));
    const got: string[] = [];
    await assert.rejects((async () => { for await (const batch of source.rows(ALL, NEVER)) got.push(...ids(batch)); })(), failsAs('incomplete'));
    assert.equal(got.length, 10);
    await mkdir(join(files.folder, 'away'));
    await files.write('away/b.parquet', 10, 20);
    await rm(join(files.folder, 'other'));
    assert.equal(await trouble(), null);
    assert.equal((await read(source)).length, 30);
  });

  it('reads a file by its very name, also where that is a pattern which another file fits', async () => {
    for (const [name, from] of [['data[1].parquet', 0], ['data?.parquet', 10], ['data*.parquet', 20]] as const) await files.write(name, from, from + 10);
    const source = files.openAt('.');
    const expected = Array.from({ length: 30 }, (_, at) => `files:${at}`);
    assert.deepEqual(ids(await read(source)).toSorted(), expected.toSorted());
    await files.write('data1.parquet', 30, 40);
    assert.deepEqual(await source.describe(NEVER).then(({ trouble }) => trouble), null);
    expected.push(...Array.from({ length: 10 }, (_, at) => `files:${30 + at}`));
    assert.deepEqual(ids(await read(source)).toSorted(), expected.toSorted());
    assert.deepEqual(ids(await read(source, { order: 'identity', rowsWanted: 40 })).toSorted(), expected.toSorted());
  });

  it('reads a folder by its very name, also where that looks like a pattern, and when it comes later', async () => {
    const source = files.openAt('exports [2024]');
    await assert.rejects(source.describe(NEVER), failsAs('unreachable'));
    await mkdir(join(files.folder, 'exports [2024]', 'more? *'), { recursive: true });
    await mkdir(join(files.folder, 'exports 2'));
    await files.write('exports [2024]/a.parquet', 0, 3);
    await files.write('exports [2024]/more? */b.parquet', 3, 6);
    await files.write('exports 2/c.parquet', 6, 9);
    assert.equal((await source.describe(NEVER)).trouble, null);
    for (const order of ['stored', 'identity'] as const) assert.deepEqual(ids(await read(source, { order })).toSorted(), Array.from({ length: 6 }, (_, at) => `files:${at}`), order);
  });

  it('writes whole numbers of columns of fractions without a point, as keys and postal codes, and none for what is no number', async () => {
    await files.writer.run(`COPY (SELECT unnest([1, 2]::DOUBLE[]) AS id, unnest([10115, NULL]::FLOAT[]) AS postal_code, unnest(['nan'::DOUBLE, 2.5::DOUBLE]) AS city, unnest([7, 8]::DOUBLE[]) AS region) TO '${join(files.folder, 'a.parquet')}' (FORMAT parquet)`);
    const source = files.openAt('a.parquet');
    const shown = (await read(source)).map(({ json }) => readRow(json) as Record<string, unknown>).map(({ id, postal_code: code, city, region }) => [id, code, city, region]);
    assert.deepEqual(shown, [['files:1', '10115', null, '7'], ['files:2', null, '2.5', '8']]);
    for (const [name, value] of [['id', 'files:2'], ['region', '8']] as const) {
      assert.deepEqual(ids(await read(source, { filters: [{ kind: 'terms', name, include: [value], exclude: [] }] })), ['files:2'], name);
    }
  });

  it('rounds fractions where a field is a whole number, as a lake does', async () => {
    const numbers = "unnest([1250000.55, 2.5, -2.5, 0.49, NULL]::";
    const columns = `unnest([1, 2, 3, 4, 5]) AS id, ${numbers}DECIMAL(14, 2)[]) AS revenue_usd, ${numbers}DOUBLE[]) AS employee_count`;
    await files.writer.run(`COPY (SELECT ${columns}, unnest(['7.', '7.50', ' 7.4 ', '7.5x', '']) AS founded_year) TO '${join(files.folder, 'a.parquet')}' (FORMAT parquet)`);
    const source = files.openAt('a.parquet', {}, 'companies');
    const shown = (await read(source)).map(({ json }) => readRow(json) as Record<string, unknown>);
    assert.deepEqual(shown.map((row) => [row['revenue_usd'], row['employee_count'], row['founded_year']]), [[1_250_001, 1_250_001, 7], [3, 3, 8], [-2, -2, 7], [0, 0, null], [null, null, null]]);
    assert.deepEqual(ids(await read(source, { filters: [{ kind: 'intervals', name: 'employee_count', include: [[3, 3]], exclude: [] }] })), ['files:2']);
  });

  it('shows the first item of a list where a field has one value, and finds, counts and orders the row by it', async () => {
    const list = (items: string): string => `unnest([${items}]) AS`;
    await files.writer.run(`COPY (SELECT ${list("['k1'], ['k2']")} id, ${list("[NULL, ' ', 'Z@x.org', 'b@x.org'], []")} email, ${list('[]::BIGINT[], [4930901820, 1]')} phone, ${list("['de', 'fr'], NULL")} country) TO '${join(files.folder, 'a.parquet')}' (FORMAT parquet)`);
    const source = files.openAt('a.parquet');
    const shown = (await read(source)).map(({ json }) => readRow(json) as Record<string, unknown>).map(({ id, email, phone, country }) => [id, email, phone, country]);
    assert.deepEqual(shown, [['files:k1', 'z@x.org', null, 'DE'], ['files:k2', null, '4930901820', null]]);
    for (const [name, value] of [['id', 'files:k1'], ['email', 'z@x.org'], ['country', 'DE']] as const) {
      assert.deepEqual(ids(await read(source, { filters: [{ kind: 'terms', name, include: [value], exclude: [] }] })), ['files:k1'], name);
    }
    assert.deepEqual((await read(source, { order: 'identity', rowsWanted: 2 })).map(({ key }) => key), ['z@x.org', 'files:k2']);
    assert.deepEqual((await source.describe(NEVER)).trouble, null);
  });

  it('writes them so too where other files have texts in the column, and keeps the ids of rows when such files come', async () => {
    const copied = (name: string, rows: string): Promise<unknown> => files.writer.run(`COPY (${rows}) TO '${join(files.folder, name)}' (FORMAT parquet)`);
    await copied('a.parquet', "SELECT unnest([1, 2, 3]::DOUBLE[]) AS id, unnest([10115, NULL, 'nan'::FLOAT]::FLOAT[]) AS postal_code, unnest([7, 8.5, 'inf'::DOUBLE]::DOUBLE[]) AS region");
    const source = files.openAt('*.parquet', { compared: { region: 'region' } });
    const shown = async (): Promise<unknown[][]> => (await read(source)).map(({ json }) => readRow(json) as Record<string, unknown>)
      .map(({ id, postal_code: code, region }) => [id, code, region]).toSorted();
    const numbers = [['files:1', '10115', '7'], ['files:2', null, '8.5'], ['files:3', null, null]];
    assert.deepEqual(await shown(), numbers);
    await copied('b.parquet', "SELECT unnest(['x-4', '2.0.0']) AS id, unnest(['SW1A 1AA', '0815']) AS \"Postal_Code\", '9' AS region");
    assert.equal((await source.describe(NEVER)).trouble, null);
    assert.deepEqual(await shown(), [...numbers, ['files:2.0.0', '0815', '9'], ['files:x-4', 'SW1A 1AA', '9']].toSorted());
    assert.deepEqual(ids(await read(source, { order: 'identity', rowsWanted: 5 })), ['files:1', 'files:2', 'files:2.0.0', 'files:3', 'files:x-4']);
    for (const [name, value, id] of [['id', 'files:2', 'files:2'], ['region', '7', 'files:1']] as const) {
      assert.deepEqual(ids(await read(source, { filters: [{ kind: 'terms', name, include: [value], exclude: [] }] })), [id], name);
    }
  });

  it('shows no time of texts that is none', async () => {
    const texts = WRITTEN_TIMES.map(([text]) => literal(text)).join(', ');
    await files.writer.run(`COPY (SELECT unnest(range(${WRITTEN_TIMES.length})) AS id, unnest([${texts}]) AS updated_at) TO '${join(files.folder, 'a.parquet')}' (FORMAT parquet)`);
    const rows = (await read(files.openAt('a.parquet'))).map(({ json }) => readRow(json) as { updated_at: unknown });
    assert.deepEqual(rows.map((row) => row.updated_at), WRITTEN_TIMES.map(([, time]) => time));
  });

  it('shows the times of files also where others have texts in that column, and finds them', async () => {
    const copied = (name: string, id: number, time: string): Promise<unknown> => files.writer.run(`COPY (SELECT ${id} AS id, ${time} AS updated_at) TO '${join(files.folder, name)}' (FORMAT parquet)`);
    const times = ["TIMESTAMP '2024-01-02 10:00:00.1239'", "TIMESTAMPTZ '2024-01-02 12:00:00+02'", "TIMESTAMP_NS '2024-01-02 10:00:00.123456789'", "DATE '2024-01-02'", "TIMESTAMP '1969-12-31 23:59:59.9999'", "TIMESTAMP 'infinity'", "TIMESTAMPTZ '2024-01-02 12:00:00.12+02'"];
    for (const [at, time] of times.entries()) await copied(`${at}.parquet`, at, time);
    const source = files.openAt('*.parquet');
    const shown = async (): Promise<unknown[]> => {
      const rows = (await read(source)).map(({ json }) => readRow(json) as { id: string; updated_at: unknown });
      return rows.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map((row) => row.updated_at);
    };
    const expected = ['2024-01-02T10:00:00.123Z', '2024-01-02T10:00:00Z', '2024-01-02T10:00:00.123Z', '2024-01-02T00:00:00Z', '1969-12-31T23:59:59.999Z', null, '2024-01-02T10:00:00.120Z'];
    assert.deepEqual(await shown(), expected);
    await copied('7.parquet', 7, "'2024-01-02T10:00:00Z'");
    await copied('8.parquet', 8, "'yesterday'");
    await source.describe(NEVER);
    assert.deepEqual((await shown()).map((time, at) => (at === 3 ? String(time).replace(/T.*/, '') : time)), [...expected.with(3, '2024-01-02'), '2024-01-02T10:00:00Z', null]);
  });

  it('shows what JSON says, texts without their quotes, of lists the first, and its null as none', async () => {
    const values = ['"Bonn"', 'null', '7', '"a;b"', '[null, " ", "x", "y"]', '{"a": 1}'];
    await files.writer.run(`COPY (SELECT unnest(range(6)) AS id, unnest([${values.map((value) => `'${value}'`).join(', ')}])::JSON AS city, city AS skills) TO '${join(files.folder, 'a.parquet')}' (FORMAT parquet)`);
    const source = files.openAt('a.parquet');
    const shown = (await read(source)).map(({ json }) => readRow(json) as Record<string, unknown>).map(({ city, skills }) => [city, skills]);
    assert.deepEqual(shown, [['Bonn', ['Bonn']], [null, null], ['7', ['7']], ['a;b', ['a', 'b']], ['x', ['x', 'y']], ['{"a": 1}', ['{"a": 1}']]]);
    assert.deepEqual(ids(await read(source, { filters: [{ kind: 'terms', name: 'city', include: ['bonn'], exclude: [] }] })), ['files:0']);
  });

  it('finds, counts and walks rows whose texts hold a NUL', async () => {
    const columns = "unnest(['a', 'a' || chr(0), chr(0) || 'a', chr(0)]) AS id, id || '@x.org' AS email, id AS city, 'o''' || id AS full_name, [id] AS skills";
    await files.writer.run(`COPY (SELECT ${columns}) TO '${join(files.folder, 'a.parquet')}' (FORMAT parquet)`);
    const source = files.openAt('a.parquet');
    const terms = (name: string, include: string[] | null, exclude: string[] = []): Search => ({ filters: [{ kind: 'terms', name, include, exclude }], terms: [] });
    const named = [['id', 'files:'], ['email', ''], ['city', ''], ['full_name', "o'"], ['skills', '']] as const;
    await assertExact(source, vocabulary('contacts'), named.flatMap(([name, begin]) => ['a\0', '\0a', '\0', 'a'].flatMap((text) => {
      const value = `${begin}${text}${name === 'email' ? '@x.org' : ''}`;
      return [terms(name, [value]), terms(name, [value, 'x']), terms(name, null, [value])];
    })));
    assert.deepEqual(ids(await read(source, terms('city', ['a\0']))), ['files:a\0']);
    await assertWalks(source);
  });

  it('has no column for decimals of which the engine would make other numbers', async () => {
    await writeFile(join(files.folder, 'a.parquet'), WIDE_DECIMALS);
    const source = files.openAt('a.parquet');
    assert.ok(!(await source.describe(NEVER)).fields.includes('region'));
    const [row] = await read(source);
    const { id, region } = readRow(row!.json) as { id: string; region: unknown };
    assert.deepEqual([id, region], ['files:a', null]);
  });

  it('leaves out a column that is a list in some files and a text in others, and says so, until they are the same', async () => {
    await files.write('a.parquet', 0, 3, ", ['go', 'sql'] AS skills, {'at': {'skills': i}} AS headline");
    const source = files.openAt('*.parquet');
    for (const more of [", 'go;sql' AS \"Skills\"", ", 'x' AS city, 1700000000 AS skills"]) {
      await files.write('b.parquet', 3, 6, more);
      const { fields, trouble } = await source.describe(NEVER);
      assert.match(trouble!, /^columns that are of one type in some files and of another in others are left out: skills$/i, more);
      assert.ok(!fields.includes('skills'));
      for (const order of ['stored', 'identity'] as const) assert.equal((await read(source, { order })).length, 6, order);
      assert.deepEqual(await source.count({ filters: [], terms: [] }, NEVER), { sure: 6, unsure: [] });
    }
    // A column without a value is of no type that matters.
    for (const more of [", ['js'] AS skills", ', NULL::INTEGER AS skills', '']) {
      await files.write('b.parquet', 3, 6, more);
      const { fields, trouble } = await source.describe(NEVER);
      assert.deepEqual([fields.includes('skills'), trouble], [true, null], more);
      assert.deepEqual((await read(source)).filter(({ json }) => json.includes('"skills":["go","sql"]')).length, 3, more);
    }
  });
});
