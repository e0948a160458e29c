import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../../../src/config/limits.ts';
import { OWN_IDENTITY } from '../../../src/model/chunk.ts';
import { begunNow, phaseNumber, readPhase } from '../../../src/sources/http/walk_phase.ts';
import { Walks } from '../../../src/sources/http/walks.ts';
import { placeText, readPlace } from '../../../src/sources/place.ts';

const LATER = { keyClass: 0, key: 'z' };

test('a walk is taken up at the last place before its key', () => {
  const walks = new Walks();
  for (const key of ['b', 'd', 'a']) walks.note('search', { keyClass: 0, key, cursor: `after ${key}`, begun: 7 });
  assert.equal(walks.before('search', { keyClass: 0, key: 'd' }, 7)?.cursor, 'after b');
  assert.equal(walks.before('search', LATER, 7)?.cursor, 'after d');
  assert.equal(walks.before('search', { keyClass: 0, key: 'a' }, 7), null);
  assert.equal(walks.before('another', LATER, 7), null);
});

test('a walk is not taken up where one stood that was begun before it', () => {
  const walks = new Walks();
  for (const [key, begun] of [['b', 7], ['c', 9], ['d', 6]] as const) walks.note('search', { keyClass: 0, key, cursor: `${key} of ${begun}`, begun });
  assert.deepEqual([6, 7, 8, 9, 10].map((begun) => walks.before('search', LATER, begun)?.cursor), ['d of 6', 'c of 9', 'c of 9', 'c of 9', undefined]);
  walks.note('search', { keyClass: 0, key: 'c', cursor: 'c of 8', begun: 8 });
  walks.note('search', { keyClass: 0, key: 'b', cursor: 'b of 10', begun: 10 });
  assert.deepEqual([9, 10].map((begun) => walks.before('search', LATER, begun)?.cursor), ['c of 9', 'b of 10']);
});

test('a place tells when its walk was begun, for as long as it fits a cursor', () => {
  for (const begun of [0, begunNow(), Math.floor(Date.parse('2200-01-01') / 10)]) {
    for (const keyClass of [0, 1, OWN_IDENTITY]) {
      const place = { phase: phaseNumber({ keyClass, begun }), key: 'k', seen: 1 };
      assert.deepEqual(readPlace(placeText(place)), place);
      assert.deepEqual(readPhase(place.phase), { keyClass, begun });
    }
  }
});

test('of more walks than there is room for those least lately walked are forgotten, by their number and by their size', () => {
  const many = new Walks();
  for (let at = 0; at <= LIMITS.httpWalksMax; at += 1) many.note(`${at}`, { keyClass: 0, key: 'k', cursor: 'c', begun: 7 });
  assert.deepEqual([many.before('0', LATER, 7), many.before('1', LATER, 7)?.cursor], [null, 'c']);

  const large = new Walks();
  const cursor = 'x'.repeat(LIMITS.httpWalkCharactersMax / 4);
  const note = (search: string, key: string): void => { large.note(search, { keyClass: 0, key, cursor, begun: 7 }); };
  note('first', 'a');
  note('second', 'a');
  note('first', 'b');
  note('third', 'a');
  assert.equal(large.before('second', LATER, 7), null);
  assert.notEqual(large.before('first', LATER, 7), null);
  // What is forgotten gives its room back.
  large.forget('first');
  note('fourth', 'a');
  assert.deepEqual(['third', 'fourth'].map((search) => large.before(search, LATER, 7) !== null), [true, true]);
});
