import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Find } from '../../src/find/find.ts';
import { lexicon } from '../../src/find/request/lexicon.ts';
import { readQuery } from '../../src/find/request/read_query.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import type { FieldType } from '../../src/model/field.ts';
import type { ExtraField } from '../../src/model/vocabulary.ts';
import { catalogOf, mountsOf, vocabulariesOf } from '../../src/plan/lake_sources.ts';
import { loadSegments } from '../../src/pool/loader.ts';
import { ScanPool } from '../../src/pool/scan_pool.ts';
import { startThreads } from '../../src/pool/threads.ts';
import { Lakes } from '../../src/sources/lake/lakes.ts';
import { testLake } from '../ingest/lake.ts';

const extrasOf = (types: Readonly<Record<string, FieldType>>): ExtraField[] => Object.entries(types).map(([name, type]) => ({ name, type, description: name }));

test('an extra that is declared as another type since the ingest counts as none, whatever is asked of it, and the source says so', async () => {
  const lake = await testLake();
  const rows = await lake.file('rows.csv', 'id,name,score,tier,seen,rank\n1,Ann,7,a,5,1\n2,Bob,8,b,6,2\n');
  await lake.ingest([rows], { extras: extrasOf({ score: 'integer', tier: 'string', seen: 'integer', rank: 'integer' }) });
  const settings = { declared: [], extras: { contacts: extrasOf({ score: 'string', tier: 'integer', seen: 'timestamp', rank: 'integer' }), companies: [] } };
  const words = vocabulariesOf(settings);
  const pool = new ScanPool(startThreads(1));
  let catalog = catalogOf({ lakes: [], retained: [], held: [], restoring: [] }, [], new Set(), settings, null);
  const lakes = new Lakes(lake.dataDir, loadSegments, { memoryBytes: 0, mapped: true }, (state) => {
    pool.mount(mountsOf(state, settings, () => null));
    catalog = catalogOf(state, [], new Set(), settings, catalog);
  }, (error) => assert.fail(error as Error));
  try {
    await lakes.reload();
    const find = new Find(pool, { gateway: 'test', scan: () => assert.fail('lakes alone') }, () => catalog, new Uint8Array(32));
    const lexicons = { contacts: lexicon(words.contacts), companies: lexicon(words.companies) };
    const ask = async (body: object) => {
      const query = readQuery({ type: 'contacts', timeout_ms: 30_000, ...body } as never, 'page', lexicons, { contacts: new Set(['crm']), companies: new Set() });
      return (await find.page(query, monotonicMs(), { onGone: () => {} })).page;
    };
    const [source] = catalog.sources;
    assert.deepEqual([source!.status, source!.filters['score'], source!.filters['rank']], ['degraded', 'unsupported', 'pushed']);
    assert.match(source!.trouble!, /its score is of the type integer, and is declared as string.*; its tier is .*; its seen is /);
    for (const filters of [{ score: ['7'] }, { tier: { min: 0 } }, { seen: { min: '1970-01-01' } }]) {
      const { total, partial, warnings, errors } = await ask({ filters });
      assert.deepEqual([total, partial, warnings, errors], [0, false, [`crm has no ${Object.keys(filters)[0]!}: its rows count as having none`], []]);
    }
    for (const filters of [{ score: { exclude: ['7'] } }, { tier: { exclude: ['1'] } }, { seen: { exclude: ['1970-01-01T00:00:00.005Z'] } }]) assert.equal((await ask({ filters })).total, 2);
    const { total, facets } = await ask({ filters: { rank: { min: 2 } }, facets: ['score', 'tier', 'seen', 'rank'] });
    assert.deepEqual([total, facets], [1, { score: [], tier: [], seen: [], rank: [{ value: '2', count: 1 }] }]);
  } finally {
    await lakes.close();
    await pool.close();
  }
});
