import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareLake } from './differential.ts';

test('searches over HTTP give the rows, pages, totals and facets of a plain loop, and of DuckDB over the same Parquet', async () => {
  const seed = Number(process.env['DIFFERENTIAL_SEED'] ?? 1 + Math.floor(Math.random() * 1_000_000));
  const { searches, matched, byEngine, rowsOfEngine } = await compareLake({ rows: 1_000, seed, searches: 250, from: 0 });
  assert.equal(searches, 250);
  assert.ok(matched > 1_500, `${matched} rows matched with seed ${seed}`);
  assert.ok(rowsOfEngine > 500 && byEngine > 750, `DuckDB could compare ${byEngine} matches of ${rowsOfEngine} rows with seed ${seed}`);
});
