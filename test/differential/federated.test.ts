import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { compareSearch, searchOf } from './federated/compare.ts';
import { World } from './federated/world.ts';

/** A failing search alone: DIFFERENTIAL_SEED, and its number as DIFFERENTIAL_FROM with DIFFERENTIAL_SEARCHES=1. */
const SEED = Number(process.env['DIFFERENTIAL_SEED'] ?? 1 + Math.floor(Math.random() * 1_000_000));
const FROM = Number(process.env['DIFFERENTIAL_FROM'] ?? 0);
const SEARCHES = Number(process.env['DIFFERENTIAL_SEARCHES'] ?? 15);

describe(`sources of every kind that share people (DIFFERENTIAL_SEED=${SEED})`, { timeout: 600_000 }, () => {
  let world: World;
  before(async () => { world = await World.open(SEED); }, { timeout: 400_000 });
  after(() => world.close());

  const compareAll = async (): Promise<void> => {
    let rows = 0;
    for (let nth = FROM; nth < FROM + SEARCHES; nth += 1) {
      const asked = searchOf(world, SEED * 1_000 + nth);
      try {
        rows += await compareSearch(world, asked, nth);
      } catch (error) {
        throw new Error(`search ${nth} differs: ${(error as Error).message}\nof ${JSON.stringify(asked)}`, { cause: error });
      }
    }
    assert.ok(rows > 0 || SEARCHES < 5);
  };

  it('give the rows, merges, pages, totals and facets that a plain loop makes of what each of them shows', compareAll);

  it('give them without who is suppressed, in whatever form a source has the address', async () => {
    await world.suppress();
    await compareAll();
  });
});
