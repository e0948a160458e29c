import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { mergeFacets } from '../../src/federation/facets.ts';
import { LakeReader } from '../../src/federation/lake_reader.ts';
import { federatePage } from '../../src/federation/page.ts';
import { federateStream, type RowOutlet } from '../../src/federation/stream.ts';
import type { Page } from '../../src/federation/whole_page.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import type { RowAt } from '../../src/model/chunk.ts';
import type { Query } from '../../src/model/query.ts';
import { vocabulary } from '../../src/model/vocabulary.ts';
import type { BatchReply, ScanBatch } from '../../src/pool/protocol.ts';
import type { PageForm } from '../../src/pool/protocol.ts';
import { ScanPool } from '../../src/pool/scan_pool.ts';
import { MEMORY_VOCABULARY, callOver, memoryPool, planOver, queryOf, scanMemory, type MemoryLane } from '../support/memory_lanes.ts';
import { ScriptedRunner, pause } from '../support/runners.ts';

/** Longer than a busy machine may hold a call up. */
const PATIENT_MS = 30_000;

function lanesOf(...sizes: readonly number[]): MemoryLane[] {
  return sizes.map((size, priority) => ({
    source: `s${priority}`, segment: `s${priority}.0`, priority,
    rows: Array.from({ length: size }, (_, i) => ({ id: `s${priority}:${i}`, keyClass: 0, key: `${i}`, phone: null })),
  }));
}

/** Every lane answers but for the lost. */
function poolOver(lanes: readonly MemoryLane[], lost: readonly string[] = []): { pool: ScanPool; scans: string[] } {
  const answer = scanMemory(lanes, 2);
  const scans: string[] = [];
  const act = (batch: ScanBatch): Promise<BatchReply> => {
    scans.push(...batch.scans.map(({ segment }) => segment));
    return lost.includes(batch.scans[0]!.segment) ? Promise.reject(new Error('exited')) : Promise.resolve(answer(batch));
  };
  return { pool: new ScanPool(new ScriptedRunner(64, act)), scans };
}

async function pageOver(lanes: readonly MemoryLane[], lost: readonly string[], change: Partial<Query>): Promise<Page> {
  const { pool } = poolOver(lanes, lost);
  const page = await federatePage(planOver(lanes, true), queryOf({ limit: 1, ...change }), callOver(pool, pool.lease()!, monotonicMs() + PATIENT_MS));
  await pool.close();
  return page;
}

describe('the total', () => {
  it('is at least what is told where a source failed and one alone delivered: nothing can overlap', async () => {
    const page = await pageOver(lanesOf(5, 5), ['s1.0'], {});
    assert.deepEqual([page.total, page.relation], [5, 'gte']);
  });

  it('is approximate where a source failed and two delivered', async () => {
    const page = await pageOver(lanesOf(5, 5, 5), ['s2.0'], {});
    assert.deepEqual([page.total, page.relation], [10, 'approx']);
  });

  it('is exact where all the matches are of one source', async () => {
    const page = await pageOver(lanesOf(5, 0), [], {});
    assert.deepEqual([page.total, page.relation], [5, 'eq']);
  });
});

describe('facets', () => {
  it('count spellings that are one value to the filter as one, in the most frequent spelling', () => {
    const lane = (values: readonly (readonly [string, number])[]) => ({ facets: [{ name: 'city', values }] });
    const merged = mergeFacets(['city'], MEMORY_VOCABULARY, [lane([['BERLIN', 3], ['Bonn', 4]]), lane([['Berlin', 4], ['berlin ', 1]])]);
    assert.deepEqual(merged, { city: [{ value: 'Berlin', count: 8 }, { value: 'Bonn', count: 4 }] });
  });

  it('count times and numbers that are written in two ways as one', () => {
    const lane = (name: string, values: readonly (readonly [string, number])[]) => ({ facets: [{ name, values }] });
    const times = mergeFacets(['updated_at'], MEMORY_VOCABULARY, [lane('updated_at', [['2024-01-31T09:30:00Z', 2]]), lane('updated_at', [['2024-01-31T09:30:00.000Z', 3], ['2024-01-31', 4]])]);
    assert.deepEqual(times, { updated_at: [{ value: '2024-01-31T09:30:00.000Z', count: 5 }, { value: '2024-01-31', count: 4 }] });
    const numbers = mergeFacets(['employee_count'], vocabulary('companies'), [lane('employee_count', [['10', 1]]), lane('employee_count', [['10.0', 3]])]);
    assert.deepEqual(numbers, { employee_count: [{ value: '10.0', count: 4 }] });
  });

  it('that a failed source did not count are named beside the source', async () => {
    const page = await pageOver(lanesOf(5, 5), ['s1.0'], { facets: ['city', 'industry'] });
    assert.ok(page.warnings.includes('s1 did not count the facets city, industry: its rows are missing there'), page.warnings.join('\n'));
  });
});

