import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { answerMembers } from '../../src/encode/json.ts';
import type { FindAnswer } from '../../src/model/answer.ts';

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', 'crm', 'a "quoted" \\ path', 'é\u2028', '\ud800', 'line\nbreak'));
const texts = fc.array(text, { maxLength: 3 });
const outcome = fc.record({
  source: text, status: fc.constantFrom('complete', 'partial', 'failed', 'skipped'), reason: fc.option(text), returned: fc.nat(), matched: fc.option(fc.nat()),
  took_ms: fc.double({ noNaN: true, noDefaultInfinity: true, min: 0 }), filters: fc.record({ pushed: texts, residual: texts, unsupported: texts }),
});
const answer = fc.record({
  total: fc.nat(), warnings: texts, errors: texts, type: fc.constantFrom('contacts', 'companies'), returned: fc.nat(), next_cursor: fc.option(text),
  total_relation: fc.constantFrom('eq', 'gte', 'lte', 'approx'), partial: fc.boolean(), took_ms: fc.double({ noNaN: true, noDefaultInfinity: true, min: 0 }),
  request_id: text, facets: fc.option(fc.dictionary(fc.string(), fc.array(fc.record({ value: text, count: fc.nat() }), { maxLength: 2 }))), client_ref: fc.option(text),
  sources: fc.array(outcome, { maxLength: 3 }),
}, { noNullPrototype: true });

test('the members of an answer are those that JSON.stringify would write', () => {
  fc.assert(fc.property(answer as fc.Arbitrary<FindAnswer>, (one) => { assert.equal(`{${answerMembers(one)}`, JSON.stringify(one)); }));
});
