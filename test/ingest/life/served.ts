import assert from 'node:assert/strict';
import { Find } from '../../../src/find/find.ts';
import type { StreamOutlet } from '../../../src/find/late_outlet.ts';
import { monotonicMs, type Clock } from '../../../src/lib/clock.ts';
import type { Facets } from '../../../src/model/answer.ts';
import type { RowAt } from '../../../src/model/chunk.ts';
import type { Dataset } from '../../../src/model/dataset.ts';
import { AppError } from '../../../src/model/errors.ts';
import type { Query } from '../../../src/model/query.ts';
import type { Catalog, CatalogSource } from '../../../src/plan/catalog.ts';
import { catalogOf, mountsOf } from '../../../src/plan/lake_sources.ts';
import { loadSegments } from '../../../src/pool/loader.ts';
import { ScanPool } from '../../../src/pool/scan_pool.ts';
import { startThreads } from '../../../src/pool/threads.ts';
import { Lakes, type LakesState } from '../../../src/sources/lake/lakes.ts';
import { WIDER } from '../../fuzz/corpus.ts';
import { queryOf } from '../../support/memory_lanes.ts';
import { restored } from '../../support/restored.ts';

/** Columns that no source has are declared, too. */
const SETTINGS = { declared: [], extras: { contacts: WIDER, companies: WIDER } };

export type Answer = { readonly lines: readonly string[]; readonly total: number; readonly facets: Facets | null; readonly cursor: string | null };

/** The lakes of a folder and the search over them, as the service puts them together. */
export class Served {
  readonly #lakes: Lakes;
  readonly #pool = new ScanPool(startThreads(1));
  readonly #find: Find;
  #state: LakesState = { lakes: [], retained: [], held: [], restoring: [] };
  #catalog: Catalog = catalogOf(this.#state, [], new Set(), SETTINGS, null);

  private constructor(dataDir: string, clock: Clock, mapped: boolean) {
    this.#lakes = new Lakes(dataDir, loadSegments, { memoryBytes: mapped ? 0 : 1e9, mapped }, (state) => {
      this.#state = state;
      this.#pool.mount(mountsOf(state, SETTINGS, () => null));
      this.#catalog = catalogOf(state, [], new Set(), SETTINGS, this.#catalog);
    }, (error) => { throw error as Error; }, clock);
    this.#find = new Find(this.#pool, { gateway: 'test', scan: () => assert.fail('lakes alone') }, () => this.#catalog, new Uint8Array(32));
  }

  /** `mapped`: rows stay on the disk. */
  static async open(dataDir: string, clock: Clock, mapped: boolean): Promise<Served> {
    const served = new Served(dataDir, clock, mapped);
    await served.reload();
    await restored(() => served.#state);
    return served;
  }

  async reload(): Promise<void> {
    await this.#lakes.reload();
    for (const { trouble } of this.#state.lakes) assert.equal(trouble, null);
  }

  source(dataset: Dataset): CatalogSource {
    return this.#catalog.sources.find((source) => source.dataset === dataset)!;
  }

  async page(query: Query): Promise<Answer> {
    const { page, nextCursor } = await this.#find.page(query, monotonicMs(), { onGone: () => {} });
    assert.deepEqual([page.errors, page.partial, page.relation], [[], false, 'eq']);
    return { lines: page.rows.map(textOf), total: page.total, facets: page.facets, cursor: nextCursor };
  }

  /** All rows as a stream gives them. */
  async stream(search: Partial<Query>): Promise<string[]> {
    const lines: string[] = [];
    const outlet: StreamOutlet = {
      gone: false,
      chunk: (chunk, count) => { for (let row = 0; row < count; row += 1) lines.push(textOf({ chunk, row })); return Promise.resolve(count); },
      rows: (rows) => { lines.push(...rows.map(textOf)); return Promise.resolve(); },
      sourceEnded: () => Promise.resolve(), cursor: () => Promise.resolve(), afford: (rows) => rows,
    };
    const query = queryOf({ timeoutMs: 30_000, limit: 1_000_000, ...search, delivery: 'stream' });
    const { end } = await this.#find.stream(query, monotonicMs(), { onGone: () => {} }, () => outlet);
    assert.deepEqual([end.errors, end.partial, end.returned], [[], false, lines.length]);
    return lines;
  }

  async isStale(query: Query): Promise<boolean> {
    return this.page(query).then(() => false, (error: unknown) => {
      if (error instanceof AppError && error.code === 'stale_cursor') return true;
      throw error;
    });
  }

  async close(): Promise<void> {
    await this.#lakes.close();
    await this.#pool.close();
  }
}

function textOf({ chunk: { bytes, start, end }, row }: RowAt): string {
  return Buffer.from(bytes.subarray(start[row]!, end[row]!)).toString();
}
