import type { SourceKind } from '../config/sources.ts';
import type { Dataset } from '../model/dataset.ts';
import type { Vocabulary } from '../model/vocabulary.ts';
import type { Readers } from '../sources/lake/readers.ts';
import type { FilterSupport } from '../sources/source.ts';

/** A sealed part of a source: what one scan reads. `mount` is the id under which the scan threads know it. */
export type CatalogSegment = {
  readonly id: string;
  readonly mount: string;
  readonly rows: number;
  /** Those of its rows that have one, with how many. */
  readonly countries: Readonly<Record<string, number>>;
  readonly rowBytes: Uint8Array | null;
  /** What compact rows are spelled with; none where they are text. */
  readonly stencils: Uint8Array | null;
};

/** A source as a plan sees it: what it holds, what it can, how it is. Plain data, replaced whole when anything changes. */
export type CatalogSource = {
  readonly name: string;
  readonly dataset: Dataset;
  readonly kind: SourceKind;
  readonly status: 'ok' | 'degraded' | 'down';
  /** Why it is not ok, in words that may leave the house. */
  readonly trouble: string | null;
  readonly snapshot: string;
  /** Of a lake: where the calls that read this snapshot are counted. */
  readonly readers: Readers | null;
  /** Of a lake; any other source is read as a whole. */
  readonly segments: readonly CatalogSegment[];
  readonly rows: number | null;
  readonly updatedAt: string | null;
  readonly fill: Readonly<Record<string, number>>;
  readonly countries: Readonly<Record<string, number>>;
  readonly filters: Readonly<Record<string, FilterSupport>>;
  readonly fields: readonly string[];
  /** Every field its stored rows have, in their order: another list than the vocabulary's where extra columns were declared since. */
  readonly rowFields: readonly string[];
};

/**
 * All sources in the order of their precedence: those of the configuration first, then the other lakes by name.
 * `retained` are replaced snapshots that cursors may still read, keyed by `DATASET/SOURCE@SNAPSHOT`; of those that are `restoring`, as `DATASET/SOURCE`,
 * not all of them are loaded yet.
 */
export type Catalog = {
  readonly version: number;
  /** True while the demonstration is all there is. */
  readonly demo: boolean;
  readonly vocabularies: Readonly<Record<Dataset, Vocabulary>>;
  readonly sources: readonly CatalogSource[];
  readonly retained: ReadonlyMap<string, CatalogSource>;
  readonly restoring: ReadonlySet<string>;
};

export function lakeKey(dataset: Dataset, source: string): string {
  return `${dataset}/${source}`;
}

export function retainedKey(dataset: Dataset, source: string, snapshot: string): string {
  return `${dataset}/${source}@${snapshot}`;
}
