import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { writeDurably } from '../../src/config/durable.ts';
import { folderOf } from '../support/folder.ts';

const folder = folderOf({ after });

test('a file that cannot be put in its place leaves no draft beside it', async () => {
  const path = join(folder, 'list.txt');
  await mkdir(path);
  await assert.rejects(writeDurably(path, 'new', `${path}.1.new`));
  assert.deepEqual(await readdir(folder), ['list.txt']);
  await rm(path, { recursive: true });
  await writeDurably(path, 'new');
  assert.deepEqual([await readdir(folder), await readFile(path, 'utf8')], [['list.txt'], 'new']);
});
