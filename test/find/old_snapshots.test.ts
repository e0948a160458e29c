import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { LIMITS } from '../../src/config/limits.ts';
import { Find } from '../../src/find/find.ts';
import type { StreamOutlet } from '../../src/find/late_outlet.ts';
import { lexicon } from '../../src/find/request/lexicon.ts';
import { readQuery } from '../../src/find/request/read_query.ts';
import { monotonicMs, type Clock } from '../../src/lib/clock.ts';
import { AppError } from '../../src/model/errors.ts';
import { vocabulary } from '../../src/model/vocabulary.ts';
import type { Catalog } from '../../src/plan/catalog.ts';
import { catalogOf, mountsOf } from '../../src/plan/lake_sources.ts';
import { loadSegments } from '../../src/pool/loader.ts';
import { ScanPool } from '../../src/pool/scan_pool.ts';
import { startThreads, type BatchRunner } from '../../src/pool/threads.ts';
import { Lakes, type LakesState } from '../../src/sources/lake/lakes.ts';
import type { LoadSegments } from '../../src/sources/lake/loading.ts';
import { awaitLock } from '../../src/sources/lake/lock.ts';
import { lakeDir, segmentsDir } from '../../src/sources/lake/paths.ts';
import { sweep } from '../../src/sources/lake/sweep.ts';
import { testLake, type TestLake } from '../ingest/lake.ts';
import { MovedClock } from '../support/moved_clock.ts';
import { restored } from '../support/restored.ts';

/** More than a stream reads ahead of a reader who waits: at most three times `chunkInPlaceBytes`, of rows of more than 400 bytes. */
const ROWS = 10_000;
const SETTINGS = { declared: [], extras: { contacts: [], companies: [] } };
const LEXICONS = { contacts: lexicon(vocabulary('contacts')), companies: lexicon(vocabulary('companies')) };
const SOURCES = { contacts: new Set(['crm']), companies: new Set<string>() };

/** A stream whose reader waits. */
type HeldStream = { rest(): Promise<{ readonly returned: number; readonly partial: boolean }> };

