import assert from 'node:assert/strict';
import { mock, test, type TestContext } from 'node:test';
import { LIMITS } from '../../src/config/limits.ts';
import { Stalls, type Waiting } from '../../src/http/stalls.ts';

const PATIENCE_MS = 15_000;

/** Stalls whose sweeps come when the test says so. */
function swept(t: TestContext): { stalls: Stalls; sweepAt: (ms: number) => void } {
  let nowMs = 0;
  t.mock.method(performance, 'now', () => nowMs);
  let sweep = (): void => {};
  t.mock.method(globalThis, 'setInterval', ((act: () => void) => { sweep = act; return { unref: () => undefined }; }) as unknown as typeof setInterval);
  return { stalls: new Stalls(PATIENCE_MS), sweepAt: (ms) => { nowMs = ms; sweep(); } };
}

function waiting(stalls: Stalls): Waiting & Record<'look' | 'cut', ReturnType<typeof mock.fn>> {
  const one = { patienceMs: PATIENCE_MS, patienceEndsMs: null, rosterPlace: -1, look: mock.fn(), cut: mock.fn(() => { stalls.remove(one); }) };
  stalls.add(one);
  return one;
}

test('whoever waits is cut by the sweep at which the patience ends, though each comes a moment early', (t) => {
  const { stalls, sweepAt } = swept(t);
  const one = waiting(stalls);
  const early = LIMITS.stallSweepMs - 0.5;
  for (let nth = 1; nth <= 15; nth += 1) sweepAt(nth * early);
  assert.equal(one.cut.mock.callCount(), 0);
  sweepAt(16 * early);
  assert.equal(one.cut.mock.callCount(), 1);
});

test('patience is counted anew from each step, and one who was cut or has left is told no more', (t) => {
  const { stalls, sweepAt } = swept(t);
  const [stepping, leaving, stalled] = [waiting(stalls), waiting(stalls), waiting(stalls)];
  for (let second = 1; second <= 40; second += 1) {
    stepping.patienceEndsMs = null;
    if (second === 5) stalls.remove(leaving);
    sweepAt(second * 1_000);
  }
  assert.deepEqual([stepping, leaving, stalled].map(({ cut }) => cut.mock.callCount()), [0, 0, 1]);
});

test('all that wait too long are cut by one sweep, though each that is cut takes another with it', (t) => {
  const { stalls, sweepAt } = swept(t);
  const all = Array.from({ length: 101 }, () => waiting(stalls));
  all.forEach((one, nth) => { one.cut.mock.mockImplementation(() => { stalls.remove(one); stalls.remove(all[(nth + 50) % 101]!); }); });
  const late = waiting(stalls);
  for (let second = 1; second <= 15; second += 1) sweepAt(second * 1_000);
  late.patienceEndsMs = null;
  sweepAt(16_000);
  assert.deepEqual(all.filter(({ rosterPlace }) => rosterPlace !== -1), []);
  assert.equal(late.cut.mock.callCount(), 0);
  assert.notEqual(late.rosterPlace, -1);
});

test('whoever is found to have gone on by a look is not cut', (t) => {
  const { stalls, sweepAt } = swept(t);
  const [leaving, stepping, stalled] = [waiting(stalls), waiting(stalls), waiting(stalls)];
  leaving.look.mock.mockImplementation(() => { stalls.remove(leaving); });
  stepping.look.mock.mockImplementation(() => { stepping.patienceEndsMs = null; });
  for (let second = 1; second <= 40; second += 1) sweepAt(second * 1_000);
  assert.deepEqual([leaving, stepping, stalled].map(({ cut }) => cut.mock.callCount()), [0, 0, 1]);
});

test('time in which the service itself did not run is nobody\'s fault', (t) => {
  const { stalls, sweepAt } = swept(t);
  const one = waiting(stalls);
  sweepAt(1_000);
  sweepAt(60_000);
  for (let second = 61; second <= 72; second += 1) sweepAt(second * 1_000);
  assert.equal(one.cut.mock.callCount(), 0);
  sweepAt(73_000);
  assert.equal(one.cut.mock.callCount(), 1);
});
