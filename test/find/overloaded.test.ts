import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Find } from '../../src/find/find.ts';
import { lexicon } from '../../src/find/request/lexicon.ts';
import { readQuery } from '../../src/find/request/read_query.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import { AppError } from '../../src/model/errors.ts';
import { vocabulary } from '../../src/model/vocabulary.ts';
import { catalogOf } from '../../src/plan/lake_sources.ts';
import { ScanPool } from '../../src/pool/scan_pool.ts';
import { answerAll, ScriptedRunner } from '../support/runners.ts';

const LEXICONS = { contacts: lexicon(vocabulary('contacts')), companies: lexicon(vocabulary('companies')) };

it('a stream for which there is no room is refused before it is begun', async () => {
  const pool = new ScanPool(new ScriptedRunner(1, async (batch) => answerAll(batch)));
  const catalog = catalogOf({ lakes: [], retained: [], held: [], restoring: [] }, [], new Set(), { declared: [], extras: { contacts: [], companies: [] } }, null);
  const find = new Find(pool, { gateway: 'test', scan: () => assert.fail('there is no source') }, () => catalog, new Uint8Array(32));
  const query = readQuery({ type: 'contacts' }, 'stream', LEXICONS, { contacts: new Set(), companies: new Set() });
  while (pool.lease() !== null);
  let begun = 0;
  const begin = (): never => {
    begun += 1;
    throw new Error('it was begun');
  };
  await assert.rejects(find.stream(query, monotonicMs(), { onGone: () => {} }, begin), (error) => error instanceof AppError && error.code === 'overloaded');
  assert.equal(begun, 0);
  await pool.close();
});
