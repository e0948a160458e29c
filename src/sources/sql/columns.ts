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
  /** The text that the value is made of by trimming it alone, where the engine would trim it anew wherever it is called; null where there is none. */
  untrimmed?(field: string): Sql | null;
  /** The text in which words are looked for, blanks around it as they are stored, of a list with `GAP` or more between its items; null where that is no cheaper than the value. */
  searched?(field: string): Sql | null;
  /** Whether a row has no value, told without making it; null where that is no cheaper. */
  absent?(field: string): Sql | null;
  /** The text that the value is made of; null where it is made of another thing. */
  stored?(field: string): Stored | null;
  /** What is a country's code, or `UK`, where the value is one, and nothing that is such a code elsewhere; null where that is no cheaper than the value. */
  code?(field: string): Sql | null;
  /** The source's own key, where its index finds rows by their ids. */
  readonly directKey?: DirectKey | null;
};

/** Where it is ASCII alone a text that is looked for in the value stands in this one, but for the case of its letters, or where it has `escapes` behind a backslash. */
export type Stored = { readonly text: Sql; readonly escapes: boolean };

/** A key as it is stored. `whole`: every row has one. `written`: the key of an id as the statement has it; null for what is none. */
export type DirectKey = { readonly stored: Sql; readonly whole: boolean; readonly written: (key: string) => Sql | null };

/** A key that is a whole number. */
export function writtenNumber(min: bigint, max: bigint): DirectKey['written'] {
  return (key) => (/^(?:0|-?[1-9]\d{0,19})$/.test(key) && BigInt(key) >= min && BigInt(key) <= max ? key : null);
}

export type Reading = { readonly source: string; readonly dialect: Dialect; readonly columns: Columns; readonly bind: Bind };

/** Whether a row has no value of a field. */
export function isAbsent(field: string, columns: Pick<Columns, 'value' | 'absent'>, dialect: Dialect): Sql {
  return columns.absent?.(field) ?? dialect.isNull(columns.value(field));
}
