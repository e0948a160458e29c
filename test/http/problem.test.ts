import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flatHeaders } from '../../src/http/answer_lines.ts';
import { problemAnswer, problemOf } from '../../src/http/problem.ts';
import { AppError, ERROR_CODES, type ErrorCode } from '../../src/model/errors.ts';

function answer(code: ErrorCode, extras: ConstructorParameters<typeof AppError>[2] = {}): { status: number; headers: Map<string, string>; body: Record<string, unknown> } {
  const { status, headers, body } = problemAnswer(new AppError(code, 'what is wrong', extras), 'id-1');
  const flat = flatHeaders(headers);
  return { status, headers: new Map(flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1]!] as const] : []))), body: JSON.parse(body) as Record<string, unknown> };
}

const CODES_OF: Readonly<Record<number, readonly ErrorCode[]>> = {
  401: ['unauthorized'],
  403: ['forbidden', 'csrf'],
  404: ['not_found'],
  405: ['method_not_allowed'],
  406: ['not_acceptable'],
  409: ['conflict'],
  413: ['payload_too_large'],
  415: ['unsupported_encoding'],
  429: ['rate_limited'],
  500: ['internal'],
  502: ['sources_unreachable', 'validator_unreachable'],
  508: ['loop_detected'],
  503: ['starting', 'shutting_down', 'overloaded', 'store_unavailable'],
};

test('every code has the status of the contract, and all that are not named there are 400', () => {
  const named = new Map(Object.entries(CODES_OF).flatMap(([status, codes]) => codes.map((code): [ErrorCode, number] => [code, Number(status)])));
  for (const code of ERROR_CODES) assert.equal(problemOf(new AppError(code, 'why')).status, named.get(code) ?? 400, code);
});

test('every error says what, in words, and under which id', () => {
  for (const code of ERROR_CODES) {
    const { body, headers } = answer(code);
    assert.equal(body['error'], code);
    assert.ok(typeof body['detail'] === 'string' && body['detail'] !== '');
    assert.equal(body['request_id'], 'id-1');
    assert.equal(headers.get('X-Request-Id'), 'id-1');
    assert.match(headers.get('Content-Type') ?? '', /^application\/json/);
  }
});

test('every 400 has a request that would have worked and a tip that points to GET /v1/sources; no other status has', () => {
  for (const code of ERROR_CODES) {
    const { status, body } = answer(code);
    assert.deepEqual([Object.hasOwn(body, 'example'), Object.hasOwn(body, 'tip')], [status === 400, status === 400], code);
  }
  const { body } = answer('missing_type');
  assert.deepEqual(body['example'], { type: 'contacts', filters: { country: ['US'] }, limit: 5 });
  assert.match(String(body['tip']), /GET \/v1\/sources/);
});

test('the example of an endpoint takes the place of the common one', () => {
  const { body } = problemAnswer(new AppError('invalid_field', 'x', { example: { email: 'a@example.com' } }), 'id-1');
  assert.deepEqual((JSON.parse(body) as { example: unknown }).example, { email: 'a@example.com' });
});

test('a 429 always says when to come back, in header and body alike, in whole seconds', () => {
  for (const [given, expected] of [[17, 17], [0.2, 1], [2.1, 3], [0, 1], [undefined, 1]] as const) {
    const { headers, body } = answer('rate_limited', given === undefined ? {} : { retryAfter: given });
    assert.deepEqual([headers.get('Retry-After'), body['retry_after']], [String(expected), expected]);
  }
});

test('every 503 says when to come back, and no other error but 429 does', () => {
  for (const code of ERROR_CODES) {
    const { status, headers } = answer(code);
    assert.equal(headers.has('Retry-After'), status === 503 || status === 429, code);
  }
});

test('a failure names the cap that turned the call away, which no answer tells', () => {
  const capped = new AppError('rate_limited', 'x', { retryAfter: 1, cap: 'umbrella' });
  assert.equal(problemOf(capped).cap, 'umbrella');
  assert.doesNotMatch(JSON.stringify(problemAnswer(capped, 'id-1')), /umbrella/);
  for (const other of [new AppError('rate_limited', 'x'), new AppError('internal', 'x'), new Error('x')]) assert.equal(problemOf(other).cap, null);
});

test('a 401 names the scheme, a 405 the verbs', () => {
  assert.equal(answer('unauthorized').headers.get('WWW-Authenticate'), 'Bearer');
  assert.equal(answer('method_not_allowed', { allow: 'GET, HEAD' }).headers.get('Allow'), 'GET, HEAD');
  assert.equal(answer('forbidden').headers.has('WWW-Authenticate'), false);
});

test('nothing of an unknown failure leaves the house', () => {
  const secrets = [new Error('connect ECONNREFUSED 10.0.0.7:5432'), new AppError('internal', '/var/lib/secret'), 'raw text', null, undefined];
  for (const error of secrets) {
    const { status, body } = problemAnswer(error, 'id-1');
    assert.equal(status, 500);
    assert.equal((JSON.parse(body) as { error: string }).error, 'internal');
    assert.doesNotMatch(body, /10\.0\.0\.7|secret|raw text/);
    assert.equal(problemOf(error).code, 'internal');
  }
});

test('errors may be neither sniffed, framed, run nor kept', () => {
  const { headers } = answer('not_found');
  assert.equal(headers.get('X-Content-Type-Options'), 'nosniff');
  assert.equal(headers.get('Content-Security-Policy'), "default-src 'none'");
  assert.equal(headers.get('Referrer-Policy'), 'no-referrer');
  assert.equal(headers.get('Cache-Control'), 'no-store');
});
