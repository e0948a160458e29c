import { LIMITS } from '../config/limits.ts';
import type { ForeignConfig } from './source.ts';

export type Connecting = { readonly url: string; readonly connectMs: number; readonly connections: number };

export function connectingOf({ url, connect_timeout_ms: connectMs, concurrency }: Exclude<ForeignConfig, { readonly kind: 'parquet' }>): Connecting {
  return {
    url,
    connectMs: connectMs ?? LIMITS.connectMsDefault,
    // Each scan may count beside its rows.
    connections: 2 * (concurrency ?? LIMITS.sourceConcurrencyDefault),
  };
}
