import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { LIMITS } from '../../../src/config/limits.ts';
import type { Cutting } from '../../../src/ingest/cut.ts';
import { Duck } from '../../../src/ingest/duckdb.ts';
import { IngestError } from '../../../src/ingest/failure.ts';
import { ingestFiles, type IngestSummary } from '../../../src/ingest/ingest.ts';
import { MODES, type Mode } from '../../../src/ingest/mode.ts';
import { compactSource, eraseRows } from '../../../src/ingest/rewrite.ts';
import type { RewriteOrder } from '../../../src/ingest/rewriting.ts';
import type { Keeping } from '../../../src/ingest/rewritten.ts';
import { shareOf } from '../../../src/lib/rounding.ts';
import type { Dataset } from '../../../src/model/dataset.ts';
import type { ExtraField } from '../../../src/model/vocabulary.ts';
import { awaitLock } from '../../../src/sources/lake/lock.ts';
import { lakeDir, segmentsDir } from '../../../src/sources/lake/paths.ts';
import type { RowStorage } from '../../../src/sources/lake/row_storage.ts';
import { sweep } from '../../../src/sources/lake/sweep.ts';
import { ingestOrder } from '../../support/ingested.ts';
import { MovedClock } from '../../support/moved_clock.ts';
import { Draw } from './draw.ts';
import { written, type Given } from './given.ts';
import type { Met } from './met.ts';
import { Model, type Told } from './model.ts';
import { Orders, type Wanted } from './orders.ts';
import { assertErased, assertSwept, assertTold, countriesOf, filledIn, newestOf, readPublished, type Published } from './published.ts';
import { compareHeld, compareSearches, type Held } from './searches.ts';
import { Served } from './served.ts';

const SOURCE = 'crm';
/** By each of them the first operations of a life come to what it is for. */
const KEEPINGS: readonly Keeping[] = [{ smallRowsMax: 0, ratio: 1, goneShareMax: 0.2 }, { smallRowsMax: 1, ratio: 1.5, goneShareMax: 0.25 }, { smallRowsMax: 2, ratio: 1, goneShareMax: 0.22 }];
/** Segments as large as that, at first. */
const AS_ONE: Cutting = { rowsMin: Infinity, threads: 1, bytesMax: 1e9 };
const CUTTINGS: readonly Cutting[] = [AS_ONE, AS_ONE, { ...AS_ONE, rowsMin: 50, threads: 2 }, { ...AS_ONE, bytesMax: 20_000 }, { ...AS_ONE, bytesMax: 20_000, heldBytesMax: 0 }];
const OPERATIONS = ['upsert', 'append', 'export', 'erase', 'compact', 'replace', 'late', 'restart'] as const;
const WEIGHTS: Readonly<Record<(typeof OPERATIONS)[number], number>> = { upsert: 14, append: 4, export: 2, erase: 6, compact: 1, replace: 1, late: 1, restart: 2 };
/** Walks that are kept, to go on with. */
const HELD_MAX = 12;

/** A source from its first ingest on, beside a plain map of what it is to hold. */
export class Life {
  readonly #dataDir: string;
  readonly #dir: string;
  readonly #draw: Draw;
  readonly #model: Model;
  readonly #orders: Orders;
  readonly #keeping: Keeping;
  #cutting = AS_ONE;
  readonly #met: Met;
  readonly #log: string[] = [];
  readonly #searches: number;
  #duck: Duck | null = null;
  #rowForm: RowStorage = 'balanced';
  #clock = new MovedClock();
  #served: Served | null = null;
  #published: Published | null = null;
  #held: Held[] = [];

  private constructor(dataDir: string, dataset: Dataset, seed: number, searches: number, met: Met) {
    this.#dataDir = dataDir;
    this.#dir = lakeDir(dataDir, dataset, SOURCE);
    this.#draw = new Draw(seed);
    this.#model = new Model(dataset, SOURCE);
    this.#orders = new Orders(this.#draw, this.#model);
    this.#keeping = this.#draw.one(KEEPINGS);
    this.#searches = searches;
    this.#met = met;
  }

  /** Lives through so many operations of a seed. What fails tells all that went before. */
  static async live({ dataset, seed, operations, searches }: { readonly dataset: Dataset; readonly seed: number; readonly operations: number; readonly searches: number }, met: Met): Promise<void> {
    const dataDir = await mkdtemp(join(tmpdir(), 'lds-life-'));
    const life = new Life(dataDir, dataset, seed, searches, met);
    try {
      await life.#grow();
      for (let nth = 0; nth < operations; nth += 1) await life.#step(life.#draw.one(OPERATIONS.flatMap((operation) => Array.from({ length: WEIGHTS[operation] }, () => operation))));
      await life.#late();
    } catch (error) {
      throw new Error(`the life of ${dataset} with seed ${seed} went wrong: ${(error as Error).message}\n${life.#log.join('\n')}`, { cause: error });
    } finally {
      await life.#served?.close();
      life.#duck?.close();
      await rm(dataDir, { recursive: true, force: true });
    }
  }

