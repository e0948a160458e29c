import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { checksum, digestOf, isKey, mintKey } from '../../src/accounts/key.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

test('the checksum after ldx_ and 32 zeros is 2wnqpX', () => {
  assert.equal(checksum('ldx_00000000000000000000000000000000'), '2wnqpX');
  assert.ok(isKey('ldx_000000000000000000000000000000002wnqpX'));
});

test('a key is its prefix, 32 base62 characters and their checksum', () => {
  assert.match(mintKey('external'), /^ldx_[0-9A-Za-z]{38}$/);
  assert.match(mintKey('admin'), /^lda_[0-9A-Za-z]{38}$/);
  assert.ok(isKey(mintKey('external')) && isKey(mintKey('admin')));
  assert.notEqual(mintKey('external'), mintKey('external'));
});

test('a key with one character mistyped is told apart without a look-up', () => {
  const anyDigit = fc.constantFrom(...BASE62);
  fc.assert(fc.property(fc.constantFrom('external' as const, 'admin' as const), fc.integer({ min: 0, max: 41 }), anyDigit, (kind, at, digit) => {
    const key = mintKey(kind);
    const mistyped = key.slice(0, at) + digit + key.slice(at + 1);
    return isKey(mistyped) === (mistyped === key);
  }), { numRuns: 2_000 });
});

test('no other text is a key', () => {
  const key = mintKey('external');
  for (const text of ['', 'ldx_', key.slice(1), `${key}0`, `${key}\n`, ` ${key}`, key.toLowerCase(), key.toUpperCase(), `ldy${key.slice(3)}`, 'é'.repeat(42)]) {
    assert.equal(isKey(text), false, JSON.stringify(text));
  }
});

test('every random character is equally likely', () => {
  const seen = new Map<string, number>();
  const keys = 3_000;
  for (let made = 0; made < keys; made += 1) for (const digit of mintKey('external').slice(4, 36)) seen.set(digit, (seen.get(digit) ?? 0) + 1);
  const expected = (keys * 32) / 62;
  let chiSquare = 0;
  for (const digit of BASE62) chiSquare += ((seen.get(digit) ?? 0) - expected) ** 2 / expected;
  // 61 degrees of freedom: above 150 once in 10^9 runs; the bias of a bare `byte % 62` gives about 600.
  assert.ok(chiSquare < 150, `chi-square ${chiSquare}`);
});

test('what is stored is the SHA-256 of the key', () => {
  const key = mintKey('admin');
  assert.deepEqual(digestOf(key), createHash('sha256').update(key).digest());
});
