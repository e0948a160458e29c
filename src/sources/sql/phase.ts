import { createHash } from 'node:crypto';
import { OWN_IDENTITY } from '../../model/chunk.ts';
import type { FoundRow } from '../source.ts';
import type { Sql } from './dialect.ts';

/** A stretch of the order: the rows that belong to it, what they are ordered by, and the type to which a key's text is turned back. */
export type Phase = { readonly where: Sql; readonly by: Sql; readonly type: string; readonly keyClass: number };

/** What of a phase is read: from a key on (that key included), so many rows. */
export type Stretch = { readonly phase: Phase; readonly fromKey: string | null; readonly rowsMax: number | null };
/** `rowsMin`: so many are read however large they are. */
export type PageStretch = Stretch & { readonly rowsMin: number; readonly rowsMax: number };

/** `isLast`: the stretch has no row behind these. */
export type Page = { readonly rows: readonly FoundRow[]; readonly isLast: boolean };

/** Of the numbers of one order; no order has as many phases. */
const NUMBERS = 8;

/**
 * The number by which places name the first of these phases; those of the others follow it. It tells the order from any other that the table had or will have, as when a
 * column comes, goes or changes its type: a place in one is none in another. `hashed`: the fields of which ids are made, where they are.
 */
export function firstNumber(phases: readonly Phase[], hashed: readonly string[]): number {
  const isById = phases.some(({ type, keyClass }) => type === 'text' && keyClass === OWN_IDENTITY);
  const order = [phases.map(({ by, type, keyClass }) => [by, type, keyClass]), isById ? hashed : []];
  return createHash('sha256').update(JSON.stringify(order)).digest().readUInt32BE() * NUMBERS;
}
