import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { OwnCaps } from '../../src/accounts/own_caps.ts';
import { DAY_MS } from '../../src/lib/day.ts';
import { Permit } from '../../src/accounts/permit.ts';
import { PLANS } from '../../src/accounts/plans.ts';
import { UsageCounter } from '../../src/accounts/usage.ts';
import type { Store } from '../../src/store/store.ts';
import { callerOn, freshStore, TestClock } from './setting.ts';

type Step =
  | { readonly does: 'admit'; readonly units: number }
  | { readonly does: 'more'; readonly which: number; readonly units: number }
  | { readonly does: 'settle'; readonly which: number; readonly share: number }
  | { readonly does: 'pass'; readonly ms: number }
  | { readonly does: 'jump'; readonly ms: number }
  | { readonly does: 'sweep' };

const units = fc.oneof(fc.constantFrom(0, 1), fc.integer({ min: 0, max: 1_000 }), fc.integer({ min: 0, max: 12_000 }));
const which = fc.nat({ max: 50 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ does: fc.constant('admit' as const), units }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('more' as const), which, units }) },
  { weight: 6, arbitrary: fc.record({ does: fc.constant('settle' as const), which, share: fc.double({ min: 0, max: 1, noNaN: true }) }) },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('pass' as const), ms: fc.oneof(fc.integer({ min: 0, max: 5_000 }), fc.constantFrom(59_999, 60_000, DAY_MS / 3)) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('jump' as const), ms: fc.integer({ min: -2 * 3_600_000, max: 2 * 3_600_000 }) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('sweep' as const) }) },
);

type Open = { permit: Permit; /** What it reserved in all. */ reserved: number };

/** Runs the steps against the caps and keeps its own books, plainly. */
class Run {
  readonly clock = new TestClock();
  readonly caller = callerOn('preview');
  readonly open: Open[] = [];
  readonly admittedMs: number[] = [];
  charged = 0;
  mostAtOnce = 0;
  readonly usage: UsageCounter;
  readonly caps: OwnCaps;

  /** Nothing is ever written to the store, so that every run begins anew. */
  constructor(store: Store) {
    this.usage = new UsageCounter(store);
    this.caps = new OwnCaps(this.clock, this.usage);
  }

  take(step: Step): void {
    switch (step.does) {
      case 'admit': return this.#admit(step.units);
      case 'more': return this.#more(step.which, step.units);
      case 'settle': return this.#settle(step.which, step.share);
      case 'pass': return this.clock.pass(step.ms);
      case 'jump': return this.clock.jump(step.ms);
      case 'sweep': return this.caps.sweep();
    }
  }

  settleAll(): void {
    while (this.open.length > 0) this.#settle(0, 1);
  }

  #admit(units: number): void {
    const verdict = this.caps.admit(this.caller, { endpoint: 'find', unitsMost: units });
    if (!(verdict instanceof Permit)) {
      assert.ok(verdict.retryAfterSeconds >= 1 && Number.isInteger(verdict.retryAfterSeconds));
      return;
    }
    this.admittedMs.push(this.clock.monotonicMs());
    this.open.push({ permit: verdict, reserved: units });
    this.mostAtOnce = Math.max(this.mostAtOnce, this.open.length);
  }

  #more(which: number, units: number): void {
    const one = this.open[which % this.open.length];
    if (one?.permit.reserveMore(units) === null) one.reserved += units;
  }

  #settle(which: number, share: number): void {
    const [one] = this.open.splice(which % Math.max(1, this.open.length), 1);
    if (one === undefined) return;
    one.permit.settle(Math.floor(one.reserved * share));
    one.permit.settle(one.reserved);
    this.charged += one.permit.charged;
  }
}

test('whatever is asked, and however the clock jumps, no cap is ever passed and nothing leaks', async (t) => {
  const store = await freshStore(t);
  const caps = PLANS.preview!;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 400 }), async (steps) => {
      const run = new Run(store);
      for (const next of steps) {
        run.take(next);
        assert.ok(run.caps.standing(run.caller).daily.used <= caps.unitsMax, 'reserved and used units stay within the day\'s budget');
        assert.equal(run.caps.standing(run.caller).umbrella.used, run.open.length);
      }
      run.settleAll();
      assert.ok(run.mostAtOnce <= caps.concurrentMax);
      for (const [at, ms] of run.admittedMs.entries()) {
        const later = run.admittedMs[at + caps.requestsMax];
        assert.ok(later === undefined || later - ms >= 60_000, 'at most 30 in any 60 s');
      }
      assert.equal(run.caps.standing(run.caller).umbrella.used, 0);
      const rows = await run.usage.of(run.caller.accountId, 0, Number.MAX_SAFE_INTEGER);
      for (const { units } of rows) assert.ok(units >= 0 && units <= caps.unitsMax, 'a day is never charged more than its budget');
      assert.equal(rows.reduce((sum, row) => sum + row.units, 0), run.charged);
      assert.equal(rows.reduce((sum, row) => sum + row.requests, 0), run.admittedMs.length);
    }),
    { numRuns: 400 },
  );
});

test('a wait that a burst denial names is enough', async (t) => {
  const store = await freshStore(t);
  fc.assert(fc.property(fc.array(fc.integer({ min: 0, max: 4_000 }), { minLength: 31, maxLength: 120 }), (gaps) => {
    const clock = new TestClock();
    const caps = new OwnCaps(clock, new UsageCounter(store));
    for (const gap of gaps) {
      clock.pass(gap);
      const verdict = caps.admit(callerOn('preview'), { endpoint: 'sources', unitsMost: 0 });
      if (verdict instanceof Permit) verdict.settle(0);
      else {
        clock.pass(verdict.retryAfterSeconds * 1_000);
        const again = caps.admit(callerOn('preview'), { endpoint: 'sources', unitsMost: 0 });
        assert.ok(again instanceof Permit);
        again.settle(0);
      }
    }
  }), { numRuns: 200 });
});
