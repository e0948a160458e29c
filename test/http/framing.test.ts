import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeaderBlock, type Framing } from '../../src/http/framing.ts';

function framing(...headers: [name: string, value: string][]): Framing | string {
  const block = new HeaderBlock();
  for (const [name, value] of headers) block.add(name, value);
  return block.framing('POST');
}

test('a length is up to fifteen digits and nothing else', () => {
  for (const [text, bytes] of [['0', 0], ['7', 7], ['0010', 10], ['1048576', 1_048_576], ['999999999999999', 999_999_999_999_999]] as const) {
    assert.deepEqual(framing(['host', 'a'], ['content-length', text]), { bodyBytes: bytes }, text);
  }
  for (const text of ['', ' 1', '1 ', '+1', '-1', '1.0', '1e3', '0x10', '1,1', '1_0', '\u0661', 'a', ':', '/', '1000000000000000']) {
    assert.equal(framing(['content-length', text]), 'bad content-length', text);
  }
});

test('a header that parsers could read differently is refused wherever its second one stands, also where both say the same', () => {
  for (const name of ['content-length', 'transfer-encoding', 'host', 'authorization']) {
    assert.equal(framing([name, '1'], ['accept', 'a'], ['x-other', 'b'], [name, '1']), `repeated ${name}`);
  }
  assert.deepEqual(framing(['cookie', 'a'], ['cookie', 'b'], ['x-host', 'c'], ['host', 'd']), { bodyBytes: 0 });
});

test('the lines of a header that may be repeated are one list, of cookies as one line would have it; one that did not come is undefined', () => {
  const block = new HeaderBlock();
  for (const [name, value] of [['accept', 'a'], ['x-a', 'b'], ['accept', 'c'], ['x-b', 'accept'], ['cookie', 'd=e'], ['cookie', 'f=g']] as const) block.add(name, value);
  assert.deepEqual([block.get('accept'), block.get('x-a'), block.get('x-b'), block.get('b'), block.get('c')], ['a, c', 'b', 'accept', undefined, undefined]);
  assert.equal(block.get('cookie'), 'd=e; f=g');
  assert.equal(block.bytes, 'accept: a\r\nx-a: b\r\naccept: c\r\nx-b: accept\r\ncookie: d=e\r\ncookie: f=g\r\n'.length);
});

test('a verb is a word of HTTP, known or not, and what is none begins no request', () => {
  for (const verb of ['GET', 'get', 'M-SEARCH', 'FOO_BAR', '1']) assert.deepEqual(new HeaderBlock().framing(verb), { bodyBytes: 0 }, verb);
  for (const verb of ['', ':', 'T:', 'X-A:b', 'G@T', '"GET"', 'G\u00c9T']) assert.equal(new HeaderBlock().framing(verb), 'a verb that is no word', verb);
});
