import assert from 'node:assert/strict';
import { test } from 'node:test';
import { vocabulary } from '../../../src/model/vocabulary.ts';
import { RowReader } from '../../../src/sources/http/rows.ts';

test('a fraction that comes over http is rounded where the field is a whole number, as in a lake', () => {
  const reader = new RowReader('partner', vocabulary('companies'), {});
  const revenueOf = (revenue: unknown): unknown => reader.read({ id: '1', revenue_usd: revenue })?.row['revenue_usd'];
  assert.deepEqual([1_250_000.55, 2.5, -2.5, -0.2, 9_007_199_254_740_991, 1e300, '7'].map(revenueOf), [1_250_001, 3, -2, 0, 9_007_199_254_740_991, undefined, undefined]);
});
