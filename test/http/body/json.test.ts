import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseJson, readJson } from '../../../src/http/body/json.ts';
import { LIMITS } from '../../../src/config/limits.ts';
import { AppError } from '../../../src/model/errors.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function refusal(body: string | Uint8Array, read: (bytes: Uint8Array) => unknown = readJson): string {
  try {
    read(typeof body === 'string' ? bytesOf(body) : body);
  } catch (error) {
    assert.ok(error instanceof AppError);
    assert.equal(error.code, 'invalid_json');
    return error.message;
  }
  return assert.fail('the body was read');
}

test('a JSON object is read, whatever its spacing, escapes and letters', () => {
  assert.deepEqual(readJson(bytesOf(' {"type" : "contacts", "query":"M\\u00fcnchen \u{1F600}", "list":[1,2.5e3,true,null]}\r\n')), {
    type: 'contacts', query: 'München \u{1F600}', list: [1, 2500, true, null],
  });
});

test('unparsable JSON is invalid_json, and the detail gives the place without quoting the body', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['', 'The body is empty: send a JSON object.'],
    ['{"type":"contacts",}', 'Line 1, column 20: a member name in double quotes should stand here.'],
    ['{"type":"contacts"', 'Line 1, column 19: a comma or } should stand here.'],
    ['{"type":"secret', 'Line 1, column 9: a string that begins here does not end.'],
    ['{\n "limit": NaN}', 'Line 2, column 11: no JSON value begins here.'],
    ['{"a":[1,2,]}', 'Line 1, column 11: no JSON value begins here.'],
    ['{"a":"\t"}', 'Line 1, column 7: a control character in a string must be escaped.'],
    ['{"a":"\\x"}', 'Line 1, column 7: no such escape.'],
    ['{"a" 1}', 'Line 1, column 6: a colon should stand here.'],
    ['{} {}', 'Line 1, column 4: something follows the end of the value.'],
    ['\uFEFF{}', 'The body begins with a byte order mark: send UTF-8 without one.'],
  ];
  for (const [body, detail] of cases) assert.equal(refusal(body), detail);
});

test('bad UTF-8 is invalid_json, with the first byte that is part of no character', () => {
  const broken: readonly (readonly [number[], number])[] = [
    [[0xff], 7], [[0xc3], 7], [[0xc0, 0x80], 7], [[0xed, 0xa0, 0x80], 7], [[0xf4, 0x90, 0x80, 0x80], 7], [[0xe2, 0x82, 0xac, 0xe2, 0x82], 10],
  ];
  for (const [bytes, place] of broken) {
    const body = Uint8Array.from([...bytesOf('{"a":"'), ...bytes, ...bytesOf('"}')]);
    assert.equal(refusal(body), `The body is not UTF-8: byte ${place} is part of no character.`);
  }
});

test('a body nested deeper than 32 is invalid_json, one of 32 is read', () => {
  const nested = (depth: number): string => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
  assert.ok(readJson(bytesOf(nested(32))));
  assert.equal(refusal(nested(33)), 'Line 1, column 37: nested deeper than 32.');
  assert.match(refusal('['.repeat(LIMITS.bodyBytesMax)), /nested deeper than 32/);
  assert.ok(readJson(bytesOf(`{"a":"${'[{'.repeat(40)}"}`)), 'brackets in a string are no nesting');
});

test('duplicate keys are invalid_json at any depth and in any spelling', () => {
  assert.equal(refusal('{"type":"contacts","\\u0074ype":"companies"}'), 'Line 1, column 20: a second member of the same name.');
  assert.match(refusal('{"a":[{"b":{"c":1,"c":{"d":1}}}]}'), /second member/);
  assert.match(refusal('{"__proto__":1,"__proto__":1}'), /second member/);
  assert.ok(readJson(bytesOf('{"a":{"b":1},"b":{"a":":"}}')));
});

test('a body that is no object is invalid_json to one reader and a value to the other', () => {
  for (const body of ['[]', '"text"', '1', 'null', 'true']) {
    assert.equal(refusal(body), 'The body must be a JSON object.');
    assert.deepEqual(parseJson(bytesOf(body)), JSON.parse(body));
  }
});

test('a body of more parts than a request can have is refused before it costs', () => {
  const parts = Array.from({ length: LIMITS.jsonNodesMax }, () => '{}').join(',');
  assert.match(refusal(`{"a":[${parts}]}`), /more than 20000 objects, arrays and members/);
});

test('__proto__ and constructor arrive as ordinary members', () => {
  const body = readJson(bytesOf('{"__proto__":{"type":"contacts"},"constructor":1}'));
  assert.deepEqual(Object.keys(body), ['__proto__', 'constructor']);
  assert.equal(body.type, undefined);
});

test('any text is either read as JSON.parse reads it or refused with a place', () => {
  const piece = fc.constantFrom('{', '}', '[', ']', ',', ':', '"', '\\', '\\u0041', '"a"', '"a":', '1', '-0', '01', '1.', '1e5', 'true', 'null', ' ', '\n', '\u0001', 'é');
  fc.assert(fc.property(fc.oneof(fc.json({ maxDepth: 4 }), fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))), (text) => {
    let expected: unknown;
    let parses = true;
    try { expected = JSON.parse(text); } catch { parses = false; }
    try {
      assert.deepEqual(parseJson(bytesOf(text)), expected);
      assert.ok(parses);
    } catch (error) {
      assert.ok(error instanceof AppError, String(error));
      assert.notEqual(error.message, 'The body is not valid JSON.');
      assert.ok(!parses || error.message.includes('second member'), `${error.message} in ${text}`);
    }
  }), { numRuns: 3_000 });
});
