import type { SourceConfig } from '../config/sources.ts';
import type { Catalog, CatalogSource } from '../plan/catalog.ts';

/** A source with what callers never see of it: where it is, how it is split, and why it is not well. Secrets stay out even here. */
export type InternalSource = Pick<CatalogSource, 'name' | 'kind' | 'status' | 'trouble' | 'snapshot' | 'rows'> & {
  readonly type: CatalogSource['dataset'];
  readonly updated_at: string | null;
  readonly segments: readonly { readonly id: string; readonly rows: number; readonly in_memory: boolean }[];
  /** Of a source that is no lake: what its provider last said was wrong, also where all is well since. */
  readonly last_failure: { readonly at: string; readonly code: string; readonly detail: string } | null;
  /** As configured; null for a lake without an entry. */
  readonly config: Readonly<Record<string, unknown>> | null;
};

export type SourceDesk = {
  list(): InternalSource[];
  /** Looks at the source now, instead of when it is due; null where there is none of that name. */
  reload(name: string): Promise<InternalSource | null>;
};

/** Who looks at sources, and remembers what was wrong with them. */
type SourceWatch = {
  look(source: CatalogSource): Promise<void>;
  lastFailure(name: string): { readonly unixMs: number; readonly code: string; readonly detail: string } | null;
};

export function makeSourceDesk(catalog: () => Catalog, configured: readonly SourceConfig[], watch: SourceWatch): SourceDesk {
  const list = (): InternalSource[] => catalog().sources.map((source) => internal(source, configured.find(({ name }) => name === source.name), watch));
  return {
    list,
    reload: async (name) => {
      const known = catalog().sources.find((source) => source.name === name);
      if (known === undefined) return null;
      await watch.look(known);
      return list().find((source) => source.name === name) ?? null;
    },
  };
}

function internal({ name, dataset, kind, status, trouble, snapshot, segments, rows, updatedAt }: CatalogSource, config: SourceConfig | undefined, watch: SourceWatch): InternalSource {
  const failure = watch.lastFailure(name);
  return {
    name, type: dataset, kind, status, trouble, snapshot, rows, updated_at: updatedAt,
    segments: segments.map(({ id, rows: own, rowBytes }) => ({ id, rows: own, in_memory: rowBytes !== null })),
    last_failure: failure === null ? null : { at: new Date(failure.unixMs).toISOString(), code: failure.code, detail: failure.detail },
    config: config === undefined ? null : withoutSecrets(config),
  };
}

const HIDDEN = '***';

/** Passwords in addresses, their parameters, and the values of headers. */
function withoutSecrets(config: SourceConfig): Record<string, unknown> {
  const shown: Record<string, unknown> = { ...config };
  if ('url' in config) shown['url'] = addressWithoutSecrets(config.url);
  if ('replicas' in config && config.replicas !== undefined) shown['replicas'] = config.replicas.map(addressWithoutSecrets);
  if ('headers' in config) shown['headers'] = Object.fromEntries(Object.keys(config.headers).map((name) => [name, HIDDEN]));
  return shown;
}

function addressWithoutSecrets(address: string): string {
  const url = new URL(address);
  if (url.password !== '') url.password = HIDDEN;
  for (const name of new Set(url.searchParams.keys())) url.searchParams.set(name, HIDDEN);
  return url.href;
}
