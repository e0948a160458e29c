import assert from 'node:assert/strict';
import { test } from 'node:test';
import { valuesIn } from '../../src/web/client/values.ts';

test('a filter takes values with commas between them, and in quotes one that has a comma', () => {
  assert.deepEqual(valuesIn('Acme'), ['Acme']);
  assert.deepEqual(valuesIn(' Berlin,New York , Paris'), ['Berlin', 'New York', 'Paris']);
  assert.deepEqual(valuesIn('"Acme, Inc."'), ['Acme, Inc.']);
  assert.deepEqual(valuesIn('Foo, "Acme, Inc." ,Bar'), ['Foo', 'Acme, Inc.', 'Bar']);
  assert.deepEqual(valuesIn('5" pipe, "open'), ['5" pipe', '"open']);
  for (const nothing of ['', ' ', ',', ' , ,', '""', '" "']) assert.deepEqual(valuesIn(nothing), []);
});
