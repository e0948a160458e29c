import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unitsOfRows } from '../../src/accounts/plans.ts';

test('a find costs 1, plus 1 for each started 100 rows beyond the first 100', () => {
  assert.deepEqual([0, 1, 100, 101, 200, 201, 1_000].map(unitsOfRows), [1, 1, 1, 2, 2, 3, 10]);
});
