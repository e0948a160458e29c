import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach } from 'node:test';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import type { Dataset } from '../../../src/model/dataset.ts';
import { vocabulary } from '../../../src/model/vocabulary.ts';
import { openParquet } from '../../../src/sources/parquet/open.ts';
import type { ForeignSource, FoundRow, RowsRequest } from '../../../src/sources/source.ts';
import { readRow } from '../../../src/worker/foreign/read_row.ts';

export const NEVER = new AbortController().signal;
export const ALL: RowsRequest = { filters: [], terms: [], order: 'stored', from: null, fields: null, rowsWanted: null };

export const ids = (rows: readonly FoundRow[]): string[] => rows.map(({ json }) => String(readRow(json)['id']));

export async function read(source: ForeignSource, change: Partial<RowsRequest> = {}, signal = NEVER): Promise<FoundRow[]> {
  const rows: FoundRow[] = [];
  for await (const batch of source.rows({ ...ALL, ...change }, signal)) {
    rows.push(...batch);
    if (rows.length >= (change.rowsWanted ?? Infinity)) break;
  }
  return rows;
}

/** What the tests of one suite write, each in a folder of its own, and the sources that they open over it. */
export class WrittenFiles {
  folder = '';
  readonly #sources: ForeignSource[] = [];
  #writer: DuckDBConnection | null = null;

  constructor() {
    let instance: DuckDBInstance;
    before(async () => {
      instance = await DuckDBInstance.create(':memory:', { threads: '1' });
      this.#writer = await instance.connect();
    });
    beforeEach(async () => { this.folder = await mkdtemp(join(tmpdir(), 'lds-parquet-')); });
    afterEach(() => rm(this.folder, { recursive: true }));
    after(async () => {
      await Promise.all(this.#sources.map((source) => source.close()));
      this.#writer!.closeSync();
      instance.closeSync();
    });
  }

  get writer(): DuckDBConnection { return this.#writer!; }

  /** Rows with the ids `from .. to - 1`. */
  async write(file: string, from: number, to: number, more = ''): Promise<void> {
    const rows = `SELECT i AS id, 'p' || i || '@x.org' AS email, ['US', 'DE'][1 + (i % 2)::INTEGER] AS country${more} FROM range(${from}, ${to}) t(i)`;
    await this.writer.run(`COPY (${rows}) TO '${join(this.folder, file)}' (FORMAT parquet, ROW_GROUP_SIZE 2048)`);
  }

  openAt(path: string, more: object = {}, dataset: Dataset = 'contacts'): ForeignSource {
    const config = { name: 'files', dataset, kind: 'parquet', path: join(this.folder, path), columns: {}, compared: {}, ...more } as const;
    const source = openParquet({ vocabulary: vocabulary(dataset), config });
    this.#sources.push(source);
    return source;
  }
}
