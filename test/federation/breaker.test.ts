import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seeded } from '../../bench/support/figures.ts';
import { LIMITS } from '../../src/config/limits.ts';
import { Breaker } from '../../src/sources/breaker.ts';
import { Gate, streamPlaces, type Visit } from '../../src/federation/gate.ts';

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

  it('asks about a source that was silent through many short scans, and opens where that has no answer either', () => {
    const breaker = new Breaker(false);
    const shorts = (count: number, fromMs: number, toMs: number) => Array.from({ length: count }, (_, at) => breaker.ranShort(fromMs + (at * (toMs - fromMs)) / (count - 1)));
    assert.ok(!shorts(100, 0, LIMITS.breakerSilenceMs - 1).includes(true), 'for too short a time');
    breaker.heard();
    assert.ok(!shorts(LIMITS.breakerFailures - 1, 0, 10 * LIMITS.breakerSilenceMs).includes(true), 'too few');
    assert.equal(breaker.unheard(), false);
    assert.equal(breaker.ranShort(11 * LIMITS.breakerSilenceMs), true);
    assert.equal(breaker.ranShort(12 * LIMITS.breakerSilenceMs), false, 'it is asked once');
    breaker.answered();
    assert.equal(breaker.unheard(), false, 'it was heard in the meantime');
    assert.equal(shorts(LIMITS.breakerFailures, 0, LIMITS.breakerSilenceMs).at(-1), true);
    assert.deepEqual([breaker.unheard(), breaker.open, breaker.unheard()], [true, true, false]);
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
    const come = (name: string) => gate.enter('page', () => entered.push(name));
    come('a');
    come('b');
    const leaveLine = come('c');
    assert.equal(come('d'), null);
    leaveLine!();
    assert.notEqual(come('e'), null);
    gate.leave('page');
    gate.leave('page');
    assert.deepEqual(entered, ['a', 'b', 'e']);
    gate.leave('page');
    come('f');
    assert.deepEqual(entered, ['a', 'b', 'e', 'f']);
  });

  it('keeps a quarter of its places for pages, one at least where there are two', () => {
    assert.deepEqual([1, 2, 3, 4, 5, 8, 9, 16, 128].map((places) => places - streamPlaces(places)), [0, 1, 1, 1, 2, 2, 3, 4, 32]);
  });

  it('lets a page in while streams hold all that they may, and a stream where another left', () => {
    const gate = new Gate(4, 8);
    const entered: string[] = [];
    for (const name of ['s1', 's2', 's3', 's4', 's5']) gate.enter('stream', () => entered.push(name));
    gate.enter('page', () => entered.push('p1'));
    gate.enter('page', () => entered.push('p2'));
    assert.deepEqual(entered, ['s1', 's2', 's3', 'p1']);
    gate.leave('page');
    assert.deepEqual(entered.slice(4), ['p2']);
    gate.leave('stream');
    gate.leave('page');
    assert.deepEqual(entered.slice(5), ['s4']);
  });

  it('gives pages the places that streams leave free, in the order in which all came', () => {
    const gate = new Gate(2, 8);
    const entered: string[] = [];
    gate.enter('page', () => entered.push('p1'));
    gate.enter('page', () => entered.push('p2'));
    gate.enter('stream', () => entered.push('s1'));
    gate.enter('page', () => entered.push('p3'));
    gate.leave('page');
    gate.leave('page');
    assert.deepEqual(entered, ['p1', 'p2', 's1', 'p3']);
  });

  it('keeps a part of its line for pages too, and forgets who steps out of it', () => {
    const gate = new Gate(1, 4);
    gate.enter('stream', () => {});
    const [first, ...more] = Array.from({ length: 3 }, () => gate.enter('stream', () => assert.fail('it had left the line')));
    assert.equal(gate.enter('stream', () => {}), null);
    let served = false;
    assert.notEqual(gate.enter('page', () => { served = true; }), null);
    assert.equal(gate.enter('page', () => {}), null);
    for (const stepOut of [first, ...more]) stepOut!();
    gate.leave('stream');
    assert.equal(served, true);
  });

  it('never holds more than its places, nor more streams than they may, and serves all who wait', () => {
    for (let seed = 1; seed <= 50; seed += 1) {
      const chance = seeded(seed);
      const places = 1 + Math.floor(chance() * 6);
      const gate = new Gate(places, 1_000);
      const inside: Visit[] = [];
      let came = 0;
      let served = 0;
      for (let step = 0; step < 200; step += 1) {
        if (chance() < 0.5) {
          const visit: Visit = chance() < 0.5 ? 'page' : 'stream';
          came += 1;
          gate.enter(visit, () => { inside.push(visit); served += 1; });
        } else if (inside.length > 0) gate.leave(inside.splice(Math.floor(chance() * inside.length), 1)[0]!);
        assert.ok(inside.length <= places && inside.filter((visit) => visit === 'stream').length <= streamPlaces(places), `seed ${seed}`);
      }
      while (inside.length > 0) gate.leave(inside.pop()!);
      assert.equal(served, came, `seed ${seed}: somebody was left in the line`);
    }
  });
});
