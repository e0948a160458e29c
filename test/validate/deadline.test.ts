import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../../src/lib/clock.ts';
import { Deadline } from '../../src/validate/deadline.ts';

test('what fell due before the deadline is heard, though the machine had no time for either until both were past', async () => {
  // Timers of the deadline's length that are due before all: Node looks at those of one length together.
  for (const ms of [298, 299, 300]) setTimeout(() => {}, ms);
  await sleep(100);
  const startMs = monotonicMs();
  const deadline = new Deadline(startMs + 300);
  const heard = deadline.race(sleep(250, 'known'), () => 'late');
  while (monotonicMs() < startMs + 350);
  assert.equal(await heard, 'known');
  deadline.close();
});
