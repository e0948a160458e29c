import type { RowForm } from '../../segment/row_form.ts';

/** How a source stores its rows: each segment in the one form, or balanced, in the one or the other. */
export const ROW_STORAGES = ['balanced', 'text', 'compact'] as const satisfies readonly (RowForm | 'balanced')[];
export type RowStorage = (typeof ROW_STORAGES)[number];

/** What the source has; null for one that is new. */
export function storageOf(manifest: { readonly rowForm?: RowStorage | undefined } | null): RowStorage {
  return manifest === null ? 'balanced' : manifest.rowForm ?? 'text';
}
