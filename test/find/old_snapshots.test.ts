import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { LIMITS } from '../../src/config/limits.ts';
import { Find, type StreamOutlet } from '../../src/find/find.ts';
import { lexicon } from '../../src/find/request/lexicon.ts';
import { readQuery } from '../../src/find/request/read_query.ts';
import { monotonicMs, type Clock } from '../../src/lib/clock.ts';
import { AppError } from '../../src/model/errors.ts';
import { vocabulary } from '../../src/model/vocabulary.ts';
import type { Catalog } from '../../src/plan/catalog.ts';
import { catalogOf, mountsOf } from '../../src/plan/lake_sources.ts';
import { loadSegments } from '../../src/pool/loader.ts';
import { ScanPool } from '../../src/pool/scan_pool.ts';
import { startThreads } from '../../src/pool/threads.ts';
import { Lakes, type LakesState } from '../../src/sources/lake/lakes.ts';
import { lakeDir, segmentsDir } from '../../src/sources/lake/paths.ts';
import { testLake } from '../ingest/lake.ts';

const ROWS = 6_000;
const SETTINGS = { declared: [], extras: { contacts: [], companies: [] } };
const LEXICONS = { contacts: lexicon(vocabulary('contacts')), companies: lexicon(vocabulary('companies')) };
const SOURCES = { contacts: new Set(['crm']), companies: new Set<string>() };

/** The time of the lakes, which the test moves; a call keeps its own. */
class MovedClock implements Clock {
  shiftMs = 0;
  monotonicMs(): number { return monotonicMs() + this.shiftMs; }
  unixMs(): number { return Date.now() + this.shiftMs; }
}

/** The lakes of a folder and the search over them, as the service puts them together. */
class Searched {
  readonly lakes: Lakes;
  readonly #pool = new ScanPool(startThreads(1));
  readonly #find: Find;
  state: LakesState = { lakes: [], retained: [] };
  #catalog: Catalog = catalogOf(this.state, [], SETTINGS, 0);

  constructor(dataDir: string, clock: Clock) {
    this.lakes = new Lakes(dataDir, loadSegments, { memoryBytes: 0, mapped: true }, (state) => {
      this.state = state;
      this.#pool.mount(mountsOf(state, () => null));
      this.#catalog = catalogOf(state, [], SETTINGS, this.#catalog.version + 1);
    }, (error) => assert.fail(error as Error), clock);
    this.#find = new Find(this.#pool, { gateway: 'test', scan: () => assert.fail('lakes alone') }, () => this.#catalog, new Uint8Array(32));
  }

  async page(limit: number, cursor: string | null = null): Promise<{ ids: string[]; total: number; cursor: string | null }> {
    const { page, nextCursor } = await this.#find.page(this.#query('page', { limit, ...(cursor === null ? {} : { cursor }) }), monotonicMs(), { onGone: () => {} });
    const ids = page.rows.map(({ chunk, row }) => (JSON.parse(Buffer.from(chunk.bytes.subarray(chunk.start[row], chunk.end[row])).toString()) as { id: string }).id);
    return { ids, total: page.total, cursor: nextCursor };
  }

  /** Streams everything to a reader who takes the first rows and then waits for `goOn`. */
  stream(goOn: Promise<void>): { begun: Promise<void>; ended: Promise<{ returned: number; partial: boolean }> } {
    let took = (): void => {};
    const begun = new Promise<void>((resolve) => { took = resolve; });
    const wait = (): Promise<void> => { took(); return goOn; };
    const outlet: StreamOutlet = { gone: false, run: wait, rows: wait, sourceEnded: () => Promise.resolve(), cursor: () => Promise.resolve(), afford: (rows) => rows };
    const ended = this.#find.stream(this.#query('stream', {}), monotonicMs(), { onGone: () => {} }, () => outlet);
    return { begun, ended: ended.then(({ end: { returned, partial } }) => ({ returned, partial })) };
  }

  async close(): Promise<void> {
    await this.lakes.close();
    await this.#pool.close();
  }

  #query(form: 'page' | 'stream', more: object) {
    return readQuery({ type: 'contacts', timeout_ms: 30_000, ...more } as never, form, LEXICONS, SOURCES);
  }
}

test('whoever reads a snapshot when it is replaced reads it to its end, its cursors work for fifteen minutes, and are then stale', async () => {
  const lake = await testLake();
  const csv = (rows: number, name: string): Promise<string> =>
    lake.file(`${name}.csv`, `id,name,email\n${Array.from({ length: rows }, (_, at) => `${name}${at},Ann ${at},${name}${at}@a.com`).join('\n')}\n`);
  const clock = new MovedClock();
  const searched = new Searched(lake.dataDir, clock);
  let again: Searched | null = null;
  try {
    await lake.ingest([await csv(ROWS, 'old')]);
    await searched.lakes.reload();
    const [oldFile] = await readdir(segmentsDir(lakeDir(lake.dataDir, 'contacts', 'crm')));
    const first = await searched.page(1_000);
    assert.deepEqual([first.ids.length, first.total], [1_000, ROWS]);
    let goOn = (): void => {};
    const { begun, ended } = searched.stream(new Promise((resolve) => { goOn = resolve; }));
    await begun;

    await lake.ingest([await csv(100, 'new')], { mode: 'replace' });
    await searched.lakes.reload();
    assert.deepEqual([(await searched.page(1)).total, searched.state.retained.length], [100, 1]);

    clock.shiftMs = LIMITS.snapshotRetainMs - 120_000;
    await searched.lakes.reload();
    const second = await searched.page(1_000, first.cursor);
    assert.deepEqual([second.ids.length, second.total, new Set([...first.ids, ...second.ids]).size], [1_000, ROWS, 2_000]);
    assert.ok(second.ids.every((id) => id.startsWith('crm:old')));
    again = new Searched(lake.dataDir, clock);
    await again.lakes.reload();
    assert.deepEqual((await again.page(1_000, first.cursor)).ids, second.ids, 'after a restart too');
    goOn();
    assert.deepEqual(await ended, { returned: ROWS, partial: false });

    clock.shiftMs = LIMITS.snapshotRetainMs;
    for (const one of [searched, again]) {
      await one.lakes.reload();
      await assert.rejects(one.page(1_000, first.cursor), (error) => error instanceof AppError && error.code === 'stale_cursor');
      assert.equal((await one.page(1_000)).total, 100);
    }
    assert.ok(!(await readdir(segmentsDir(lakeDir(lake.dataDir, 'contacts', 'crm')))).includes(oldFile!), 'its files are gone');
  } finally {
    await searched.close();
    await again?.close();
  }
});
