import { LIMITS } from '../config/limits.ts';
import { literal } from './duckdb.ts';
import { BLANKS } from './normalise/text.ts';

/** `tidy` of `normalise/text` for whole columns, and the first value of a list where one text is wanted. Ordinary cells cost one look each. */
const UNTIDY = "'[\\p{Cc}\\x{a0}\\x{ad}\\x{1680}\\x{2000}-\\x{200b}\\x{200e}\\x{200f}\\x{2028}-\\x{202f}\\x{205f}\\x{2060}\\x{3000}\\x{feff}\\x{fffe}\\x{ffff}]| {2,}'";
const INVISIBLE = "'[\\p{Cc}\\x{ad}\\x{200b}\\x{200e}\\x{200f}\\x{2028}-\\x{202e}\\x{2060}\\x{feff}\\x{fffe}\\x{ffff}]'";
const SPACES = "'[\\s\\x{0b}\\x{feff}\\p{Z}]+'";

export const TIDY_MACROS: readonly string[] = [
  `CREATE MACRO spaced(x) AS trim(CASE WHEN regexp_matches(x, ${UNTIDY}) THEN regexp_replace(regexp_replace(regexp_replace(x, ${SPACES}, ' ', 'g'), ${INVISIBLE}, '', 'g'), ' {2,}', ' ', 'g') ELSE x END)`,
  `CREATE MACRO spoken(x) AS CASE WHEN x IN (${BLANKS.map(literal).join(', ')}) THEN NULL ELSE nfc_normalize(x) END`,
  'CREATE MACRO tidy(x) AS spoken(spaced(x))',
  `CREATE MACRO first_of(x) AS CASE WHEN starts_with(x, '[') AND json_valid(x) THEN list_extract(list_filter(from_json(x, '["VARCHAR"]'), lambda item: tidy(item) IS NOT NULL), 1) ELSE x END`,
  `CREATE MACRO cut(x, most) AS CASE WHEN strlen(x) > most THEN rtrim(x[:most]) ELSE x END`,
];

/** What one text of a field is made of. */
export function cellSql(sql: string, kind: 'text' | 'list'): string {
  return kind === 'list' ? `tidy(${sql})` : `tidy(first_of(${sql}))`;
}

export const LONG_TEXTS: ReadonlySet<string> = new Set(['description']);

export function charactersMax(field: string): number {
  return LONG_TEXTS.has(field) ? LIMITS.longTextCharactersMax : LIMITS.textCharactersMax;
}
