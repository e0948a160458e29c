import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnswerReader } from '../../../src/sources/http/answer.ts';

function relationOf(end: object): string | null {
  const item = new AnswerReader().read(JSON.stringify({ '@end': { total: 7, next_cursor: null, ...end } }));
  return item?.kind === 'end' ? item.end.relation : null;
}

test('a total is exact where nothing is said of it, and what it is said to be where that is known', () => {
  assert.equal(relationOf({}), 'eq');
  assert.equal(relationOf({ total_relation: null }), 'eq');
  for (const known of ['eq', 'gte', 'lte', 'approx']) assert.equal(relationOf({ total_relation: known }), known);
});

test('a total that is said to be something else is never taken for an exact one', () => {
  for (const unknown of ['estimated', 'EQ+', '', 7, {}]) assert.equal(relationOf({ total_relation: unknown }), 'approx');
});
