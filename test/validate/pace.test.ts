import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { LIMITS } from '../../src/config/limits.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import { Pace, type Turn } from '../../src/validate/smtp/pace.ts';

const turnOf = (caller: object, waitMs = 60_000, isWanted = (): boolean => true): Turn => ({ caller, latestMs: monotonicMs() + waitMs, isWanted });

/** A provider whose next session has to wait. */
async function busy(caller: object): Promise<Pace> {
  const pace = new Pace();
  for (let sessions = 0; sessions < LIMITS.smtpSessionsBurst; sessions++) assert.ok(await pace.turn('google', turnOf(caller)));
  return pace;
}

suite('the pace of sessions', { concurrency: 8 }, () => {
  test('a provider meets a few sessions at once, then one a second, and nobody else waits for it', async () => {
    const startMs = monotonicMs();
    const pace = await busy({});
    const next = pace.turn('google', turnOf({}));
    assert.ok(await pace.turn('other', turnOf({})));
    assert.ok(await next);
    assert.ok(monotonicMs() - startMs >= LIMITS.smtpSessionEveryMs - 1);
  });

  test('a turn that would come too late is refused at once, and not taken from those that follow', async () => {
    const caller = {};
    const pace = await busy(caller);
    for (let sessions = 0; sessions < 100; sessions++) assert.equal(await pace.turn('google', turnOf(caller, 0)), false);
    assert.equal(await pace.turn('google', turnOf(caller)), true);
  });

  test('callers take turns, however many sessions each of them wants', async () => {
    const list = {};
    const pace = await busy(list);
    let taken = 0;
    let served = false;
    const others = Array.from({ length: 30 }, async () => {
      if (await pace.turn('google', turnOf(list, 60_000, () => !served))) taken += 1;
    });
    served = await pace.turn('google', turnOf({}));
    assert.ok(served && taken < 15, String(taken));
    // Nobody waits for the rest: they take no session.
    const before = taken;
    await Promise.all(others);
    assert.equal(taken, before);
  });
});
