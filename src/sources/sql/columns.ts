import type { Vocabulary } from '../../model/vocabulary.ts';
import type { Bind, Dialect, Sql } from './dialect.ts';

/** The fields of a table that have a column, as the rows show them: texts, whole numbers, lists; times also as they are stored. */
export type Columns = {
  readonly vocabulary: Vocabulary;
  has(field: string): boolean;
  /** The value as the row has it. */
  value(field: string): Sql;
  /** The time as it is stored, to be compared with `Dialect.moment`; null where the column holds texts. */
  time(field: string): Sql | null;
  /** A column that holds what this filter compares, as it compares it; null where there is none. */
  compared(filter: string): Sql | null;
  /** The source's own key as it is stored, where that is a whole number: its index finds rows by their ids. `whole`: every row has one. */
  readonly numberKey?: NumberKey | null;
};

export type NumberKey = { readonly stored: Sql; readonly min: bigint; readonly max: bigint; readonly whole: boolean };

export type Reading = { readonly source: string; readonly dialect: Dialect; readonly columns: Columns; readonly bind: Bind };
