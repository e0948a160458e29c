import type { LakesState } from '../sources/lake/lakes.ts';
import type { Catalog, CatalogSource } from './catalog.ts';
import { catalogOf, type LakeSettings } from './lake_sources.ts';
import { sourceNews, type SourceNews } from './source_news.ts';

/** The catalog of this moment: made anew, as a whole, when the lakes or the other sources are told to have changed. */
export class LiveCatalog {
  readonly #settings: LakeSettings;
  readonly #onNews: (news: readonly SourceNews[]) => void;
  #lakes: LakesState = { lakes: [], retained: [], held: [], restoring: [] };
  #foreign: readonly CatalogSource[] = [];
  #failing: ReadonlySet<string> = new Set();
  /** As of the last news; null before the first. */
  #told: readonly CatalogSource[] | null = null;
  #current: Catalog;

  constructor(settings: LakeSettings, onNews: (news: readonly SourceNews[]) => void) {
    this.#settings = settings;
    this.#onNews = onNews;
    this.#current = catalogOf(this.#lakes, this.#foreign, this.#failing, settings, null);
  }

  get current(): Catalog { return this.#current; }
  get lakes(): LakesState { return this.#lakes; }
  /** False as long as the lakes are loaded, and the other sources asked, for the first time. */
  get looked(): boolean { return this.#told !== null; }

  takeLakes(lakes: LakesState): void {
    this.#lakes = lakes;
    this.#renew();
  }

  takeForeign(foreign: readonly CatalogSource[]): void {
    this.#foreign = foreign;
    this.#renew();
  }

  /** Lakes of which scans fail, by their keys. */
  takeFailing(failing: ReadonlySet<string>): void {
    this.#failing = failing;
    this.#renew();
  }

  /** Tells how the sources are, and from then on whatever changes: not before they were looked at. */
  tellNews(): void {
    const before = this.#told ?? [];
    this.#told = this.#current.sources;
    this.#onNews(sourceNews(before, this.#told));
  }

  #renew(): void {
    this.#current = catalogOf(this.#lakes, this.#foreign, this.#failing, this.#settings, this.#current);
    if (this.#told !== null) this.tellNews();
  }
}
