import { createHash } from 'node:crypto';
import type { Description, Figures, ForeignSettings } from '../sources/source.ts';
import type { CatalogSource } from './catalog.ts';

/** What calls see of a source. `failing`: it is there, and serves none of them. `silent`: down, since no answers come in time. */
export type Condition = 'well' | 'failing' | 'silent' | 'down';

/** A foreign source as a plan sees it. What was last heard of it stands; where nothing ever was, it is not said to lack anything. */
export function foreignSource({ config, vocabulary }: ForeignSettings, description: Description | null, figures: Figures | null, condition: Condition): CatalogSource {
  const trouble = troubleOf(condition, description);
  return {
    name: config.name,
    dataset: config.dataset,
    kind: config.kind,
    status: condition === 'down' || condition === 'silent' ? 'down' : trouble === null ? 'ok' : 'degraded',
    trouble,
    snapshot: snapshotOf(config),
    readers: null,
    segments: [],
    rows: figures?.rows ?? null,
    updatedAt: figures?.updatedAt ?? null,
    fill: figures?.fill ?? {},
    countries: figures?.countries ?? {},
    filters: description?.filters ?? Object.fromEntries(vocabulary.filters.map(({ name }) => [name, 'residual' as const])),
    fields: description?.fields ?? [],
    rowFields: vocabulary.fields.map(({ name }) => name),
  };
}

function troubleOf(condition: Condition, description: Description | null): string | null {
  if (condition === 'down') return 'unreachable';
  if (condition === 'silent') return 'no answer in time';
  const troubles = [description?.trouble ?? null, condition === 'failing' ? 'its last searches failed' : null];
  return troubles.filter((trouble) => trouble !== null).join('; ') || null;
}

/** Foreign data is read as it is now: here a cursor goes stale only when the operator points the source elsewhere. Where its table has another order by now whoever reads it says so. */
function snapshotOf(config: ForeignSettings['config']): string {
  const place = 'table' in config ? config.table : 'path' in config ? config.path : config.url;
  return createHash('sha256').update(JSON.stringify([config.kind, place, Object.entries(config.columns).sort()])).digest('base64url').slice(0, 6);
}
