import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../../src/config/limits.ts';
import { Standings } from '../../src/ingest/division.ts';
import { withDuck } from '../../src/ingest/duckdb.ts';
import { KEYS, PLACE, type KeyedRows } from '../../src/ingest/key_table.ts';
import { KEEPING } from '../../src/ingest/rewritten.ts';
import { dropUnchanged } from '../../src/ingest/unchanged.ts';
import { folderOf } from '../support/folder.ts';

const ROWS = 10_000;

/** An export of a source that has as many rows in a segment, of which one in `every` changed: how many are the same, and how often all that there is was read for that. */
async function exported(dir: string, every: number, inSegment: number, rows = ROWS): Promise<[same: number, reads: number]> {
  const fresh: KeyedRows = (places) => `SELECT 's:' || nth AS id, CASE WHEN nth % ${every} = 0 THEN 'new' ELSE 'old' END AS city, place AS "${PLACE}" FROM (${places})`;
  const entry = { id: 'one', rows: inSegment, indexBytes: 0, rowsBytes: 0, fill: {}, countries: {}, updatedAt: null };
  class Known extends Standings {
    override rowsFound(rows: Parameters<Standings['rowsFound']>[0]): ReturnType<Standings['rowsFound']> {
      return Promise.resolve(rows.filter(({ city }) => city === 'old'));
    }
  }
  return withDuck(dir, { folders: [], files: [] }, new AbortController().signal, async (duck) => {
    await duck.run(`CREATE TABLE ${KEYS} AS SELECT range AS nth, 's:' || range AS id FROM range(${rows})`);
    let reads = 0;
    const columns = [{ name: 'id', kind: 'text' }, { name: 'city', kind: 'text' }] as const;
    const same = await dropUnchanged({ duck, fresh, columns }, new Known(dir, [entry], KEEPING), () => {
      reads += 1;
      return Promise.resolve(`(SELECT 's:' || range AS id, 'old' AS city FROM range(${ROWS}))`);
    });
    return [same, reads];
  });
}

test('an export is compared with all that there is where that spares a segment, or a source is small, and not where so much changed that all is written anyway', async (t) => {
  const dir = folderOf(t);
  assert.deepEqual(await exported(dir, 97, 20_000), [9_896, 1]);
  assert.deepEqual(await exported(dir, 3, 20_000), [0, 0], 'all is written for a third of it');
  assert.deepEqual(await exported(dir, 2, 20_000), [0, 0], 'for every second row');
  assert.deepEqual(await exported(dir, 3, 10_000), [6_666, 1], 'small');
  assert.deepEqual(await exported(dir, 1, 10_000), [0, 0], 'another source');
});

test('an input that is a small part of its source is looked up row by row where most of it is there as it is, and it is not too long', async (t) => {
  const dir = folderOf(t);
  assert.deepEqual(await exported(dir, 3, 200_000), [6_666, 0]);
  assert.deepEqual(await exported(dir, 1, 200_000), [0, 0], 'changes alone');
  assert.deepEqual(await exported(dir, 97, 10_000_000, LIMITS.ingestLookedUpRowsMax + 1), [0, 0], 'too long');
});
