import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ByteSink } from '../../src/encode/byte_sink.ts';
import { AnswerText } from '../../src/validate/answer_text.ts';
import { answered } from '../../src/validate/envelope.ts';
import type { Validation } from '../../src/validate/result.ts';

/** Stands for the result of `index`; the answer does not look into it. */
const resultOf = (index: number): Validation => ({ input: `a${'\u00e9'.repeat(index % 7)}${index}@acme.com` }) as Validation;

function textOf(order: readonly number[], single: boolean): string {
  const results = order.map((_, index) => resultOf(index));
  const end = { summary: { deliverable: 0, risky: 1, undeliverable: 2, unknown: 3 }, cache: { hits: 1, misses: 2, stale: 3 }, uniqueDomains: 4, tookMs: 0.5 };
  const request = { addresses: results.map(({ input }) => input), single, stages: null, timeoutMs: 1_000 };
  const spare = new ByteSink();
  spare.text('what the last call left');
  const text = new AnswerText(new ByteSink(), request);
  for (const index of order) {
    text.open(index);
    text.sink.text(JSON.stringify(results[index]).slice(1));
    text.close(index);
  }
  const written = Buffer.from(text.finish(end, 'id-1', spare)).toString();
  assert.equal(written, JSON.stringify(answered(request, { ...end, results }, 'id-1')));
  return written;
}

test('an answer is what JSON.stringify writes of its envelope, in whatever order the results came', () => {
  assert.match(textOf([0], true), /^\{"data":\{"input":/);
  const shuffled = fc.integer({ min: 1, max: 40 }).chain((count) => fc.shuffledSubarray(Array.from({ length: count }, (_, index) => index), { minLength: count }));
  fc.assert(fc.property(shuffled, (order) => { textOf(order, false); }), { numRuns: 300 });
  for (const order of [[0], [0, 1, 2], [2, 1, 0], [1, 2, 0], [0, 2, 3, 1]]) textOf(order, false);
});
