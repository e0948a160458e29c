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
};

export type Reading = { readonly dialect: Dialect; readonly columns: Columns; readonly bind: Bind };
