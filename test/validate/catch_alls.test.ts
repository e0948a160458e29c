import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../../src/config/limits.ts';
import { CatchAlls } from '../../src/validate/smtp/catch_alls.ts';

function clocked(): { readonly catchAlls: CatchAlls; readonly clock: { ms: number } } {
  const clock = { ms: 1_700_000_000_000 };
  return { catchAlls: new CatchAlls(() => clock.ms), clock };
}

test('whether a domain takes any name is known for as long as its records hold, a minute at least and an hour at most', () => {
  for (const [routeTtlMs, keptMs] of [[600_000, 600_000], [0, LIMITS.catchAllTtlMsMin], [86_400_000, LIMITS.catchAllTtlMsMax]] as const) {
    const { catchAlls, clock } = clocked();
    catchAlls.found('acme.com', 'mx', true, routeTtlMs);
    clock.ms += keptMs - 1;
    assert.equal(catchAlls.isFresh('acme.com', 'mx'), true);
    clock.ms += 1;
    assert.equal(catchAlls.isFresh('acme.com', 'mx'), false);
  }
});

test('past its time it stands in for an hour where asking again brought nothing, and gives way to what was found', () => {
  const { catchAlls, clock } = clocked();
  catchAlls.found('acme.com', 'mx', true, 600_000);
  clock.ms += 600_000;
  assert.equal(catchAlls.of('acme.com', 'mx'), true);
  catchAlls.found('acme.com', 'mx', false, 600_000);
  assert.equal(catchAlls.of('acme.com', 'mx'), false);
  clock.ms += 600_000 + LIMITS.dnsStaleMsMax;
  assert.equal(catchAlls.of('acme.com', 'mx'), null);
});

test('it is known of a domain at a host, not of the domain everywhere, and its hits are counted', () => {
  const { catchAlls, clock } = clocked();
  catchAlls.found('acme.com', 'mx1', true, 600_000);
  assert.deepEqual([catchAlls.isFresh('acme.com', 'mx1'), catchAlls.isFresh('acme.com', 'mx2'), catchAlls.of('acme.com', 'mx2')], [true, false, null]);
  clock.ms += 700_000;
  catchAlls.of('acme.com', 'mx1');
  assert.deepEqual(catchAlls.counts(), { hits: 1, misses: 1, stale: 1, entries: 1 });
});