describe('a lane that is read to its end', () => {
  it('is not asked again where nothing is to be counted', async () => {
    const lanes = lanesOf(3, 3);
    const { pool, scans } = poolOver(lanes);
    const plan = planOver(lanes, true, { order: 'identity', lanes: [{ source: 's0', snapshot: '1', segment: 's0.0', after: 2, done: true }] });
    const page = await federatePage(plan, queryOf({ count: 'none' }), callOver(pool, pool.lease()!, monotonicMs() + PATIENT_MS));
    assert.deepEqual([...new Set(scans)], ['s1.0']);
    assert.deepEqual([page.rows.length, page.next], [3, null]);
    await pool.close();
  });
});

describe('a stream whose outlet fails', () => {
  it('has no write under way when the failure is told, and begins none after', async () => {
    const lanes = lanesOf(20, 20, 20);
    const { pool } = poolOver(lanes);
    let writing = 0;
    let writes = 0;
    const outlet: RowOutlet = {
      gone: false,
      async chunk(_, count) {
        writes += 1;
        writing += 1;
        await pause(2);
        writing -= 1;
        if (writes === 3) throw new Error('no room');
        return count;
      },
      rows: () => Promise.resolve(),
      sourceEnded: () => Promise.resolve(),
      checkpoint: () => Promise.resolve(),
      afford: (rows) => rows,
    };
    const query = queryOf({ dedupe: false, limit: 1_000, delivery: 'stream' });
    await assert.rejects(federateStream(planOver(lanes, false), query, callOver(pool, pool.lease()!, monotonicMs() + PATIENT_MS), outlet), /no room/);
    assert.deepEqual([writing, writes], [0, 3]);
    await pause(20);
    assert.deepEqual([writing, writes], [0, 3]);
    await pool.close();
  });
});

describe('a page amid whose gathering something is suppressed', () => {
  /** Of a source with six rows, and where `both` of one more with as many; once all have been found three of them are suppressed. */
  async function pageAmid(t: TestContext, limit: number, { both, form }: { readonly both: boolean; readonly form: PageForm }): Promise<Page> {
    const lanes = lanesOf(...(both ? [6, 6] : [6])).map((lane) => ({ ...lane, rows: lane.rows.map((row) => ({ ...row, keyClass: 2, key: row.id })) }));
    const pool = memoryPool(lanes, 100);
    t.after(() => pool.close());
    // A call that waits for something else when it is suppressed.
    t.mock.method(LakeReader.prototype, 'settle', async () => { pool.mount([]); });
    t.mock.getter(LakeReader.prototype, 'settled', () => false);
    t.mock.method(pool, 'isSuppressed', ({ id }: { readonly id: string }) => ['s0:1', 's0:2', 's1:3'].includes(id));
    return federatePage(planOver(lanes, both), queryOf({ limit, dedupe: both }), callOver(pool, pool.lease()!, monotonicMs() + PATIENT_MS), form);
  }

  const told = ({ returned, outcomes, total, relation }: Page): unknown[] => [returned, outcomes.map((one) => one.returned), total, relation];

  for (const form of ['rows', 'json', 'csv'] as const) {
    it(`counts none of them among its rows, nor in a total of all of them (${form})`, async (t) => {
      assert.deepEqual(told(await pageAmid(t, 25, { both: false, form })), [4, [4], 4, 'eq']);
    });

    it(`says that the total is at most what was counted where there is more (${form})`, async (t) => {
      assert.deepEqual(told(await pageAmid(t, 5, { both: false, form })), [3, [3], 6, 'lte']);
    });
  }

  it('counts them for none of its sources', async (t) => {
    assert.deepEqual(told(await pageAmid(t, 25, { both: true, form: 'rows' })), [9, [4, 5], 9, 'eq']);
  });
});

