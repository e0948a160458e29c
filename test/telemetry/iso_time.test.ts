import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isoTime } from '../../src/telemetry/iso_time.ts';

test('a time is written as toISOString writes it, whatever was written before', () => {
  fc.assert(fc.property(fc.array(fc.date({ noInvalidDate: true, min: new Date(-1e12), max: new Date(4e12) }), { minLength: 1 }), (dates) => {
    for (const date of dates) assert.equal(isoTime(date.getTime()), date.toISOString());
  }));
  for (const ms of [0, 9, 10, 99, 100, 999, 1_000, 59_999, -1]) assert.equal(isoTime(ms), new Date(ms).toISOString());
});

test('a fraction of a millisecond is cut off', () => {
  assert.equal(isoTime(1_700_000_000_009.99), '2023-11-14T22:13:20.009Z');
});
