import type { SourceKind } from './sources.ts';

/** What the contract names and this version cannot do: refused by name, never ignored. */
const KINDS: ReadonlySet<SourceKind> = new Set(['parquet']);

export function unbuiltKind(kind: SourceKind): boolean {
  return KINDS.has(kind);
}