  /** Until rows of a large segment are gone and two others stand beside it; those two are one; so much of the large one is gone that it is written anew; and a row is erased of which an older version was gone. */
  async #grow(): Promise<void> {
    const wanted: Wanted = { extras: [], rowForm: null };
    await this.#take(this.#draw.one(MODES), wanted, this.#orders.first());
    for (const rows of [3, 1, 6, 14, 2]) await this.#take('upsert', wanted, this.#orders.replacing(rows, this.#published!));
    await this.#erase(this.#orders.replaced(this.#published!.parts).slice(0, 1));
    this.#cutting = this.#draw.one(CUTTINGS);
  }

  async #step(operation: (typeof OPERATIONS)[number]): Promise<void> {
    switch (operation) {
      case 'upsert': case 'append': case 'replace': return this.#ingest(operation, this.#draw.one([1, 1, 2, 3, 4, 8, 20]));
      case 'export': return this.#export();
      case 'erase': return this.#erase();
      case 'compact': return this.#compact();
      case 'late': return this.#late();
      case 'restart': return this.#restart();
      default: return operation satisfies never;
    }
  }

  #ingest(mode: Mode, rows: number): Promise<void> {
    const wanted = this.#orders.wanted();
    return this.#take(mode, wanted, this.#orders.files(rows, mode === 'replace' ? wanted.extras : this.#model.widened(wanted.extras)));
  }

  async #export(): Promise<void> {
    const wanted = this.#orders.wanted();
    const files = this.#orders.export(this.#model.widened(wanted.extras));
    if (files.length > 0) await this.#take('upsert', wanted, files);
  }

  async #take(mode: Mode, { extras, rowForm }: Wanted, files: readonly (readonly Given[])[]): Promise<void> {
    const inFull = this.#isInFull(extras, rowForm);
    this.#log.push(`${mode} of ${files.map(({ length }) => length).join(' and ')} rows, ${told({ extras, rowForm })}`);
    const paths: string[] = [];
    for (const [at, records] of files.entries()) {
      const format = this.#draw.one(['csv', 'ndjson'] as const);
      const path = join(this.#dataDir, `${at}.${format}`);
      await writeFile(path, written(records, format));
      paths.push(path);
    }
    const order = ingestOrder(this.#dataDir, SOURCE, paths, { dataset: this.#model.dataset, mode, extras, rowForm, keeping: this.#keeping, cutting: this.#cutting });
    const expected = this.#model.ingest(files.flat(), mode, extras, inFull);
    if (expected === null) {
      await assert.rejects(ingestFiles(order), (error) => error instanceof IngestError && /no row could be used/.test(error.message));
      return this.#check(null);
    }
    const summary = await ingestFiles(order);
    const { publishes } = expected;
    assert.deepEqual({ ...toldBy(summary), publishes: summary.published }, { ...expected.told, publishes });
    if (publishes) this.#rowForm = rowForm ?? this.#rowForm;
    else this.#met.nothingNew += 1;
    await this.#check(summary.snapshot, publishes, mode === 'upsert' && !inFull);
  }

  async #erase(lines = this.#orders.idsToErase(this.#published!.parts)): Promise<void> {
    const { extras, rowForm } = this.#orders.wanted();
    this.#log.push(`erase ${JSON.stringify(lines)}, ${told({ extras, rowForm })}`);
    const path = join(this.#dataDir, 'ids.txt');
    await writeFile(path, lines.map((line) => `${line}\n`).join(''));
    const expected = this.#model.erase(lines);
    const { snapshot, ...erasure } = await eraseRows(this.#rewriteOrder(extras, rowForm), path);
    assert.deepEqual(erasure, expected);
    const publishes = expected.erased > 0;
    const before = this.#published!;
    if (publishes) this.#becomes(extras, rowForm);
    await this.#check(snapshot, publishes);
    this.#met.erased(before, this.#published!);
  }

  async #compact(): Promise<void> {
    const { extras, rowForm } = this.#orders.wanted();
    this.#log.push(`compact, ${told({ extras, rowForm })}`);
    const segments = this.#published!.parts.length;
    const { rows, segmentsBefore, snapshot } = await compactSource(this.#rewriteOrder(extras, rowForm));
    assert.deepEqual([rows, segmentsBefore], [this.#model.rows.size, segments]);
    this.#becomes(extras, rowForm);
    await this.#check(snapshot);
    assert.ok(this.#published!.parts.every(({ entry }) => entry.gone === undefined));
  }

  /** Behind the time of all cursors. */
  async #late(): Promise<void> {
    this.#log.push('a late sweep');
    this.#clock.shiftMs += LIMITS.snapshotRetainMs;
    const served = await this.#open();
    await served.reload();
    const lock = await awaitLock(this.#dir);
    await sweep(this.#dir, lock, this.#clock.unixMs()).finally(() => lock.release());
    await assertSwept(this.#dir);
    const current = this.#published!.manifest.snapshot;
    for (const { query, snapshot } of this.#held) if (snapshot !== current) assert.ok(await served.isStale(query), 'a cursor of a snapshot that is gone');
    this.#held = this.#held.filter(({ snapshot }) => snapshot === current);
    await this.#restart();
  }

  /** The service ends and begins again, by the clock on the wall. */
  async #restart(): Promise<void> {
    this.#log.push('restart');
    this.#met.restarts += 1;
    await this.#served?.close();
    this.#served = null;
    this.#clock = new MovedClock();
    const served = await this.#open();
    await compareSearches(served, this.#model.dataset, this.#snapshot(), this.#draw, 1);
    await this.#resume(this.#held.length);
  }

  async #open(): Promise<Served> {
    return (this.#served ??= await Served.open(this.#dataDir, this.#clock, this.#draw.chance(0.5)));
  }

  #isInFull(extras: readonly ExtraField[], rowForm: RowStorage | null): boolean {
    return (rowForm !== null && rowForm !== this.#rowForm) || !isDeepStrictEqual(this.#model.widened(extras), this.#model.extras);
  }

  #becomes(extras: readonly ExtraField[], rowForm: RowStorage | null): void {
    this.#model.extras = this.#model.widened(extras);
    this.#rowForm = rowForm ?? this.#rowForm;
  }

  #rewriteOrder(extras: readonly ExtraField[], rowForm: RowStorage | null): RewriteOrder {
    const { signal, stage } = ingestOrder(this.#dataDir, SOURCE, []);
    return { dataDir: this.#dataDir, source: SOURCE, extras: { contacts: extras, companies: extras }, rowForm, signal, stage, keeping: this.#keeping, cutting: this.#cutting };
  }

  /** All that is to hold behind an operation that published a snapshot of that number, or left what was there. */
  async #check(snapshot: number | null, publishes = true, isUpsert = false): Promise<void> {
    if (!this.#model.exists) return;
    const before = this.#published;
    const published = await readPublished(this.#dir);
    const { manifest, parts } = published;
    if (snapshot !== null) assert.equal(manifest.snapshot, snapshot);
    assert.equal(manifest.snapshot, (before?.manifest.snapshot ?? 0) + (snapshot !== null && publishes ? 1 : 0));
    assert.deepEqual([manifest.extras, manifest.rowForm], [this.#model.extras, this.#rowForm]);
    assert.deepEqual(parts.flatMap(({ living }) => living).sort(), this.#model.lines().sort(), 'the rows that live');
    assertTold(published);
    assert.ok(parts.every(({ all, living }) => living.length > 0 && all.length - living.length <= this.#keeping.goneShareMax * all.length), 'no more than a share of a segment is gone');
    if (this.#model.banned.size > 0) await assertErased(await this.#engine(), this.#dir, published, this.#model.banned);
    this.#published = published;
    this.#met.published(published);
    if (before !== null && isUpsert) this.#met.upserted(before, published, this.#keeping);
    await this.#search();
  }

  async #engine(): Promise<Duck> {
    return (this.#duck ??= await Duck.open(this.#dataDir, { folders: [segmentsDir(this.#dir)], files: [] }, new AbortController().signal));
  }

  async #search(): Promise<void> {
    const served = await this.#open();
    await served.reload();
    this.#compareSource(served);
    this.#held.push(...await compareSearches(served, this.#model.dataset, this.#snapshot(), this.#draw, this.#searches));
    this.#held = this.#held.filter((_, at) => at % 2 === 0 || this.#held.length < HELD_MAX);
    await this.#resume(2);
  }

  /** What callers are told of the source. */
  #compareSource(served: Served): void {
    const { rows: told, countries, updatedAt, fill } = served.source(this.#model.dataset);
    const rows = [...this.#model.rows.values()];
    assert.deepEqual({ told, countries, updatedAt }, { told: rows.length, countries: countriesOf(rows), updatedAt: newestOf(rows) });
    for (const [field, share] of Object.entries(fill)) assert.equal(share, shareOf(filledIn(rows, field), rows.length), field);
  }

  async #resume(count: number): Promise<void> {
    for (let nth = 0; nth < count && this.#held.length > 0; nth += 1) {
      const held = this.#draw.one(this.#held);
      if (held.snapshot !== this.#published!.manifest.snapshot) this.#met.resumed += 1;
      await compareHeld(this.#served!, held).catch((error: unknown) => {
        throw new Error(`snapshot ${held.snapshot} of ${this.#published!.manifest.snapshot}: ${(error as Error).message}`, { cause: error });
      });
    }
  }

  #snapshot(): { readonly number: number; readonly parts: readonly (readonly string[])[] } {
    return { number: this.#published!.manifest.snapshot, parts: this.#published!.parts.map(({ living }) => living) };
  }
}

function told({ extras, rowForm }: Wanted): string {
  return `extras [${extras.map(({ name }) => name).join()}], rows ${rowForm ?? 'as they were'}`;
}

function toldBy({ added, replaced, kept, removed, rows, read, repeats, unkeyed, rejected }: IngestSummary): Told {
  return { added, replaced, kept, removed, rows, read, repeats, unkeyed, refused: Object.values(rejected).reduce((sum, count) => sum + count, 0) };
}
