import { openClickhouse } from './clickhouse/open.ts';
import { openHttp } from './http/open.ts';
import { openParquet } from './parquet/open.ts';
import { openPostgres } from './postgres/open.ts';
import { openReplicas } from './replicas/open.ts';
import { Tallies } from './replicas/tallies.ts';
import type { ForeignSettings, ForeignSource } from './source.ts';

/** The one switch over the kinds of source. Opening connects to nothing. */
export function openSource(settings: ForeignSettings): ForeignSource {
  const { config } = settings;
  switch (config.kind) {
    case 'postgres': return onEach(settings, config, (one) => openPostgres({ ...settings, config: one }));
    case 'clickhouse': return onEach(settings, config, (one) => openClickhouse({ ...settings, config: one }));
    case 'http': return onEach(settings, config, (one) => openHttp({ ...settings, config: one }));
    case 'parquet': return openParquet({ ...settings, config });
    default: return config satisfies never;
  }
}

/** The source on every server that it is declared on. */
function onEach<C extends { readonly url: string; readonly replicas?: readonly string[] | undefined }>({ tallies }: ForeignSettings, config: C, open: (config: C) => ForeignSource): ForeignSource {
  return openReplicas([config.url, ...config.replicas ?? []].map((url) => open({ ...config, url })), new Tallies(tallies));
}
