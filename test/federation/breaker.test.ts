import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LIMITS } from '../../src/config/limits.ts';
import { Breaker } from '../../src/sources/breaker.ts';
import { Gate } from '../../src/federation/gate.ts';

describe('a breaker', () => {
  it('opens after failures in a row, tells so once, and closes with an answer', () => {
    const breaker = new Breaker(false);
    for (let i = 1; i < LIMITS.breakerFailures; i += 1) assert.equal(breaker.failed(), false);
    breaker.answered();
    for (let i = 1; i < LIMITS.breakerFailures; i += 1) assert.equal(breaker.failed(), false);
    assert.deepEqual([breaker.failed(), breaker.open, breaker.failed()], [true, true, false]);
    breaker.answered();
    assert.equal(breaker.open, false);
  });

  it('probes ever more rarely up to a bound, spread by chance, and anew after an answer', () => {
    const breaker = new Breaker(true);
    assert.deepEqual([0, 1, 2].map(() => breaker.probeInMs(1)), [1, 2, 4].map((times) => LIMITS.probeMsMin * times));
    for (let i = 0; i < 20; i += 1) assert.ok(breaker.probeInMs(0.999) <= LIMITS.probeMsMax);
    breaker.answered();
    assert.equal(breaker.probeInMs(0), LIMITS.probeMsMin / 2);
  });
});

describe('a gate', () => {
  it('lets so many in at once, the others in their order as places fall free, and refuses beyond its line', () => {
    const gate = new Gate(1, 2);
    const entered: string[] = [];
    const come = (name: string) => gate.enter(() => entered.push(name));
    come('a');
    come('b');
    const leaveLine = come('c');
    assert.equal(come('d'), null);
    leaveLine!();
    assert.notEqual(come('e'), null);
    gate.leave();
    gate.leave();
    assert.deepEqual(entered, ['a', 'b', 'e']);
    gate.leave();
    come('f');
    assert.deepEqual(entered, ['a', 'b', 'e', 'f']);
  });
});
