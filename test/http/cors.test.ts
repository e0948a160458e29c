import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeCors } from '../../src/http/cors.ts';
import type { RequestHead } from '../../src/http/exchange.ts';

function from(origin?: string): RequestHead {
  const headers = new Map(origin === undefined ? [] : [['origin', origin]]);
  return { method: 'OPTIONS', path: '/v1/find', query: '', headers, remoteAddress: '127.0.0.1', arrivedMs: 0 };
}

test('no origin is allowed by default: OPTIONS tells the verbs and nothing else, answers gain nothing', () => {
  const cors = makeCors([]);
  assert.deepEqual(cors.options(from('https://app.example'), 'OPTIONS, POST'), [['Allow', 'OPTIONS, POST']]);
  assert.deepEqual(cors.answer(from('https://app.example')), []);
});

test('an origin that the operator allowed may send what a call needs, and read what an answer says', () => {
  const cors = makeCors(['https://app.example']);
  const preflight = new Map(cors.options(from('https://app.example'), 'OPTIONS, POST'));
  assert.equal(preflight.has('Access-Control-Allow-Origin'), false, 'that is said once, by the headers of every answer');
  assert.equal(preflight.get('Access-Control-Allow-Methods'), 'OPTIONS, POST');
  assert.match(preflight.get('Access-Control-Allow-Headers') ?? '', /Authorization/);
  const answer = new Map(cors.answer(from('https://app.example')));
  assert.equal(answer.get('Access-Control-Allow-Origin'), 'https://app.example');
  assert.match(answer.get('Access-Control-Expose-Headers') ?? '', /X-Request-Id.*Retry-After/);
  assert.equal(answer.has('Access-Control-Allow-Credentials'), false);
});

for (const origin of [undefined, 'null', 'https://app.example.evil', 'https://app.example:8443', 'http://app.example', 'https://APP.example']) {
  test(`the origin ${origin} is not one that merely resembles an allowed one`, () => {
    const cors = makeCors(['https://app.example']);
    assert.deepEqual(cors.answer(from(origin)), [['Vary', 'Origin']]);
    assert.deepEqual(cors.options(from(origin), 'GET'), [['Allow', 'GET']]);
  });
}
