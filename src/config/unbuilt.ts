import type { SettingName, SettingValues } from './schema.ts';
import type { SourceKind } from './sources.ts';

/** What the contract names and this version cannot do: refused by name, never ignored. */
const KINDS: ReadonlySet<SourceKind> = new Set(['parquet']);
const SETTINGS: ReadonlySet<SettingName> = new Set(['redis_url']);

export function unbuiltKind(kind: SourceKind): boolean {
  return KINDS.has(kind);
}

/** A setting that is switched off asks for nothing. */
export function unbuiltSetting<K extends SettingName>(name: K, value: SettingValues[K]): boolean {
  return SETTINGS.has(name) && value !== false;
}
