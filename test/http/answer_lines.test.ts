import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiLines } from '../../src/http/api_headers.ts';
import { flatHeaders, headerLines } from '../../src/http/answer_lines.ts';

test('headers as text are the headers of the list, in its order, a colon in a value and an empty value with them', () => {
  const headers = [['X-A', 'one: two'], ['X-B', ''], ['X-C', '\tcaf\xe9']] as const;
  assert.equal(headerLines(headers), '\r\nX-A: one: two\r\nX-B: \r\nX-C: \tcaf\xe9');
  assert.deepEqual(flatHeaders(headerLines(headers)), headers.flat());
  assert.deepEqual(flatHeaders(headers), headers.flat());
  assert.deepEqual(flatHeaders([]), []);
});

test('a header that could begin another line is not made into text', () => {
  for (const [name, value] of [['X-A', 'a\r\nX-B: b'], ['X-A', 'a\n'], ['X-A', '\0'], ['X-A', '\u0100'], ['X-A\r\n', 'a'], ['X-A:', 'a'], ['', 'a']] as const) {
    assert.throws(() => headerLines([['X-Fine', 'fine'], [name, value]]), TypeError, JSON.stringify([name, value]));
  }
});

test('every answer of the API carries the same headers, whatever it holds and for how long', () => {
  for (const [type, kept] of [[undefined, undefined], ['text/csv', undefined], ['text/csv', 'private, no-cache'], [undefined, 'private, no-cache']] as const) {
    assert.deepEqual(flatHeaders(apiLines('id-1', type, kept)), [
      'Content-Type', type ?? 'application/json; charset=utf-8', 'Cache-Control', kept ?? 'no-store', 'X-Content-Type-Options', 'nosniff',
      'Content-Security-Policy', "default-src 'none'", 'Referrer-Policy', 'no-referrer', 'X-Request-Id', 'id-1',
    ]);
  }
  assert.throws(() => apiLines('id-1', 'text/csv\r\nX-B: b'), TypeError);
});
