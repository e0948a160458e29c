import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { literal } from '../../../src/sources/parquet/dialect.ts';
import { findFiles, whereabouts } from '../../../src/sources/parquet/find_files.ts';
import { folderOf } from '../../support/folder.ts';
import { NEVER } from './written_files.ts';

async function folderWith(t: TestContext, files: readonly string[]): Promise<string> {
  const folder = folderOf(t);
  for (const file of files) {
    await mkdir(join(folder, dirname(file)), { recursive: true });
    await writeFile(join(folder, file), '');
  }
  return folder;
}

describe('the files of a path', () => {
  it('are those that the engine takes for them', async (t) => {
    const folder = await folderWith(t, [
      'a.parquet', 'b.parquet', 'B.parquet', 'ab.parquet', 'a-.parquet', '[a].parquet', 'a.csv', '.a.parquet', 'ää.parquet', 'x/a.parquet', 'x/y/a.parquet', 'x/y/z/c.parquet', 'x.parquet/d.parquet', 'country=US/a.parquet',
    ]);
    await symlink('x', join(folder, 'link'));
    await symlink('..', join(folder, 'x/back'));
    await symlink('a.parquet', join(folder, 'c.parquet'));
    const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
    const engine = await instance.connect();
    t.after(() => { engine.closeSync(); instance.closeSync(); });
    for (const pattern of [
      '*.parquet', '?.parquet', '[ab].parquet', '[a-b]*.parquet', '[!a]*.parquet', '[]a].parquet', '[b-a].parquet', '[[]a].parquet', '**/*.parquet', 'x/**/a.parquet', '*/*.parquet', '*/*/*', '*/a.parquet', 'x/[y]/?.parquet',
      '*=US/*', 'country=??/*.parquet', 'nothing/*.parquet', 'x/*/nothing', 'a.csv*', '*.PARQUET',
    ]) {
      const rows = await (await engine.runAndReadAll(`SELECT file FROM glob(${literal(join(folder, pattern))})`)).getRows();
      const found = await findFiles(whereabouts(join(folder, pattern)), NEVER);
      const isFile = (path: string): boolean => existsSync(join(folder, path)) && statSync(join(folder, path)).isFile();
      const names = (paths: readonly string[]): string[] => paths.map((path) => relative(folder, path)).filter(isFile).toSorted();
      assert.deepEqual([pattern, names(found.paths), found.unseen], [pattern, names(rows.map(([file]) => file as string)), 0]);
    }
  });

  it('are of a folder none that those who write it keep beside its data, but as a glob says', async (t) => {
    const folder = await folderWith(t, [
      'a.parquet', 'x/_day=1/b.parquet', '_SUCCESS', '.a.parquet', '._a.parquet', '_c.parquet', '_temporary/0/task/d.parquet', '_delta_log/1.checkpoint.parquet', 'x/.snapshot/e.parquet',
    ]);
    const found = async (path: string): Promise<string[]> => (await findFiles(whereabouts(join(folder, path)), NEVER)).paths.map((each) => relative(folder, each)).toSorted();
    assert.deepEqual(await found('.'), ['a.parquet', 'x/_day=1/b.parquet']);
    assert.deepEqual(await found('x/.snapshot'), ['x/.snapshot/e.parquet']);
    assert.equal((await found('**/*.parquet')).length, 8);
  });

  it('are all below a folder, and tell of what there is no way into', async (t) => {
    const folder = await folderWith(t, ['a.parquet', 'x/b.parquet', 'x/c.csv']);
    await symlink('gone', join(folder, 'away'));
    await symlink('round', join(folder, 'round'));
    const found = async (path: string): Promise<[string[], number]> => {
      const { paths, unseen } = await findFiles(whereabouts(join(folder, path)), NEVER);
      return [paths.map((each) => relative(folder, each)).toSorted(), unseen];
    };
    assert.deepEqual(await found('.'), [['a.parquet', 'x/b.parquet'], 0]);
    assert.deepEqual(await found('*/*.parquet'), [['x/b.parquet'], 2]);
    assert.deepEqual(await found('away/*.parquet'), [[], 1]);
    assert.deepEqual(await found('nowhere/*.parquet'), [[], 0]);
    assert.deepEqual(await found('a.parquet/*.parquet'), [[], 0]);
    // As one that only root may look into: whoever runs this may be root.
    await symlink('gone', join(folder, 'lost+found'));
    assert.deepEqual(await found('*/*.parquet'), [['x/b.parquet'], 2]);
    const left = new AbortController();
    left.abort();
    await assert.rejects(findFiles(whereabouts(folder), left.signal), /stopped by this side/);
  });
});
