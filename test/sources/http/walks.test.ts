import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../../../src/config/limits.ts';
import { Walks } from '../../../src/sources/http/walks.ts';

const LATER = { keyClass: 0, key: 'z' };

test('a walk is taken up at the last place before its key', () => {
  const walks = new Walks();
  for (const key of ['b', 'd', 'a']) walks.note('search', { keyClass: 0, key, cursor: `after ${key}` });
  assert.equal(walks.before('search', { keyClass: 0, key: 'd' })?.cursor, 'after b');
  assert.equal(walks.before('search', LATER)?.cursor, 'after d');
  assert.equal(walks.before('search', { keyClass: 0, key: 'a' }), null);
  assert.equal(walks.before('another', LATER), null);
});

test('of more walks than there is room for those least lately walked are forgotten, by their number and by their size', () => {
  const many = new Walks();
  for (let at = 0; at <= LIMITS.httpWalksMax; at += 1) many.note(`${at}`, { keyClass: 0, key: 'k', cursor: 'c' });
  assert.deepEqual([many.before('0', LATER), many.before('1', LATER)?.cursor], [null, 'c']);

  const large = new Walks();
  const cursor = 'x'.repeat(LIMITS.httpWalkCharactersMax / 4);
  const note = (search: string, key: string): void => { large.note(search, { keyClass: 0, key, cursor }); };
  note('first', 'a');
  note('second', 'a');
  note('first', 'b');
  note('third', 'a');
  assert.equal(large.before('second', LATER), null);
  assert.notEqual(large.before('first', LATER), null);
  // What is forgotten gives its room back.
  large.forget('first');
  note('fourth', 'a');
  assert.deepEqual(['third', 'fourth'].map((search) => large.before(search, LATER) !== null), [true, true]);
});
