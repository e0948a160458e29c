import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usageSection } from '../../src/web/pages/dashboard/usage_section.ts';

const NONE = { limit: null, remaining: null, resetSeconds: 0 };

test('of a plan without caps no number of requests is told that nobody counted', () => {
  const { text } = usageSection({ plan: 'unlimited', burst: { ...NONE, used: null }, daily: { ...NONE, used: 1_234 }, umbrella: { ...NONE, used: 2 } }, [], 20_000);
  assert.match(text, /Units left today<\/dt><dd><strong>no cap<\/strong><span class="hint">1,234 used</);
  assert.match(text, /Requests left this minute<\/dt><dd><strong>no cap<\/strong><\/dd>/);
});
