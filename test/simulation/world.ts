import { ForeignSources } from '../../src/federation/foreign_sources.ts';
import { Find } from '../../src/find/find.ts';
import { vocabulary } from '../../src/model/vocabulary.ts';
import { vocabulariesOf } from '../../src/plan/lake_sources.ts';
import type { Catalog, CatalogSource } from '../../src/plan/catalog.ts';
import { ScanPool } from '../../src/pool/scan_pool.ts';
import type { ForeignSettings } from '../../src/sources/source.ts';
import type { MemoryLane } from '../support/memory_lanes.ts';
import { ScriptedRunner } from '../support/runners.ts';
import { FlakyThread, flakyLakes, Strokes, type Luck } from './flaky.ts';
import { hold, type Held } from './rows.ts';
import type { VirtualTime } from './virtual_time.ts';

const WORDS = vocabulary('contacts');
const PRETENDED_THREADS = 64;
export const CURSOR_SECRET = Buffer.alloc(32, 7);

/** The search as it is in the service, but for threads and sockets: lakes and foreign sources that go wrong as chance will have it. */
export class World {
  readonly time: VirtualTime;
  readonly chance: () => number;
  readonly luck: Luck;
  readonly strokes = new Strokes();
  readonly held: readonly Held[];
  readonly foreignNames: ReadonlySet<string>;
  readonly find: Find;
  readonly #pool: ScanPool;
  readonly #foreign: ForeignSources;

  private constructor(time: VirtualTime, chance: () => number) {
    this.time = time;
    this.chance = chance;
    this.luck = { chance, faultShare: 0 };
    const lakes = Math.floor(chance() * 3);
    const foreign = Math.max(lakes === 0 ? 1 : 0, Math.floor(chance() * 4));
    this.held = [...names('lake', lakes), ...names('far', foreign)].map((name) => hold(name, name.startsWith('lake'), Math.floor(chance() * 14), chance));
    const pause = (ms: number): Promise<void> => time.pause(ms);
    const lanes = this.held.slice(0, lakes).map(({ name, stored }, priority): MemoryLane => ({ source: name, segment: `${name}.0`, priority, rows: stored }));
    this.#pool = new ScanPool(new ScriptedRunner(PRETENDED_THREADS, flakyLakes(lanes, this.luck, this.strokes, pause)));
    const far = this.held.slice(lakes);
    this.foreignNames = new Set(far.map(({ name }) => name));
    this.#foreign = new ForeignSources(new FlakyThread(far, this.luck, this.strokes, pause), far.map(({ name }) => settingsOf(name)), () => {}, () => {});
    this.find = new Find(this.#pool, this.#foreign, () => this.#catalog(lanes), CURSOR_SECRET);
  }

  static async open(time: VirtualTime, chance: () => number): Promise<World> {
    const world = new World(time, chance);
    await world.#foreign.open();
    return world;
  }

  /** Those that are left out because their breaker is open. */
  down(): ReadonlySet<string> {
    return new Set(this.#foreign.catalogSources().filter(({ status }) => status === 'down').map(({ name }) => name));
  }

  async close(): Promise<void> {
    await this.#foreign.close();
    await this.#pool.close();
  }

  #catalog(lanes: readonly MemoryLane[]): Catalog {
    return {
      version: 1, demo: false, vocabularies: vocabulariesOf({ extras: { contacts: [], companies: [] } }),
      sources: [...lanes.map(lakeSource), ...this.#foreign.catalogSources()], retained: new Map(), restoring: new Set(),
    };
  }
}

function names(kind: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${kind}${i}`);
}

function settingsOf(name: string): ForeignSettings {
  return { config: { name, dataset: 'contacts', kind: 'postgres', url: 'postgres://nowhere', table: 'people', columns: {}, compared: {} }, vocabulary: WORDS };
}

function lakeSource({ source, segment, rows }: MemoryLane): CatalogSource {
  return {
    name: source, dataset: 'contacts', kind: 'lake', status: 'ok', trouble: null, snapshot: '1', readers: null,
    segments: [{ id: segment, mount: segment, rows: rows.length, countries: {}, rowBytes: null, stencils: null }],
    rows: rows.length, updatedAt: null, fill: {}, countries: {}, filters: {}, fields: [], rowFields: WORDS.fields.map(({ name }) => name),
  };
}
