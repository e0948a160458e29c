import assert from 'node:assert/strict';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { vocabulary } from '../../../src/model/vocabulary.ts';
import { Connections } from '../../../src/sources/parquet/connect.ts';
import { openParquet } from '../../../src/sources/parquet/open.ts';
import type { FailureCode, ForeignSource, FoundRow, RowsRequest, SourceFailure } from '../../../src/sources/source.ts';

const NEVER = new AbortController().signal;
const ALL: RowsRequest = { filters: [], terms: [], order: 'stored', from: null, fields: null, rowsWanted: null };
const failsAs = (code: FailureCode) => (error: unknown): boolean => (error as SourceFailure).code === code;

describe('a parquet file that is not what it seemed', () => {
  let folder: string;
  let instance: DuckDBInstance;
  let writer: DuckDBConnection;
  const sources: ForeignSource[] = [];
  before(async () => {
    instance = await DuckDBInstance.create(':memory:', { threads: '1' });
    writer = await instance.connect();
  });
  beforeEach(async () => { folder = await mkdtemp(join(tmpdir(), 'lds-parquet-odd-')); });
  after(async () => {
    await Promise.all(sources.map((source) => source.close()));
    writer.closeSync();
    instance.closeSync();
  });
  afterEach(() => rm(folder, { recursive: true }));

  const write = async (file: string, from: number, to: number, more = ''): Promise<void> => {
    const rows = `SELECT i AS id, 'p' || i || '@x.org' AS email, ['US', 'DE'][1 + (i % 2)::INTEGER] AS country${more} FROM range(${from}, ${to}) t(i)`;
    await writer.run(`COPY (${rows}) TO '${join(folder, file)}' (FORMAT parquet, ROW_GROUP_SIZE 2048)`);
  };
  const openAt = (path: string): ForeignSource => {
    const config = { name: 'files', dataset: 'contacts', kind: 'parquet', path: join(folder, path), columns: {}, compared: {} } as const;
    const source = openParquet({ vocabulary: vocabulary('contacts'), config });
    sources.push(source);
    return source;
  };
  const read = async (source: ForeignSource, change: Partial<RowsRequest> = {}): Promise<FoundRow[]> => {
    const rows: FoundRow[] = [];
    for await (const batch of source.rows({ ...ALL, ...change }, NEVER)) {
      rows.push(...batch);
      if (rows.length >= (change.rowsWanted ?? Infinity)) break;
    }
    return rows;
  };
  const ids = (rows: readonly FoundRow[]): string[] => rows.map(({ json }) => String((JSON.parse(json) as { id: unknown }).id));

  it('has failed where a file turns out damaged behind its first rows, by pages and as a whole, and gives what stands before', async () => {
    await write('a.parquet', 0, 100_000, ", md5(i::VARCHAR) AS headline");
    const bytes = await readFile(join(folder, 'a.parquet'));
    await writeFile(join(folder, 'a.parquet'), bytes.fill(0xff, bytes.length - (bytes.length >>> 3), bytes.length - (bytes.length >>> 3) + 4_096));
    const source = openAt('a.parquet');
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
    await write('a.parquet', 0, 100);
    const source = openAt('a.parquet');
    await source.describe(NEVER);
    // As many rows, none where it was; of the country that is asked for, and of the other.
    const replaced = async (): Promise<void> => {
      await write('next', 100, 200);
      await rename(join(folder, 'next'), join(folder, 'a.parquet'));
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
      const shown = rows.map(({ json }) => JSON.parse(json) as { email: string; country: string });
      assert.deepEqual(shown.map(({ email, country }) => [email, country]), rows.map(({ key }) => [key, 'DE']));
      assert.deepEqual(ids(rows), Array.from({ length: 10 }, (_, at) => `files:${101 + 2 * at}`));
    } finally {
      Connections.prototype.all = all;
    }
  });

  it('reads a file by its very name, also where that is a pattern which another file fits', async () => {
    for (const [name, from] of [['data[1].parquet', 0], ['data?.parquet', 10], ['data*.parquet', 20]] as const) await write(name, from, from + 10);
    const source = openAt('.');
    const expected = Array.from({ length: 30 }, (_, at) => `files:${at}`);
    assert.deepEqual(ids(await read(source)).toSorted(), expected.toSorted());
    await write('data1.parquet', 30, 40);
    assert.deepEqual(await source.describe(NEVER).then(({ trouble }) => trouble), null);
    expected.push(...Array.from({ length: 10 }, (_, at) => `files:${30 + at}`));
    assert.deepEqual(ids(await read(source)).toSorted(), expected.toSorted());
    assert.deepEqual(ids(await read(source, { order: 'identity', rowsWanted: 40 })).toSorted(), expected.toSorted());
  });
});
