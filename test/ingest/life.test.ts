import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DATASETS } from '../../src/model/dataset.ts';
import { SEED } from '../support/seed.ts';
import { Life } from './life/life.ts';
import { Met } from './life/met.ts';

/** As many as take some seconds; more by hand. One that failed is lived again by its seed, which it tells: LDS_FUZZ_SEED=SEED. */
const LIVES = Number(process.env['LDS_LIVES'] ?? 1);
const OPERATIONS = 5;
const SEARCHES = 3;

for (const dataset of DATASETS) {
  test(`whatever is done to a source of ${dataset}, its rows, what is told of them and what searches find are those of a plain map`, async (t) => {
    const met = new Met();
    for (let nth = 0; nth < LIVES; nth += 1) await Life.live({ dataset, seed: SEED + nth, operations: OPERATIONS, searches: SEARCHES }, met);
    t.diagnostic(JSON.stringify(met));
    assert.ok(met.withGone >= 3 * LIVES && met.ofThree >= LIVES && met.tiersMerged >= LIVES && met.muchGone >= LIVES && met.oldErased >= LIVES, `seed ${SEED}: ${JSON.stringify(met)}`);
  });
}
