import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownOnce } from '../../src/cli/shown_once.ts';

test('a command that was told to end shows nothing of what it then takes back', async () => {
  const terminal = { out: () => assert.fail('shown'), note: () => {}, interactive: false, signal: AbortSignal.abort() };
  assert.equal(await shownOnce(terminal, 'a key\n'), false);
});

test('an output that takes nothing is known before what it was to show is taken for shown', async () => {
  const ending = new AbortController();
  const terminal = { out: () => { process.nextTick(() => ending.abort()); }, note: () => {}, interactive: false, signal: ending.signal };
  assert.equal(await shownOnce(terminal, 'a key\n'), false);
});
