import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usageChart } from '../../src/web/pages/dashboard/usage_chart.ts';

const day = (at: number, units: number, requests = units) => ({ day: `2026-03-${String(at).padStart(2, '0')}`, units, requests });

test('the chart says in one sentence what its bars show, and has the numbers as a table', () => {
  const { text } = usageChart([day(1, 5), day(2, 0), day(3, 1_200, 7)]);
  assert.match(text, /1,205 units in the last 3 days, the most on 2026-03-03: 1,200\./);
  assert.equal(text.match(/<rect /g)!.length, 2);
  assert.match(text, /<tr><td>2026-03-03<\/td><td class="number">1,200<\/td><td class="number">7<\/td><\/tr>/);
});

test('bars are in proportion, and the least of them is seen', () => {
  const { text } = usageChart([day(1, 1), day(2, 1_000), day(3, 2_000)]);
  assert.deepEqual([...text.matchAll(/height="([\d.]+)">/g)].map(([, height]) => Number(height)), [1.5, 50, 100]);
});

test('without any use there are no bars and no table', () => {
  const { text } = usageChart([day(1, 0), day(2, 0)]);
  assert.match(text, /No units in the last 2 days\./);
  assert.doesNotMatch(text, /<svg|<rect|<table/);
});
