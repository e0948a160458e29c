import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RowMemory } from '../../src/segment/row_memory.ts';

test('what can have no room for rows in any memory is not told to be what this system lacks', () => {
  const memory = new RowMemory(1);
  memory.claim(1 << 20);
  memory.setField(0, 0, 7);
  for (const end of [2 ** 31, 2 ** 32, 2 ** 48]) assert.throws(() => memory.claim(end), /^Error: rows that lie side by side, with their values, take more than the 2 GiB/);
  assert.equal(memory.bytes.length, 1 << 20);
  assert.equal(memory.field(0, 0), 7);
});
