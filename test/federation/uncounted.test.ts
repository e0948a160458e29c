import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seeded } from '../../bench/support/figures.ts';
import { LIMITS } from '../../src/config/limits.ts';
import { ForeignSources, type ForeignEvent } from '../../src/federation/foreign_sources.ts';
import { federatePage } from '../../src/federation/page.ts';
import type { Page } from '../../src/federation/whole_page.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import type { Query } from '../../src/model/query.ts';
import type { Plan } from '../../src/plan/plan.ts';
import type { ForeignRunner } from '../../src/pool/foreign_threads.ts';
import { ScanPool } from '../../src/pool/scan_pool.ts';
import { SourceFailure, type ForeignSettings, type ForeignSource } from '../../src/sources/source.ts';
import { stopped } from '../../src/sources/stopped.ts';
import { scanForeign } from '../../src/worker/foreign/scan.ts';
import { memoryChannel } from '../simulation/memory_port.ts';
import { hold, memorySource } from '../simulation/rows.ts';
import { VirtualTime } from '../simulation/virtual_time.ts';
import { callOver, MEMORY_VOCABULARY, planOver, queryOf } from '../support/memory_lanes.ts';
import { answerAll, ScriptedRunner } from '../support/runners.ts';

const SETTINGS: ForeignSettings = { config: { name: 'far', dataset: 'contacts', kind: 'postgres', url: 'postgres://nowhere', table: 'people', columns: {}, compared: {} }, vocabulary: MEMORY_VOCABULARY };
const ROWS = 25;
const PAGE_ROWS = 10;
const TIME_MS = 4 * LIMITS.breakerTimeoutMsMin;

type Counting = Pick<ForeignSource, 'count' | 'facet'> & Partial<Pick<ForeignSource, 'rows'>>;

const FAR = memorySource(hold('far', false, ROWS, seeded(1)), PAGE_ROWS, () => Promise.resolve());
const COUNTS: Counting = {
  count: () => Promise.resolve({ sure: ROWS, unsure: [] }),
  facet: (name) => Promise.resolve({ name, values: [['a', ROWS]] }),
};
const hanging = (signal: AbortSignal): Promise<never> => new Promise((_, reject) => { signal.addEventListener('abort', () => reject(stopped())); });

/** The same rows, of which some fill a piece. */
const TWO_PIECES: Pick<ForeignSource, 'rows'> = {
  async *rows(request, signal) {
    for await (const batch of FAR.rows(request, signal)) yield batch.map((row) => ({ ...row, json: row.json.toString().padEnd(LIMITS.chunkBytes / PAGE_ROWS) }));
  },
};

/** Gives its rows at once, and counts as it is told. */
function runnerOf(counting: Partial<Counting>): ForeignRunner {
  const source: ForeignSource = { ...FAR, ...COUNTS, ...counting };
  return {
    openChannel: memoryChannel,
    run: async (task) => {
      if (task.kind !== 'scan') return { ok: true, description: { fields: [], filters: {}, trouble: null }, figures: null };
      await scanForeign(() => source, MEMORY_VOCABULARY, task.request, task.port);
      return null;
    },
    close: () => Promise.resolve(),
  };
}

function planOf(done: boolean): Plan {
  const lane = { kind: 'foreign' as const, source: 'far', snapshot: '', priority: 0, after: '', done };
  return { ...planOver([], false), fromStart: !done, sources: [{ name: 'far', filters: { pushed: [], residual: [], unsupported: [] }, skip: null, given: false }], lanes: [lane] };
}

type Asked = { readonly change?: Partial<Query>; readonly pages?: number; readonly done?: boolean };
type Given = { readonly page: Page; readonly status: string; readonly events: readonly ForeignEvent[]; readonly lastFailure: string | undefined };

/** The last of so many pages one after the other, and what is known of the source then. */
function pagesOver(counting: Partial<Counting>, { change = {}, pages = 1, done = false }: Asked = {}): Promise<Given> {
  return VirtualTime.during(seeded(1), async () => {
    const events: ForeignEvent[] = [];
    const foreign = new ForeignSources(runnerOf(counting), [SETTINGS], () => {}, (event) => { events.push(event); });
    await foreign.open();
    const pool = new ScanPool(new ScriptedRunner(1, (batch) => Promise.resolve(answerAll(batch))));
    const query = queryOf({ limit: PAGE_ROWS, ...change });
    const next = (): Promise<Page> => federatePage(planOf(done), query, { ...callOver(pool, pool.lease()!, monotonicMs() + TIME_MS), foreign });
    let page = await next();
    for (let more = 1; more < pages; more += 1) page = await next();
    const { status } = foreign.catalogSources()[0]!;
    const lastFailure = foreign.lastFailure('far')?.detail;
    await foreign.close();
    await pool.close();
    return { page, status, events, lastFailure };
  });
}

