import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../../src/config/limits.ts';
import { Repeats } from '../../src/telemetry/repeats.ts';

test('the same of one thing is said once in a while, and anything else at once', () => {
  let now = 5;
  const repeats = new Repeats({ monotonicMs: () => now });
  const said = (about: string, text: string): boolean => repeats.isNews(about, text);
  assert.deepEqual([said('crm', 'refused'), said('crm', 'refused'), said('web', 'refused'), said('crm', 'timed out'), said('crm', 'refused')], [true, false, true, true, true]);
  now += LIMITS.logRepeatMs - 1;
  assert.equal(said('crm', 'refused'), false);
  now += 1;
  assert.deepEqual([said('crm', 'refused'), said('crm', 'refused')], [true, false]);
});
