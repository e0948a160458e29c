import { openClickhouse } from './clickhouse/open.ts';
import { openHttp } from './http/open.ts';
import { openPostgres } from './postgres/open.ts';
import { SourceFailure, type ForeignSettings, type ForeignSource } from './source.ts';

/** The one switch over the kinds of source. Opening connects to nothing. */
export function openSource(settings: ForeignSettings): ForeignSource {
  const { config } = settings;
  switch (config.kind) {
    case 'postgres': return openPostgres({ ...settings, config });
    case 'clickhouse': return openClickhouse({ ...settings, config });
    case 'http': return openHttp({ ...settings, config });
    case 'parquet': throw new SourceFailure('refused', `${config.kind} is not in this version`);
    default: return config satisfies never;
  }
}