/** A scan thread that can be lost: another takes its place, which knows nothing and opens everything by its name. */
class Replaceable implements BatchRunner {
  #inner = startThreads(1);
  readonly threads = 1;
  readonly underWayMax = 1;
  get threadsAlive(): number { return this.#inner.threadsAlive; }
  run(...batch: Parameters<BatchRunner['run']>): ReturnType<BatchRunner['run']> { return this.#inner.run(...batch); }
  close(): Promise<void> { return this.#inner.close(); }

  async replace(): Promise<void> {
    const lost = this.#inner;
    this.#inner = startThreads(1);
    await lost.close();
  }
}

/** The lakes of a folder and the search over them, as the service puts them together. */
class Searched {
  readonly lakes: Lakes;
  readonly thread = new Replaceable();
  readonly #pool = new ScanPool(this.thread);
  readonly #find: Find;
  state: LakesState = { lakes: [], retained: [], held: [], restoring: [] };
  #catalog: Catalog = catalogOf(this.state, [], new Set(), SETTINGS, null);

  constructor(dataDir: string, clock: Clock, load: LoadSegments = loadSegments) {
    this.lakes = new Lakes(dataDir, load, { memoryBytes: 0, mapped: true }, (state) => {
      this.state = state;
      this.#pool.mount(mountsOf(state, SETTINGS, () => null));
      this.#catalog = catalogOf(state, [], new Set(), SETTINGS, this.#catalog);
    }, (error) => assert.fail(error as Error), clock);
    this.#find = new Find(this.#pool, { gateway: 'test', scan: () => assert.fail('lakes alone') }, () => this.#catalog, new Uint8Array(32));
  }

  async page(limit: number, cursor: string | null = null): Promise<{ ids: string[]; total: number; cursor: string | null }> {
    const { page, nextCursor } = await this.#find.page(this.#query('page', { limit, ...(cursor === null ? {} : { cursor }) }), monotonicMs(), { onGone: () => {} });
    const ids = page.rows.map(({ chunk, row }) => (JSON.parse(Buffer.from(chunk.bytes.subarray(chunk.start[row], chunk.end[row])).toString()) as { id: string }).id);
    return { ids, total: page.total, cursor: nextCursor };
  }

  /** Streams everything, from a place on or from the start, to a reader who takes the first rows and then waits until it is told to go on. */
  async stream(cursor: string | null = null): Promise<HeldStream> {
    let goOn = (): void => {};
    const waits = new Promise<void>((resolve) => { goOn = resolve; });
    let took = (): void => {};
    const begun = new Promise<void>((resolve) => { took = resolve; });
    const wait = (): Promise<void> => { took(); return waits; };
    const outlet: StreamOutlet = {
      gone: false, chunk: (_, count) => wait().then(() => count), rows: wait,
      sourceEnded: () => Promise.resolve(), cursor: () => Promise.resolve(), afford: (rows) => rows,
    };
    const ended = this.#find.stream(this.#query('stream', cursor === null ? {} : { cursor }), monotonicMs(), { onGone: () => {} }, () => outlet);
    await begun;
    return {
      async rest() {
        goOn();
        const { end: { returned, partial } } = await ended;
        return { returned, partial };
      },
    };
  }

  async close(): Promise<void> {
    await this.lakes.close();
    await this.#pool.close();
  }

  #query(form: 'page' | 'stream', more: object) {
    return readQuery({ type: 'contacts', timeout_ms: 30_000, dedupe: false, ...more } as never, form, LEXICONS, SOURCES);
  }
}

/** What another process does that writes to the source: an ingest, a rewriting, another gateway. */
async function sweepElsewhere(dir: string, clock: Clock): Promise<void> {
  const lock = await awaitLock(dir);
  await sweep(dir, lock, clock.unixMs()).finally(() => lock.release());
}

/** A lake of `ROWS` old rows that was searched, then replaced by 100 new ones. */
class Replaced {
  /** The time of the lakes; a call keeps its own. */
  readonly clock = new MovedClock();
  readonly lake: TestLake;
  readonly dir: string;
  readonly searched: Searched;
  readonly #all: Searched[];
  oldFile = '';

  private constructor(lake: TestLake) {
    this.lake = lake;
    this.dir = lakeDir(lake.dataDir, 'contacts', 'crm');
    this.searched = new Searched(lake.dataDir, this.clock);
    this.#all = [this.searched];
  }

  static async open(): Promise<Replaced> {
    const replaced = new Replaced(await testLake());
    await replaced.ingest('old', ROWS);
    await replaced.searched.lakes.reload();
    replaced.oldFile = (await replaced.files()).find((name) => name.endsWith('.rows'))!;
    return replaced;
  }

  async ingest(name: string, rows: number): Promise<void> {
    const lines = Array.from({ length: rows }, (_, at) => `${name}${at},Ann ${at},${name}${at}@a.com`);
    await this.lake.ingest([await this.lake.file(`${name}.csv`, `id,name,email\n${lines.join('\n')}\n`)], { mode: 'replace' });
  }

  async replace(): Promise<void> {
    await this.ingest('new', 100);
    for (const one of this.#all) await one.lakes.reload();
    assert.deepEqual([(await this.searched.page(1)).total, this.searched.state.retained.length], [100, 1]);
  }

  /** The time of the lakes after the snapshot was replaced, as all who serve them and one who sweeps them see it. */
  async pass(ms: number): Promise<void> {
    this.clock.shiftMs = ms;
    for (const one of this.#all) await one.lakes.reload();
    await sweepElsewhere(this.dir, this.clock);
  }

  async another(load?: LoadSegments): Promise<Searched> {
    const searched = new Searched(this.lake.dataDir, this.clock, load);
    this.#all.push(searched);
    await searched.lakes.reload();
    return searched;
  }

  files(): Promise<string[]> { return readdir(segmentsDir(this.dir)); }
  async hasOld(): Promise<boolean> { return (await this.files()).includes(this.oldFile); }
  async marks(): Promise<string[]> { return (await readdir(this.dir)).filter((name) => name.startsWith('READ-')); }

  async close(): Promise<void> {
    for (const one of this.#all) await one.close();
  }
}

async function withReplaced(work: (replaced: Replaced) => Promise<void>): Promise<void> {
  const replaced = await Replaced.open();
  try {
    await work(replaced);
  } finally {
    await replaced.close();
  }
}

const isStale = (error: unknown): boolean => error instanceof AppError && error.code === 'stale_cursor';

test('a cursor of a gateway that serves what was published since is to be sent again to one that does not yet, and goes on there when it does', () => withReplaced(async (replaced) => {
  const { searched } = replaced;
  const behind = await replaced.another();
  await replaced.ingest('new', 100);
  await searched.lakes.reload();
  const first = await searched.page(40);
  await assert.rejects(behind.page(40, first.cursor), (error) => error instanceof AppError && error.code === 'starting' && error.retryAfter === 1);
  await behind.lakes.reload();
  assert.equal((await behind.page(60, first.cursor)).ids.length, 60);
}));

test('the cursors of a replaced snapshot work for fifteen minutes, after a restart too, and are then stale', () => withReplaced(async (replaced) => {
  const { searched } = replaced;
  const first = await searched.page(1_000);
  assert.deepEqual([first.ids.length, first.total], [1_000, ROWS]);
  await replaced.replace();
  await replaced.pass(LIMITS.snapshotRetainMs - 120_000);
  const second = await searched.page(1_000, first.cursor);
  assert.deepEqual([second.ids.length, second.total, new Set([...first.ids, ...second.ids]).size], [1_000, ROWS, 2_000]);
  assert.ok(second.ids.every((id) => id.startsWith('crm:old')));
  const again = await replaced.another();
  await restored(() => again.state);
  assert.deepEqual((await again.page(1_000, first.cursor)).ids, second.ids, 'after a restart too');

  await replaced.pass(LIMITS.snapshotRetainMs);
  for (const one of [searched, again]) {
    await assert.rejects(one.page(1_000, first.cursor), isStale);
    assert.equal((await one.page(1_000)).total, 100);
  }
  assert.equal(await replaced.hasOld(), false, 'its files are gone');
}));

test('a start waits for no replaced snapshot, and until it is loaded a cursor that was cut from it is to come again', () => withReplaced(async (replaced) => {
  const { cursor } = await replaced.searched.page(1_000);
  await replaced.replace();
  let release = (): void => {};
  const released = new Promise<void>((resolve) => { release = resolve; });
  const again = await replaced.another(async (files, spoilt) => {
    if (files.some(({ rows }) => rows.endsWith(replaced.oldFile))) await released;
    return loadSegments(files, spoilt);
  });
  assert.equal((await again.page(1_000)).total, 100);
  await assert.rejects(again.page(1_000, cursor), (error) => error instanceof AppError && error.code === 'starting' && error.retryAfter === 1);
  await again.lakes.reload();
  await sweepElsewhere(replaced.dir, replaced.clock);
  release();
  await restored(() => again.state);
  assert.deepEqual([(await again.page(1_000, cursor)).total, await replaced.hasOld()], [ROWS, true]);
}));

test('whoever reads a snapshot when its cursors become stale reads it to its end, though others sweep and the scan thread is lost', () => withReplaced(async (replaced) => {
  const { searched } = replaced;
  const first = await searched.page(1_000);
  const early = await searched.stream();
  await replaced.replace();
  await replaced.pass(LIMITS.snapshotRetainMs - 120_000);
  const late = await searched.stream(first.cursor);

  await replaced.pass(LIMITS.snapshotRetainMs + LIMITS.streamTimeoutMsMax - 120_000);
  await assert.rejects(searched.page(1, first.cursor), isStale);
  assert.equal(await replaced.hasOld(), true, 'its files are there for the thread to come');
  await searched.thread.replace();
  assert.deepEqual(await early.rest(), { returned: ROWS, partial: false });
  await replaced.pass(replaced.clock.shiftMs + 1_000);
  assert.equal(await replaced.hasOld(), true, 'as long as the last of them reads');
  assert.deepEqual(await late.rest(), { returned: ROWS - 1_000, partial: false });

  replaced.clock.shiftMs += LIMITS.lakeSweepAgainMs;
  await searched.lakes.reload();
  assert.deepEqual(searched.state.held, []);
  assert.deepEqual([await replaced.hasOld(), (await replaced.marks()).length], [false, 1], 'who served it has swept it');
  assert.equal((await searched.page(1)).total, 100);
}));

test('a gateway keeps the files of what it serves from all others, and once it has ended from nobody', () => withReplaced(async (replaced) => {
  const reading = await replaced.another();
  const stream = await reading.stream();
  await replaced.replace();
  await replaced.pass(LIMITS.snapshotRetainMs);
  assert.deepEqual([replaced.searched.state.held.length, reading.state.held.length, await replaced.hasOld()], [0, 1, true]);
  await reading.lakes.close();
  await sweepElsewhere(replaced.dir, replaced.clock);
  assert.equal(await replaced.hasOld(), false);
  // What its threads have mapped can be read on nevertheless.
  assert.deepEqual(await stream.rest(), { returned: ROWS, partial: false });
}));

test('a snapshot is held for no longer than a stream may take that was begun by the last good cursor', () => withReplaced(async (replaced) => {
  const { searched } = replaced;
  const stream = await searched.stream();
  await replaced.replace();
  await replaced.pass(LIMITS.snapshotRetainMs + LIMITS.streamTimeoutMsMax - 60_000);
  assert.equal(searched.state.held.length, 1);
  await replaced.pass(LIMITS.snapshotRetainMs + LIMITS.streamTimeoutMsMax + 60_000);
  assert.deepEqual([searched.state.held.length, await replaced.hasOld()], [0, false]);
  const { returned, partial } = await stream.rest();
  assert.ok(partial && returned < ROWS, 'and the stream says so');
}));
