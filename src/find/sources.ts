import type { Dataset } from '../model/dataset.ts';
import type { Catalog, CatalogSource } from '../plan/catalog.ts';
import type { FilterSupport } from '../sources/source.ts';

type SourceView = Omit<CatalogSource, 'segments' | 'readers' | 'snapshot'>;

/** The catalog, as far as the edge of the house may look into it. */
export type CatalogView = Pick<Catalog, 'version' | 'vocabularies'> & { readonly sources: readonly SourceView[]; readonly retained: ReadonlyMap<string, SourceView> };

/** One source as `GET /v1/sources` tells of it. */
type SourceDescription = {
  readonly name: string;
  readonly type: Dataset;
  readonly rows: number | null;
  readonly updated_at: string | null;
  readonly status: CatalogSource['status'];
  readonly filters: Readonly<Record<string, FilterSupport>>;
  readonly fields: readonly string[];
  readonly fill: Readonly<Record<string, number>>;
  readonly countries: Readonly<Record<string, number>>;
};

export type SourcesDescription = { readonly sources: readonly SourceDescription[]; readonly totals: Readonly<Record<Dataset, number>> };

/** The sources as calls see them now. Totals count what can be counted, duplicates across sources included. */
export function describeSources({ sources }: Pick<CatalogView, 'sources'>): SourcesDescription {
  const total = (dataset: Dataset): number => sources.filter((source) => source.dataset === dataset).reduce((sum, { rows }) => sum + (rows ?? 0), 0);
  return {
    sources: sources.map(({ name, dataset, rows, updatedAt, status, filters, fields, fill, countries }) =>
      ({ name, type: dataset, rows, updated_at: updatedAt, status, filters, fields, fill, countries })),
    totals: { contacts: total('contacts'), companies: total('companies') },
  };
}

type SourceHealth = { readonly name: string; readonly status: CatalogSource['status']; readonly detail: string };

const BY_WORST: readonly CatalogSource['status'][] = ['down', 'degraded', 'ok'];

/** One a name: of contacts and companies that share it, those that are worse off. Before they were `looked` at nobody knows what ails one. */
export function healthOfSources({ sources }: Pick<Catalog, 'sources'>, looked: boolean): SourceHealth[] {
  const byName = new Map<string, SourceHealth>();
  for (const { name, status, trouble, rows } of sources) {
    const other = byName.get(name);
    if (other !== undefined && BY_WORST.indexOf(other.status) <= BY_WORST.indexOf(status)) continue;
    byName.set(name, { name, status, detail: (looked || trouble === null ? trouble : 'not loaded yet') ?? `${rows ?? 'uncounted'} rows` });
  }
  return [...byName.values()];
}
