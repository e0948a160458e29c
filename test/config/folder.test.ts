import assert from 'node:assert/strict';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeFolder } from '../../src/config/folder.ts';
import { inFolder } from '../segment/support.ts';

test('a folder is made with those above it, and one that is there already is left as it is', () => inFolder(async (root) => {
  const path = join(root, 'a', 'b', 'c');
  makeFolder(path, 0o700);
  makeFolder(path, 0o755);
  assert.equal(statSync(join(root, 'a')).mode & 0o777, 0o700);
  assert.equal(statSync(path).mode & 0o777, 0o700);
}));

test('a folder that cannot be made is told, and not tried for ever', { skip: !existsSync('/proc/self') && 'needs /proc' }, () => inFolder(async (root) => {
  const file = join(root, 'file');
  writeFileSync(file, '');
  assert.throws(() => { makeFolder(file); }, { code: 'EEXIST' });
  assert.throws(() => { makeFolder(join(file, 'below')); }, { code: 'ENOTDIR' });
  assert.throws(() => { makeFolder('/proc/no-such/folder'); }, { code: 'ENOENT' });
}));
