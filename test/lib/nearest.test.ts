import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearest, suggestion } from '../../src/lib/nearest.ts';

const NAMES = ['country', 'city', 'region', 'job_title', 'email', 'id'];

test('a slip of the fingers finds the name that was meant', () => {
  for (const [typed, meant] of [['contry', 'country'], ['cuontry', 'country'], ['Citty', 'city'], ['job-title', 'job_title'], ['emial', 'email'], ['ID', 'id']])
    assert.equal(nearest(typed!, NAMES), meant);
});

test('a name that resembles nothing gets no suggestion', () => {
  assert.equal(nearest('zzzzzzzz', NAMES), null);
  assert.equal(nearest('x', ['abc']), null);
  assert.equal(suggestion('zzzzzzzz', NAMES), '');
});

test('a name that is short of a word, or has one too many, is told the first that shares all the rest', () => {
  const names = ['country', 'job_title', 'company_name', 'company_size', 'size'];
  for (const [typed, meant] of [['title', 'job_title'], ['Company', 'company_name'], ['zz-size', 'size'], ['current_job_title', 'job_title']])
    assert.equal(suggestion(typed!, names.values()), ` (did you mean ${meant}?)`);
  for (const typed of ['qqqqqq_title', '___']) assert.equal(suggestion(typed, ['job_title_x', 'size']), '');
});

test('the nearest of several wins', () => {
  assert.equal(suggestion('regin', ['origin', 'region']), ' (did you mean region?)');
});

test('a name of many megabytes costs no more than its first letters', () => {
  const before = performance.now();
  nearest('a'.repeat(64 * 1_048_576), NAMES);
  assert.ok(performance.now() - before < 1_000);
});
