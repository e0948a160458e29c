import type { SuppressionKind, SuppressionTerm } from '../model/suppression/term.ts';

/** `revision` is the place of its latest change among all changes. */
export type Suppression = SuppressionTerm & { readonly createdMs: number; readonly revision: number };

/** `present`: it stands since then; else it was removed. */
export type SuppressionChange = Pick<SuppressionTerm, 'kind' | 'digest'> & { readonly value: string | null; readonly revision: number; readonly present: boolean };

/** Part of a list by revision. */
export type SuppressionPage = { readonly afterRevision: number; readonly rowsMax: number };

/** The part of the store that holds what must not be seen. The promises of `Store` hold here too; lists go by revision. */
export interface SuppressionStore {
  /** All or none; what stands already is left as it is. Gives how many terms changed. */
  addSuppressions(terms: readonly SuppressionTerm[], nowMs: number): Promise<number>;
  /** Likewise; what does not stand is nothing to remove. */
  removeSuppressions(terms: readonly SuppressionTerm[]): Promise<number>;
  /** Those that stand, of one kind or of all. */
  suppressions(kind: SuppressionKind | null, page: SuppressionPage): Promise<Suppression[]>;
  /** Every term's latest change that came after a revision, by whichever process: the first are due first. */
  suppressionChanges(afterRevision: number, rowsMax: number): Promise<SuppressionChange[]>;
  /** How many stand. Reads them all. */
  suppressionCounts(): Promise<Record<SuppressionKind, number>>;
}
