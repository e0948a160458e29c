import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newestMoment } from '../../src/lib/moment.ts';

test('the newest of some moments is the last in time, with a fraction of a second or without', () => {
  const [whole, half, before] = ['2024-05-01T10:00:00Z', '2024-05-01T10:00:00.500Z', '2024-05-01T09:59:59.750Z'];
  assert.equal(newestMoment([whole, null, half, before]), half);
  assert.equal(newestMoment([before, whole]), whole);
  assert.equal(newestMoment([null, null]), null);
  assert.equal(newestMoment([]), null);
});
