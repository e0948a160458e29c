import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../../src/config/limits.ts';
import { Pace } from '../../src/validate/smtp/pace.ts';

test('a provider meets a few sessions at once, then one a second, and nobody else waits for it', () => {
  const pace = new Pace();
  const waits = Array.from({ length: LIMITS.smtpSessionsBurst + 2 }, () => pace.take('google', 0, 60_000));
  assert.deepEqual(waits.slice(LIMITS.smtpSessionsBurst - 1), [0, 1_000, 2_000]);
  assert.equal(pace.take('other', 0, 60_000), 0);
  assert.equal(pace.take('google', 10_000, 60_000), 0);
});

test('a turn that would come too late is not taken from those that follow', () => {
  const pace = new Pace();
  for (let sessions = 0; sessions < LIMITS.smtpSessionsBurst; sessions++) pace.take('google', 0, 0);
  for (let sessions = 0; sessions < 100; sessions++) assert.equal(pace.take('google', 0, 500), null);
  assert.equal(pace.take('google', 0, 1_000), 1_000);
});
