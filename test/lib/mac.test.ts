import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { MAC_ROOM_BYTES, MacKey } from '../../src/lib/mac.ts';

const MESSAGE = fc.oneof(fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ maxLength: 20_000, size: 'max' }));
const SECRET = fc.uint8Array({ maxLength: 150 });

test('a mac is the HMAC-SHA-256 of the same secret and message, one after the other', () => {
  fc.assert(fc.property(SECRET, fc.array(MESSAGE, { minLength: 1, maxLength: 4 }), (secret, messages) => {
    const key = new MacKey(secret);
    for (const message of messages) {
      const bytes = Buffer.concat([Buffer.alloc(MAC_ROOM_BYTES, 9), message, Buffer.from('behind')]);
      assert.equal(key.of(bytes, MAC_ROOM_BYTES + message.length), createHmac('sha256', secret).update(message).digest('binary'));
    }
  }));
});
