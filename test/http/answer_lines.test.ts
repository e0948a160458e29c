import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiHeaders, apiLines } from '../../src/http/api_headers.ts';
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

test('the headers of every answer are the same as a list and as text, whatever it holds and for how long', () => {
  const pairs = (flat: readonly string[]): string[] => flat.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${flat[at + 1]}`] : [])).sort();
  for (const more of [[], ['text/csv'], ['text/csv', 'private, no-cache'], [undefined, 'private, no-cache']] as const) {
    assert.deepEqual(pairs(flatHeaders(apiLines('id-1', ...more))), pairs(apiHeaders('id-1', ...more).flat()));
  }
});
