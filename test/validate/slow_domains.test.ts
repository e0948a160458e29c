import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withTime } from '../support/with_time.ts';
import { ordinary, world } from './support/world.ts';

const COUNT = 300;

test('domains whose name servers are silent keep no others of the call from being looked up, however many stand before them', (t) => withTime([5_000, 9_000, 13_000], async (timeoutMs) => {
  const { bulk } = await world(t, {}, (asked) => (asked.name === '.' ? { authorities: [] } : /^silent\d/.test(asked.name) ? null : ordinary(asked)));
  const addresses = [...Array.from({ length: COUNT }, (_, nth) => `jane@silent${nth}.com`), 'jane@acme.com', 'joe@gone.com'];
  const { results } = await bulk(addresses, null, timeoutMs);
  assert.deepEqual(results.slice(COUNT - 1).map(({ reason }) => reason), ['DNS_TIMEOUT', 'DNS_MX_OK', 'DNS_NXDOMAIN']);
}));
