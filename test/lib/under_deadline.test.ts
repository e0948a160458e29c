import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { underDeadline } from '../../src/lib/under_deadline.ts';

const HOUR_MS = 3_600_000;

const struck = (signal: AbortSignal): Promise<unknown> => new Promise((resolve) => {
  if (signal.aborted) resolve(signal.reason);
  signal.addEventListener('abort', () => { resolve(signal.reason); });
});

test('a deadline strikes also where what nobody holds is collected before it', { timeout: 10_000 }, async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const reason = underDeadline(new AbortController().signal, 100, struck);
  for (let time = 0; time < 3; time += 1) {
    await turn();
    collect();
  }
  assert.equal((await reason as Error).name, 'TimeoutError');
});

test('the signal that was given strikes with its own reason, and nothing is left at it', async () => {
  for (const early of [true, false]) {
    const caller = new AbortController();
    if (early) caller.abort('left');
    const reason = underDeadline(caller.signal, HOUR_MS, struck);
    caller.abort('left');
    assert.equal(await reason, 'left');
    assert.equal(getEventListeners(caller.signal, 'abort').length, 0);
  }
});

test('what is done in time, or fails, leaves neither timer nor listener', async () => {
  const { signal } = new AbortController();
  assert.equal(await underDeadline(signal, HOUR_MS, async () => 7), 7);
  await assert.rejects(underDeadline(signal, HOUR_MS, () => Promise.reject(new Error('no'))), /no/);
  assert.equal(getEventListeners(signal, 'abort').length, 0);
  assert.ok(!process.getActiveResourcesInfo().includes('Timeout'));
});
