import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answered, ended, failed } from '../../src/validate/envelope.ts';
import { invalidJson, isValidateError, readValidateRequest, validateError } from '../../src/validate/request.ts';
import type { Validation } from '../../src/validate/result.ts';

function refusal(body: unknown): string {
  const read = readValidateRequest(body, 3);
  assert.ok(isValidateError(read), JSON.stringify(body));
  assert.ok(!isValidateError(readValidateRequest(read.example)), 'the example must work');
  assert.equal(read.status, 400);
  return read.code;
}

test('one address or several are a request, with the defaults of the contract', () => {
  assert.deepEqual(readValidateRequest({ email: 'a@b.com' }), { addresses: ['a@b.com'], single: true, stages: null, timeoutMs: 5_000 });
  assert.deepEqual(readValidateRequest({ emails: ['a@b.com', 7], stages: ['dns'], timeout_ms: 100 }), { addresses: ['a@b.com', 7], single: false, stages: ['dns'], timeoutMs: 100 });
  assert.ok(!isValidateError(readValidateRequest({ email: '', stages: [], timeout_ms: 60_000 })));
});

test('whatever else is sent is refused with an example that works', () => {
  for (const body of [
    {}, { email: 'a@b.com', emails: [] }, { email: 5 }, { email: null }, { emails: 'a@b.com' }, { emails: [] },
    { email: 'a', stages: 'dns' }, { email: 'a', stages: ['mx'] }, { email: 'a', stages: null },
    { email: 'a', timeout_ms: 99 }, { email: 'a', timeout_ms: 60_001 }, { email: 'a', timeout_ms: 1.5 }, { email: 'a', timeout_ms: '500' }, { email: 'a', other: 1 },
    JSON.parse('{"email":"a","__proto__":1}'), { email: 'a', constructor: 1 },
  ]) assert.equal(refusal(body), 'INVALID_REQUEST', JSON.stringify(body));
});

test('a body that is no object is no JSON that this endpoint takes', () => {
  for (const body of [null, 'x', 5, []]) assert.equal(refusal(body), 'INVALID_JSON', JSON.stringify(body));
});

test('too many addresses have their own code', () => {
  assert.equal(refusal({ emails: ['a', 'b', 'c', 'd'] }), 'TOO_MANY_EMAILS');
});

test('the message of INVALID_JSON states both body shapes', () => {
  const { code, status, message } = invalidJson();
  assert.deepEqual([code, status], ['INVALID_JSON', 400]);
  assert.match(message, /\{"email":"[^"]+"\}.*\{"emails":\["/);
});

test('only the one offending name is echoed, printable and short', () => {
  const read = readValidateRequest({ email: 'secret@acme.com', [`n\u0000${'a'.repeat(200)}`]: 1 });
  assert.ok(isValidateError(read));
  assert.ok(!read.message.includes('secret') && !read.message.includes('\u0000') && read.message.includes(`n?${'a'.repeat(62)}.`));
});

test('the envelope has data and meta, or error with data null and meta empty', () => {
  const result = { status: 'unknown' } as Validation;
  const answer = { results: [result], summary: { deliverable: 0, risky: 0, undeliverable: 0, unknown: 1 }, cache: { hits: 0, misses: 1, stale: 0 }, uniqueDomains: 1, tookMs: 1.5 };
  const meta = { request_id: 'r1', took_ms: 1.5, cache: answer.cache, unique_domains: 1 };
  const request = { addresses: ['a'], single: true, stages: null, timeoutMs: 1 };
  assert.deepEqual(answered(request, answer, 'r1'), { data: result, meta });
  assert.deepEqual(answered({ ...request, single: false }, answer, 'r1'), { data: { results: [result], summary: answer.summary }, meta });
  const price = { units_charged: 1, units_remaining: null };
  assert.deepEqual(ended(answer, 'r1', price), { '@end': { summary: answer.summary, meta, ...price } });
  const error = validateError('RATE_LIMITED', 'slow down');
  assert.deepEqual(failed(error, { detail: 'burst', retry_after: 5 }), { data: null, meta: {}, error: { code: 'RATE_LIMITED', message: 'slow down', status: 429 }, detail: 'burst', retry_after: 5 });
});
