import type { Sql } from './dialect.ts';

/** A stretch of the order: the rows that belong to it, what they are ordered by, and the type to which a key's text is turned back. */
export type Phase = { readonly where: Sql; readonly by: Sql; readonly type: string; readonly keyClass: number };

/** What of a phase is read: from a key on (that key included), so many rows. */
export type Stretch = { readonly phase: Phase; readonly fromKey: string | null; readonly rowsMax: number | null };
