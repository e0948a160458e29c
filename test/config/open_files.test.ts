import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectionsMax, openFilesMax } from '../../src/config/open_files.ts';

test('how many files may be open is read from the list of limits, the soft one', () => {
  const limits = (soft: string) => `Limit                     Soft Limit           Hard Limit           Units     \nMax open files            ${soft}                 1048576              files     \n`;
  assert.deepEqual([limits('4096'), limits('unlimited'), ''].map((text) => openFilesMax(text)), [4_096, Infinity, null]);
});

test('connections leave files to what serves them, however few there are', () => {
  assert.deepEqual([64, 256, 1_024, 65_536, Infinity, null].map((files) => connectionsMax(files)), [1, 128, 896, 57_344, Infinity, Infinity]);
});
