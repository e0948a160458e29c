import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { LIMITS } from '../../../src/config/limits.ts';
import type { Connections } from '../../../src/sources/parquet/connect.ts';
import { FileList } from '../../../src/sources/parquet/files.ts';
import { whereabouts } from '../../../src/sources/parquet/find_files.ts';
import { SourceFailure, type FailureCode } from '../../../src/sources/source.ts';
import { folderOf } from '../../support/folder.ts';

for (const [code, looks, title] of [
  ['overloaded', 2, 'a file that could not be looked at for want of memory is looked at again, though it has not changed'],
  ['broken', 2, 'a file that could not be opened is looked at again, though it has not changed'],
  ['malformed', 1, 'a file that is no such file is not looked at again before it changes'],
] as const satisfies readonly (readonly [FailureCode, number, string])[]) {
  it(title, async (t) => {
    const folder = folderOf(t);
    const path = join(folder, 'people.parquet');
    await writeFile(path, 'anything');
    let looked = 0;
    const engine: Pick<Connections, 'all'> = {
      all: () => {
        looked += 1;
        return looked === 1 ? Promise.reject(new SourceFailure(code, 'it failed')) : Promise.resolve([[path, 5]]);
      },
    };
    const files = new FileList(whereabouts(path), engine as Connections);
    const { signal } = new AbortController();
    await assert.rejects(files.now(signal), /none of the 1 files can be read/);
    files.forget();
    const found = await files.now(signal).catch(() => null);
    assert.deepEqual([looked, found?.sound.map(({ rows }) => rows) ?? null], [looks, looks === 2 ? [5] : null]);
  });
}

it('goes on where a look at very many files ran out of time, and looks at none of them twice', async (t) => {
  const folder = folderOf(t);
  const paths = Array.from({ length: LIMITS.parquetFilesAtOnce + 1 }, (_, at) => join(folder, `${at}.parquet`));
  await Promise.all(paths.map((path) => writeFile(path, 'anything')));
  const looks: number[] = [];
  const engine: Pick<Connections, 'all'> = {
    all: async (statement) => {
      const asked = paths.filter((path) => statement.includes(`'${path}'`));
      looks.push(asked.length);
      if (looks.length === 2) throw new Error('the time was up');
      return asked.map((path) => [path, 5]);
    },
  };
  const files = new FileList(whereabouts(folder), engine as Connections);
  const { signal } = new AbortController();
  await assert.rejects(files.now(signal), /the time was up/);
  assert.equal((await files.now(signal)).sound.length, paths.length);
  assert.deepEqual(looks, [LIMITS.parquetFilesAtOnce, 1, 1]);
});