function told({ outcomes, partial, total, relation, rows, warnings, errors }: Page): unknown {
  const [{ status, reason, matched }] = outcomes as readonly [Page['outcomes'][number]];
  return { rows: rows.length, status, reason, matched, partial, total, relation, warnings, errors };
}

const WHOLE = { rows: PAGE_ROWS, status: 'complete', reason: null, matched: null, partial: false, total: PAGE_ROWS, relation: 'gte', warnings: [], errors: [] };

function uncounted(reason: string): object {
  return { ...WHOLE, status: 'partial', partial: true, reason, warnings: [`far did not finish (${reason}): its rows are there, but not all of its matches may be in the total`], errors: [`far: ${reason}`] };
}

const broken = (): Promise<never> => Promise.reject(new SourceFailure('broken', 'the table is locked by "jane@acme.example"'));

describe('a source that is no lake and gave its page', () => {
  it('says nothing of its counting where it counted, and where it never can', async () => {
    assert.deepEqual(told((await pagesOver({})).page), { ...WHOLE, matched: ROWS, total: ROWS, relation: 'eq' });
    assert.deepEqual(told((await pagesOver({ count: () => Promise.resolve({ sure: 0, unsure: null }) })).page), WHOLE);
  });

  it('says that its counting took too long, and is not left out for it however often', async () => {
    const { page, status } = await pagesOver({ count: (_, signal) => hanging(signal) }, { pages: 2 * LIMITS.breakerFailures });
    assert.deepEqual(told(page), uncounted('counting timed out'));
    assert.equal(status, 'ok');
  });

  it('says so too where it does not heed that nobody waits any longer', async () => {
    const { page, status } = await pagesOver({ count: () => new Promise(() => {}) }, { pages: 2 * LIMITS.breakerFailures });
    assert.deepEqual([told(page), status], [uncounted('counting timed out'), 'ok']);
  });

  it('says that its counting failed, and tells the operator alone of what', async () => {
    const { page, status, events, lastFailure } = await pagesOver({ count: broken }, { pages: 2 * LIMITS.breakerFailures });
    assert.deepEqual([told(page), status, lastFailure], [uncounted('counting failed'), 'ok', 'the table is locked by "…"']);
    assert.deepEqual(events.at(-1), { kind: 'failed', source: 'far', code: 'broken', detail: 'the table is locked by "…"' });
  });

  it('says nothing of what it was not asked to count', async () => {
    assert.deepEqual(told((await pagesOver({ count: broken }, { change: { count: 'none' } })).page), WHOLE);
  });

  it('says so where its rows were all given before, and their number alone was asked for', async () => {
    assert.deepEqual(told((await pagesOver({ count: broken }, { done: true })).page), { ...uncounted('counting failed'), rows: 0, total: 0 });
  });
});

describe('a source that is no lake and gave all its rows', () => {
  /** So many that they come in two pieces: they are counted from the first on. */
  const LONG = { limit: 40 };

  it('was counted so, whatever became of its own counting', async () => {
    for (const count of [broken, (_: unknown, signal: AbortSignal) => hanging(signal)]) {
      const { page } = await pagesOver({ ...TWO_PIECES, count }, { change: LONG });
      assert.deepEqual(told(page), { ...WHOLE, rows: ROWS, total: ROWS, relation: 'eq' });
    }
  });
});

describe('a source that counts its matches and not all that was asked', () => {
  for (const [reason, facet] of [['counting failed', broken], ['counting timed out', (_: string, __: unknown, signal: AbortSignal) => hanging(signal)]] as const) {
    it(`gives the total, and the facets that it counted (${reason})`, async () => {
      const oneOnly: Counting['facet'] = (name, search, signal) => (name === 'city' ? facet(name, search, signal) : COUNTS.facet(name, search, signal));
      const { page } = await pagesOver({ facet: oneOnly }, { change: { facets: ['country', 'city'] } });
      assert.deepEqual(told(page), {
        ...WHOLE, status: 'partial', partial: true, reason, matched: ROWS, total: ROWS, relation: 'eq', errors: [`far: ${reason}`],
        warnings: [`far did not finish (${reason}): its rows are there, but not all of its counts`, 'far did not count the facet city: its rows are missing there'],
      });
      assert.deepEqual(page.facets, { country: [{ value: 'a', count: ROWS }], city: [] });
    });
  }
});
