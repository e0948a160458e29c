import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codingQualities, negotiate } from '../../src/encode/negotiate.ts';
import { AppError } from '../../src/model/errors.ts';

test('the answer has the form that Accept likes best, JSON where it says nothing', () => {
  const cases: readonly (readonly [string | undefined, string])[] = [
    [undefined, 'json'], ['', 'json'], ['*/*', 'json'], ['application/*', 'json'], ['application/json', 'json'],
    ['application/json; charset=utf-8', 'json'], ['application/x-ndjson', 'ndjson'], ['APPLICATION/X-NDJSON', 'ndjson'],
    ['application/vnd.msgpack', 'msgpack'], ['text/csv', 'csv'], ['text/*', 'csv'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'json'],
    ['application/json;q=0.5, text/csv', 'csv'], ['text/csv;q=0.5, application/json;q=0.4', 'csv'],
    ['text/csv, application/json', 'json'], ['application/json;q=0, */*;q=0.1', 'ndjson'], ['text/csv;q=nonsense', 'csv'],
  ];
  for (const [accept, expected] of cases) assert.equal(negotiate(accept), expected, accept);
  assert.equal(negotiate('application/*', ['ndjson']), 'ndjson');
});

test('an Accept that nothing fits is not_acceptable', () => {
  for (const accept of ['text/html', 'application/json;q=0', '*/*;q=0', 'nonsense', 'image/*', ',']) {
    assert.throws(() => negotiate(accept), (error) => error instanceof AppError && error.code === 'not_acceptable', accept);
  }
  assert.throws(() => negotiate('text/csv', ['json', 'ndjson']), /answers in application\/json, application\/x-ndjson/);
});

test('bytes are packed for whoever takes them so, and sent as they are unless that is refused', () => {
  const unnamed = 0.000_5;
  const cases: readonly (readonly [string | undefined, number, number])[] = [
    [undefined, 1, 0], ['', unnamed, 0], ['br', unnamed, 0], ['gzip', unnamed, 1], ['GZIP, deflate, br', unnamed, 1], ['x-gzip;q=0.5', unnamed, 0.5],
    ['gzip;q=0', unnamed, 0], ['gzip;q=0.000', unnamed, 0], ['*', 1, 1], ['*;q=0', 0, 0], ['identity;q=0', 0, 0], ['gzip, identity;q=0', 0, 1],
    ['gzip, *;q=0', 0, 1], ['gzip;q=0, *', 1, 0], ['gzip;q=0.5, identity', 1, 0.5], ['identity;q=0.5, *;q=0', 0.5, 0], ['notgzip', unnamed, 0],
  ];
  for (const [header, identity, gzip] of cases) assert.deepEqual(codingQualities(header), { identity, gzip }, header);
});
