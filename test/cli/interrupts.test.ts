import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Interrupts } from '../../src/cli/interrupts.ts';
import { LIMITS } from '../../src/config/limits.ts';

test('the first signal asks the command to end, what comes with it is the same wish, and a later one is another', () => {
  let nowMs = 5_000;
  const interrupts = new Interrupts(() => nowMs);
  assert.equal(interrupts.signal.aborted, false);
  assert.equal(interrupts.isAnother('SIGINT'), false);
  assert.equal((interrupts.signal.reason as Error).message, 'stopped by SIGINT');
  nowMs += LIMITS.signalSameMs;
  assert.equal(interrupts.isAnother('SIGINT'), false, 'as npm hands it on');
  nowMs += 1;
  assert.equal(interrupts.isAnother('SIGTERM'), true);
});

test('where a command that has lost its reader still runs, a signal is another wish', () => {
  let nowMs = 5_000;
  const interrupts = new Interrupts(() => nowMs);
  interrupts.end('nobody reads the output');
  nowMs += LIMITS.signalSameMs + 1;
  assert.equal(interrupts.isAnother('SIGTERM'), true);
  assert.equal((interrupts.signal.reason as Error).message, 'nobody reads the output');
});
