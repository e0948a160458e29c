/** A piece of SQL. Nothing that a caller sent stands in it but through `Bind`. */
export type Sql = string;

/** Where a caller's values go: each gives the SQL that stands for it. Texts that the engine cannot hold must not come here. */
export interface Bind {
  text(value: string): Sql;
  number(value: number): Sql;
  /** Whether `text`, compared byte by byte, is one of these. */
  isIn(text: Sql, values: readonly string[]): Sql;
}

type Sieving = {
  /** Whether a text holds another byte for byte. */
  holds(text: Sql, part: string, bind: Bind): Sql;
  /** Whether folding may make more letters or digits of ASCII of a text than it has, or put those next to each other that are not. */
  mayFoldToAscii(text: Sql): Sql;
  /** Whether conditions of one stored column are told where rows are read, before anything else of them is. */
  readonly isPushed: boolean;
};

/** How an engine says what a search needs. Conditions may be null where their text is. */
export interface Dialect {
  readonly yes: Sql;
  readonly no: Sql;
  /** Whether a text of the engine may hold a NUL: none comes to `Bind` where it may not. */
  readonly holdsNul: boolean;
  /** False counts as false, and so does null. */
  not(condition: Sql): Sql;
  isNull(value: Sql): Sql;
  /** Whether a text is ASCII alone. */
  isPlain(text: Sql): Sql;
  /** ASCII letters in lower case, the rest as it stands. */
  lower(text: Sql): Sql;
  /** Equal to `fold(text.trim()).trim()` where the result is plain; else anything that is not plain. */
  folded(text: Sql): Sql;
  /** The trimmed text behind the last `@`; null, or empty, where there is none. */
  domain(email: Sql): Sql;
  /** How stored texts are looked at before values are made of them; null where they are not. */
  readonly sieving: Sieving | null;
  /** Whether fields are searched one by one: what tells most of them apart at once spares the rest. */
  readonly searchesApart: boolean;
  /** Texts and lists of texts, folded and in one, `GAP` between each; nulls left out. */
  searched(texts: readonly Sql[], lists: readonly Sql[]): Sql;
  /** `isPlain` of what is `searched`. */
  isPlainSearched(text: Sql): Sql;
  /** Whether a text matches a regular expression of letters, digits, classes and groups. */
  finds(text: Sql, pattern: string, bind: Bind): Sql;
  /** A pattern of what the engine's folding may have left that folding makes letters or digits of ASCII of; null where it has texts that no pattern can match. */
  readonly odd: string | null;
  /** A moment, to be compared with a time column as it is stored. */
  moment(unixMs: number, bind: Bind): Sql;
}

/** Stands between texts that are searched as one: no word goes across it. */
export const GAP = '\u0001';

/** Years 1 to 9999: a time outside of them is none that a row could show. */
export const MOMENT_MS_MIN = Date.UTC(2001, 0, 1) - 63_113_904_000_000;
export const MOMENT_MS_END = Date.UTC(10_000, 0, 1);
