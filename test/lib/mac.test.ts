import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { MacKey } from '../../src/lib/mac.ts';

const TEXT = fc.oneof(fc.string({ unit: 'binary' }), fc.tuple(fc.string({ unit: 'binary', minLength: 1 }), fc.integer({ min: 1, max: 4_000 })).map(([text, times]) => text.repeat(times).slice(0, 20_000)));
const BYTES = fc.uint8Array({ maxLength: 300 });
const SECRET = fc.uint8Array({ maxLength: 150 });

test('a mac is the HMAC-SHA-256 of the same secret and message, one after the other', () => {
  fc.assert(fc.property(SECRET, fc.array(fc.tuple(TEXT, BYTES), { minLength: 1, maxLength: 4 }), (secret, messages) => {
    const key = new MacKey(secret);
    for (const [text, bytes] of messages) {
      assert.equal(key.of(text, bytes).toString('hex'), createHmac('sha256', secret).update(text).update(bytes).digest('hex'));
    }
  }));
});
