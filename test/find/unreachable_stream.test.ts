import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SourceConfig } from '../../src/config/sources.ts';
import { Find } from '../../src/find/find.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import { AppError } from '../../src/model/errors.ts';
import { vocabulary } from '../../src/model/vocabulary.ts';
import { foreignSource } from '../../src/plan/foreign_sources.ts';
import { catalogOf } from '../../src/plan/lake_sources.ts';
import type { ForeignScan } from '../../src/pool/foreign_scan.ts';
import { ScanPool } from '../../src/pool/scan_pool.ts';
import { queryOf } from '../support/memory_lanes.ts';
import { answerAll, ScriptedRunner } from '../support/runners.ts';

const NAMES = ['registry', 'warehouse'];
const NO_LAKES = { lakes: [], retained: [], held: [], restoring: [] };

/** Of a source that nobody reaches, of which it is not known yet. */
const UNREACHED: ForeignScan = {
  end: { why: 'failed', failure: 'unreachable', detail: '' }, tookMs: 1, dropped: 0, incomplete: false,
  next: () => Promise.resolve(null),
  counted: () => Promise.resolve({ matched: null, atMost: false, atLeast: false, facets: null, missed: 'failed' }),
  close: () => {},
};

function findOver(names: readonly string[]): Find {
  const extras = { contacts: [], companies: [] };
  const sources = names.map((name) => {
    const config = { name, dataset: 'contacts', kind: 'postgres', url: 'postgres://nowhere', table: 'people', columns: {} } as unknown as SourceConfig;
    return foreignSource({ config, vocabulary: vocabulary('contacts') } as never, null, null, 'well');
  });
  const catalog = catalogOf(NO_LAKES, sources, new Set(), { declared: [], extras }, null);
  const pool = new ScanPool(new ScriptedRunner(1, (batch) => Promise.resolve(answerAll(batch))));
  return new Find(pool, { gateway: 'test', scan: () => UNREACHED }, () => catalog, new Uint8Array(32));
}

describe('a stream of sources of which none can be reached', () => {
  for (const dedupe of [false, true]) {
    it(`is refused before it has begun, ${dedupe ? 'also where they are merged' : 'where they come as they are found'}`, async () => {
      const query = queryOf({ delivery: 'stream', limit: Number.MAX_SAFE_INTEGER, timeoutMs: 5_000, dedupe });
      const stream = findOver(NAMES).stream(query, monotonicMs(), { onGone: () => {} }, () => assert.fail('it has begun'));
      await assert.rejects(stream, (error) => error instanceof AppError && error.code === 'sources_unreachable');
    });
  }
});
