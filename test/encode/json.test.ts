import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { answerMembers } from '../../src/encode/json.ts';
import type { FindAnswer } from '../../src/model/answer.ts';

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', 'crm', 'a "quoted" \\ path', 'é\u2028', '\ud800', 'line\nbreak'));
const texts = fc.array(text, { maxLength: 3 });
const plain = fc.stringMatching(/^[A-Za-z0-9_-]*$/);
const time = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true, min: 0 }), fc.nat().map((nth) => nth / 100), fc.nat(3_000).map((nth) => nth / 100));
const outcome = fc.record({
  source: text, status: fc.constantFrom('complete', 'partial', 'failed', 'skipped'), reason: fc.option(text), returned: fc.nat(), matched: fc.option(fc.nat()),
  took_ms: time, filters: fc.record({ pushed: texts, residual: texts, unsupported: texts }),
});
const answer = fc.record({
  total: fc.nat(), warnings: texts, errors: texts, type: fc.constantFrom('contacts', 'companies'), returned: fc.nat(), next_cursor: fc.option(plain),
  total_relation: fc.constantFrom('eq', 'gte', 'lte', 'approx'), partial: fc.boolean(), took_ms: time,
  request_id: plain, facets: fc.option(fc.dictionary(fc.string(), fc.array(fc.record({ value: text, count: fc.nat() }), { maxLength: 2 }))), client_ref: fc.option(text),
  sources: fc.array(outcome, { maxLength: 3 }),
}, { noNullPrototype: true });

test('the members of an answer are those that JSON.stringify would write', () => {
  fc.assert(fc.property(answer as fc.Arbitrary<FindAnswer>, (one) => { assert.equal(`{${answerMembers(one)}`, JSON.stringify(one)); }));
});
