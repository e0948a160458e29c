import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { LIMITS } from '../../../src/config/limits.ts';
import { askAgain, type Again, type Failed } from '../../../src/sources/replicas/again.ts';
import { Budget } from '../../../src/sources/replicas/budget.ts';
import { Latencies } from '../../../src/sources/replicas/latencies.ts';
import { Tallies } from '../../../src/sources/replicas/tallies.ts';

const SAME = { where: 'same', afterMs: LIMITS.retryMsMin };
const OTHER = { where: 'other', afterMs: 0 };

describe('a search that failed', () => {
  it('is asked again of the same server once and only where it never began there, of another one for whatever is not its own fault', () => {
    const table: readonly (readonly [Failed['code'], started: boolean, attempts: number, replicasLeft: number, Again | object | null])[] = [
      ['unreachable', false, 1, 0, SAME],
      ['unreachable', false, 2, 0, null],
      ['unreachable', false, 1, 1, OTHER],
      ['unreachable', false, 3, 1, OTHER],
      ['broken', false, 1, 0, SAME],
      ['broken', true, 1, 0, null],
      ['broken', true, 1, 2, OTHER],
      ['overloaded', false, 1, 0, SAME],
      ['overloaded', true, 1, 0, null],
      ['overloaded', true, 1, 1, OTHER],
      ['malformed', true, 1, 0, null],
      ['malformed', true, 1, 1, OTHER],
      ['partial', true, 1, 0, null],
      ['partial', true, 1, 1, OTHER],
      ['refused', true, 1, 1, null],
      ['refused', false, 1, 0, null],
      ['looped', true, 1, 1, null],
      ['too_many', true, 1, 1, null],
    ];
    for (const [code, started, attempts, replicasLeft, expected] of table) {
      assert.deepEqual(askAgain({ code, started, attempts, replicasLeft }, 0), expected, JSON.stringify({ code, started, attempts, replicasLeft }));
    }
  });

  it('waits for a while that differs from caller to caller, within its bounds', () => {
    const waits = [0, 0.25, 0.5, 0.999].map((chance) => askAgain({ code: 'unreachable', started: false, attempts: 1, replicasLeft: 0 }, chance)!.afterMs);
    assert.equal(new Set(waits).size, waits.length);
    for (const ms of waits) assert.ok(ms >= LIMITS.retryMsMin && ms < LIMITS.retryMsMax);
  });
});

describe('a budget of extra calls', () => {
  it('lets no more through than its share of the calls and what it began with, in whatever order they come', () => {
    fc.assert(fc.property(fc.array(fc.boolean(), { maxLength: 2_000 }), (steps) => {
      const budget = new Budget(0.1, 10);
      let earned = 0;
      let spent = 0;
      for (const earns of steps) {
        if (earns) {
          budget.earn();
          earned += 1;
        } else if (budget.spend()) spent += 1;
        assert.ok(spent <= 10 + earned * 0.1 + 1e-6);
      }
    }));
    const storm = new Budget(LIMITS.extraCallsShare, LIMITS.extraCallsMost);
    let extra = 0;
    for (let call = 0; call < 10_000; call += 1) {
      storm.earn();
      if (storm.spend()) extra += 1;
    }
    assert.ok(extra >= 1_000 && extra <= 1_000 + LIMITS.extraCallsMost, `${extra} of 10,000`);
  });
});

describe('the times of answers', () => {
  it('tell nothing while few have come, and then a quantile that is right to a fifth', () => {
    const samplesOf = fc.array(fc.double({ min: 0.25, max: 10_000, noNaN: true }), { minLength: LIMITS.latencySamplesMin, maxLength: LIMITS.latencySamplesMax - 1 });
    fc.assert(fc.property(samplesOf, fc.double({ min: 0.05, max: 1, noNaN: true }), (samples, share) => {
      const latencies = new Latencies();
      for (const [at, ms] of samples.entries()) {
        if (at < LIMITS.latencySamplesMin) assert.equal(latencies.quantileMs(share), null);
        latencies.note(ms);
      }
      const exact = samples.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(share * samples.length - 1e-9) - 1)]!;
      const told = latencies.quantileMs(share)!;
      assert.ok(told >= exact * 0.999 && told <= exact * 1.201, `${told} for ${exact}`);
    }));
  });

  it('forget the old for the new', () => {
    const latencies = new Latencies();
    for (let i = 0; i < 2_000; i += 1) latencies.note(100);
    for (let i = 0; i < 5 * LIMITS.latencySamplesMax; i += 1) latencies.note(2);
    assert.ok(latencies.quantileMs(0.95)! < 3);
  });
});

describe('tallies', () => {
  it('are seen by whoever holds the same memory', () => {
    const here = new Tallies();
    const there = new Tallies(here.shared);
    there.addRetry();
    there.addHedge();
    there.addHedge();
    assert.deepEqual([here.retries, here.hedges], [1, 2]);
  });
});