describe('an identity of which rows that were found are suppressed meanwhile', () => {
  /** The first source has two rows of it, the other has one. */
  const lanes = ['s0:0', 's0:1', 's1:0'].reduce<MemoryLane[]>((all, id) => {
    const source = id.slice(0, 2);
    const rows = [...all.find((lane) => lane.source === source)?.rows ?? [], { id, keyClass: 0, key: 'a@x.org', phone: null }];
    return [...all.filter((lane) => lane.source !== source), { source, segment: `${source}.0`, priority: Number(source[1]), rows }];
  }, []);
  const query = queryOf({ limit: 10 });

  for (const [dead, left] of [[['s0:0', 's0:1'], ['s1:0']], [['s0:0'], ['s0:1']], [['s0:1'], ['s0:0']], [['s0:0', 's0:1', 's1:0'], []]] as const) {
    it(`is given by ${left.join() || 'nobody'}, once, where ${dead.join(' and ')} are, on a page and by a stream`, async (t) => {
      const pool = memoryPool(lanes, 100);
      t.after(() => pool.close());
      t.mock.method(pool, 'isSuppressed', ({ id }: { readonly id: string }) => (dead as readonly string[]).includes(id));
      const idOf = ({ chunk: { bytes, start, end }, row }: RowAt): string => (JSON.parse(Buffer.from(bytes.slice(start[row], end[row])).toString()) as { id: string }).id;
      const call = callOver(pool, pool.lease()!, monotonicMs() + PATIENT_MS);
      const settle = t.mock.method(LakeReader.prototype, 'settle', async () => { pool.mount([]); });
      const page = await federatePage(planOver(lanes, true), query, call);
      settle.mock.restore();
      assert.deepEqual(page.rows.map(idOf), left);

      const given: string[] = [];
      const outlet: RowOutlet = {
        gone: false,
        chunk: () => assert.fail('they are merged'),
        async rows(rows) { given.push(...rows.map(idOf)); },
        sourceEnded: () => Promise.resolve(),
        checkpoint: () => Promise.resolve(),
        afford: (rows) => { pool.mount([]); return rows; },
      };
      await federateStream(planOver(lanes, true), { ...query, delivery: 'stream' }, call, outlet);
      assert.deepEqual(given, left);
    });
  }
});

describe('a stream amid whose rows something is suppressed', () => {
  it('gives those that went, and of the rest of the slice those that are living', async (t) => {
    const lanes = lanesOf(9);
    const pool = memoryPool(lanes, 6);
    t.mock.method(pool, 'isSuppressed', ({ id }: { readonly id: string }) => ['s0:1', 's0:4'].includes(id));
    const given: unknown[] = [];
    const idsOf = (rows: readonly RowAt[]): string[] => rows.map(({ chunk: { bytes, start, end }, row }) =>
      (JSON.parse(Buffer.from(bytes.slice(start[row], end[row])).toString()) as { id: string }).id);
    const outlet: RowOutlet = {
      gone: false,
      async chunk(chunk, count, mayGo) {
        const went = mayGo() && given.length === 0 ? 3 : count;
        given.push(['chunk', ...idsOf(Array.from({ length: went }, (_, row) => ({ chunk, row })))]);
        if (given.length === 1) pool.mount([]);
        assert.equal(mayGo(), given.length > 1);
        return went;
      },
      async rows(rows) { given.push(['rows', ...idsOf(rows)]); },
      sourceEnded: () => Promise.resolve(),
      checkpoint: () => Promise.resolve(),
      afford: (rows) => rows,
    };
    const query = queryOf({ dedupe: false, limit: 8, delivery: 'stream' });
    const end = await federateStream(planOver(lanes, false), query, callOver(pool, pool.lease()!, monotonicMs() + PATIENT_MS), outlet);
    assert.deepEqual(given.slice(0, 2), [['chunk', 's0:0', 's0:1', 's0:2'], ['rows', 's0:3', 's0:5']]);
    assert.deepEqual([end.returned, end.outcomes.map(({ returned }) => returned), end.total, end.relation], [8, [8], 8, 'eq']);
    assert.deepEqual(given.flatMap((one) => (one as string[]).slice(1)), ['s0:0', 's0:1', 's0:2', 's0:3', 's0:5', 's0:6', 's0:7', 's0:8']);
    await pool.close();
  });
});

describe('a stream whose reader leaves amid a slice', () => {
  it('is told to stop there, and gives what went', async () => {
    const lanes = lanesOf(9);
    const pool = memoryPool(lanes, 6);
    const outlet = {
      gone: false,
      async chunk(_: unknown, __: number, mayGo: () => boolean) {
        assert.ok(mayGo());
        this.gone = true;
        assert.ok(!mayGo());
        return 2;
      },
      rows: () => Promise.reject(new Error('nobody reads them')),
      sourceEnded: () => Promise.resolve(),
      checkpoint: () => Promise.resolve(),
      afford: (rows: number) => rows,
    };
    const query = queryOf({ dedupe: false, delivery: 'stream' });
    const end = await federateStream(planOver(lanes, false), query, callOver(pool, pool.lease()!, monotonicMs() + 5_000), outlet);
    assert.deepEqual([end.returned, end.outcomes.map(({ returned }) => returned)], [2, [2]]);
    await pool.close();
  });
});
