import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { STAGES, type Validation } from '../../src/validate/result.ts';
import { validationText } from '../../src/validate/validation_text.ts';

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', 'a@b.co', 'a "b" \\', 'é\u2028', '\ud800'));
const flag = fc.boolean();
const maybe = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(of);
const whole = fc.nat(1_000);
/** Few arrays, so that some come again with other members beside them. */
const records = fc.constantFrom([], [{ exchange: 'mx.b.co', preference: 10 }], [{ exchange: 'x"', preference: 0 }, { exchange: 'y', preference: 1 }]);
const validation = fc.record({
  input: fc.oneof(text, fc.constantFrom(null, 1, true, ['a'], { a: 1 })), email: maybe(text), local: maybe(text), domain: maybe(text), domain_unicode: maybe(text),
  registrable_domain: maybe(text), canonical: maybe(text), tag: maybe(text), status: fc.constantFrom('deliverable', 'unknown'), level: fc.constantFrom('syntax', 'mailbox'),
  reason: fc.constant('DNS_MX_OK'), reasons: fc.array(fc.constantFrom('DNS_MX_OK', 'LIST_FREE'), { minLength: 1, maxLength: 3 }), score: whole, suggestion: maybe(text),
  syntax_valid: flag, domain_accepts_mail: maybe(flag), mailbox_exists: maybe(flag),
  flags: fc.record({
    disposable: flag, relay: flag, role: flag, free: flag, subaddress: flag, quoted: flag, eai: flag, idn: flag, confusable: flag,
    catch_all: maybe(flag), mailbox_full: maybe(flag), mailbox_disabled: maybe(flag),
  }),
  mx: maybe(fc.record({ records, implicit: flag, null_mx: flag, provider: maybe(text), ttl: maybe(whole) })),
  smtp: maybe(fc.record({ attempted: flag, host: maybe(text), code: maybe(whole), enhanced: maybe(text), class: maybe(text) })),
  stages: fc.tuple(...STAGES.map((name) => fc.record({
    name: fc.constant(name), status: fc.constantFrom('pass', 'skipped'), code: maybe(fc.constant('SMTP_DISABLED')), ms: fc.constantFrom(0, 0.125, 17), cache: maybe(fc.constantFrom('hit', 'miss')),
  }))),
  checked_at: fc.constant('2026-01-01T00:00:00.000Z'), expires_at: fc.constant('2026-01-01T00:05:00.000Z'),
}, { noNullPrototype: true });

test('the text of a validation is what JSON.stringify would write', () => {
  fc.assert(fc.property(validation as fc.Arbitrary<unknown>, (one) => { assert.equal(validationText(one as Validation), JSON.stringify(one)); }), { numRuns: 500 });
});
