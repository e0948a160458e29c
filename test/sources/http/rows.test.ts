import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../../src/model/json.ts';
import { vocabulary } from '../../../src/model/vocabulary.ts';
import { RowReader } from '../../../src/sources/http/rows.ts';

test('a fraction that comes over http is rounded where the field is a whole number, as in a lake', () => {
  const reader = new RowReader('partner', vocabulary('companies'), {});
  const revenueOf = (revenue: unknown): unknown => reader.read({ id: '1', revenue_usd: revenue })?.row['revenue_usd'];
  assert.deepEqual([1_250_000.55, 2.5, -2.5, -0.2, 9_007_199_254_740_991, 1e300, '7'].map(revenueOf), [1_250_001, 3, -2, 0, 9_007_199_254_740_991, undefined, undefined]);
});

test('a day that is not in the calendar is none, where the platform would read the next one', () => {
  const reader = new RowReader('partner', vocabulary('companies'), {});
  const timeOf = (time: string): unknown => reader.read({ id: '1', updated_at: time })?.row['updated_at'];
  assert.deepEqual(['2024-02-29', '2024-02-30', '2023-02-29T10:00:00Z', '2024-04-31', '2024-12-31T23:30:00.5-01:00'].map(timeOf), ['2024-02-29T00:00:00Z', null, null, null, '2025-01-01T00:30:00.500Z']);
});

test('a time that comes over http is read in each way that programs write one with its zone, and none is guessed where it has no zone', () => {
  const reader = new RowReader('partner', vocabulary('contacts'), {});
  const timeOf = (time: string): unknown => reader.read({ id: '1', updated_at: time })?.row['updated_at'];
  const zoned = ['2024-01-31 09:30:00+00', '2024-01-31 09:30:00.000 UTC', '2024-01-31T09:30:00.000+0000', '2024-01-31 04:00-0530', '2024-01-31T11:30+02', '2024-01-31T09:30:00Z'];
  assert.deepEqual(zoned.map(timeOf), zoned.map(() => '2024-01-31T09:30:00Z'));
  assert.deepEqual(['2024-01-31 09:30:00', '2024-01-31T09:30:00', '2024-01-31 25:00:00Z', '2024-01-31 09:30:00+99', '2024-01-31 09:30:00 EST'].map(timeOf), [null, null, null, null, null]);
});

test('what has no member of a row is none, such as an answer that is one object and no stream', () => {
  const reader = new RowReader('partner', vocabulary('contacts'), { city: 'town' });
  const isRow = (given: JsonObject): boolean => reader.read(given) !== null;
  const answer = { results: [{ id: '1', email: 'ann@x.org' }], total: 1, type: 'contacts', sources: [] };
  assert.deepEqual([answer, { error: 'no_such_key', detail: 'x' }, {}, { source: 'x', sources: ['x'], city: 'Ulm' }].map(isRow), Array(4).fill(false));
  assert.deepEqual([{ id: '1' }, { town: 'Ulm' }, { email: null }].map(isRow), Array(3).fill(true));
});
