/**
 * Names that statements give: the server takes what is called so for a column of that name, wherever either is mentioned. So no column that is read may
 * have one, and all begin as few columns do. The fields themselves are in `columns.ts`.
 */

/** Members that follow the row's own in a line: see `rows.ts`. */
export const SURE = '@sure';
export const AT = '@at';

/** Beside the latter in a line of a place: the key as it is stored. */
export const KEY = '@held';

/** Members of a count. */
export const COUNTED = '@rows';
export const UNSURE = '@unsure';
export const VALUE = '@value';

/** Members of the figures. */
export const CODE = '@code';
export const LATEST = '@latest';
export const HAVING = '@count of ';

/** The source's own key, as text and as it is stored: see `columns.ts`. */
export const KEY_TEXT = '@key';
export const KEY_STORED = '@native';

/** What stands before the name of a field, and of its time in milliseconds. */
export const FIELD = 'f:';
export const TIME = 't:';

const WHOLE: ReadonlySet<string> = new Set([SURE, AT, KEY, COUNTED, UNSURE, VALUE, CODE, LATEST, KEY_TEXT, KEY_STORED]);

export function isOwnName(column: string): boolean {
  return WHOLE.has(column) || [FIELD, TIME, HAVING].some((begin) => column.startsWith(begin));
}
