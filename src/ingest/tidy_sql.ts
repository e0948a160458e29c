import { LIMITS } from '../config/limits.ts';
import { literal } from './duckdb.ts';
import { BLANKS, CONTROLS, GUARDED, SAYING, WINDOWS_LETTERS } from './normalise/text.ts';

/**
 * Letters that no neighbour of their kind composes with or changes places with: a text of them alone is composed. Of marks only those are here that
 * are no such neighbours, and the signs that take a vowel away, which stay where they stand.
 */
const ARMENIAN = '\\x{531}-\\x{556}\\x{559}-\\x{58a}';
const ARABIC = '\\x{620}-\\x{63f}\\x{641}-\\x{64a}\\x{671}-\\x{6bf}\\x{6c1}\\x{6c3}-\\x{6d2}';
const DEVANAGARI = '\\x{900}-\\x{928}\\x{92a}-\\x{930}\\x{932}\\x{933}\\x{935}-\\x{939}\\x{93d}-\\x{94d}';
const THAI_AND_GEORGIAN = '\\x{e01}-\\x{e37}\\x{e40}-\\x{e47}\\x{10d0}-\\x{10ff}';
/** Of two letters that compose only the first is missing. */
const BENGALI_TAMIL_AND_SINHALA = '\\x{980}-\\x{9bb}\\x{9bd}-\\x{9c6}\\x{9c8}-\\x{9d6}\\x{b82}-\\x{bc5}\\x{bc8}-\\x{bcd}\\x{d81}-\\x{dd8}\\x{dda}\\x{ddd}-\\x{ddf}';
const ETHIOPIC_AND_KHMER = '\\x{1200}-\\x{135a}\\x{1780}-\\x{17b3}\\x{17b6}-\\x{17d3}';
const ORDINARY = ` !-~\\x{c0}-\\x{2ff}\\x{388}-\\x{482}\\x{48a}-\\x{52f}${ARMENIAN}\\x{5d0}-\\x{5ea}${ARABIC}${DEVANAGARI}${THAI_AND_GEORGIAN}${BENGALI_TAMIL_AND_SINHALA}${ETHIOPIC_AND_KHMER}\\x{1ea0}-\\x{1ef9}\\x{3041}-\\x{3096}\\x{30a1}-\\x{30fa}\\x{4e00}-\\x{9fff}\\x{ac00}-\\x{d7a3}`;
const BLANK = BLANKS.filter((blank) => blank !== '').map((blank) => blank.replace(/[\\()[\]{}.?/]/g, '\\$&')).join('|');
const UNUSUAL = `[^${ORDINARY}]|  |^ | $|^\\[|^="|^'[=+@-]|^(?:${BLANK})?$`;
const INVISIBLE = '[\\p{Cc}\\x{ad}\\x{61c}\\x{200b}\\x{200e}\\x{200f}\\x{2028}-\\x{202e}\\x{2060}-\\x{206f}\\x{feff}\\x{fffe}\\x{ffff}]';
/** But for the space itself, of which one is left of several in the end: to find each and put it back took two fifths of the work on a long text. */
const SPACES = '[\\t-\\r\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}]+';

const replaced = (sql: string, pattern: string, by: string): string => `regexp_replace(${sql}, ${literal(pattern)}, '${by}', 'g')`;
const SPACED = `trim(${replaced(replaced(replaced(`translate(regexp_replace(x, ${literal(GUARDED)}, '\\1\\2', 's'), ${literal(CONTROLS)}, ${literal(WINDOWS_LETTERS)})`, SPACES, ' '), INVISIBLE, ''), ' {2,}', ' ')})`;

/**
 * The engine looks at each value of a file's dictionary once, for all rows that have it, but not where a function may fail, as it thinks a search may.
 * Where there is no dictionary a search takes a sixth less.
 */
const SEARCHED = `regexp_matches(x, ${literal(UNUSUAL)})`;
const EXTRACTED = `regexp_extract(x, ${literal(UNUSUAL)}) <> '' OR x = ''`;

/**
 * `tidy` of `normalise/text` for whole columns. One look tells an ordinary cell, which is most of them. What a macro is given is a column: anything
 * else that is named twice the engine lifts out of the CASE and works out for every row.
 */
export const TIDY_MACROS: readonly string[] = [
  // Within a CASE the engine works out twice what is named twice, as by `nullif`, but for what a lambda is given.
  `CREATE MACRO thorough(x) AS list_transform([${replaced(`nfc_normalize(${SPACED})`, `^(?:${BLANK})$`, '')}], lambda text: nullif(text, ''))[1]`,
  `CREATE MACRO tidy(x) AS CASE WHEN ${SEARCHED} THEN thorough(x) ELSE x END`,
  `CREATE MACRO tidy_repeated(x) AS CASE WHEN ${EXTRACTED} THEN thorough(x) ELSE x END`,
  `CREATE MACRO said_in(x) AS CASE WHEN starts_with(x, '{') AND json_valid(x) THEN coalesce(${SAYING.map((member) => `json_extract_string(x, '$.${member}')`).join(', ')}) ELSE x END`,
  `CREATE MACRO items_of(x) AS list_transform(from_json(x, '["VARCHAR"]'), lambda item: said_in(item))`,
  `CREATE MACRO first_of(x) AS CASE WHEN starts_with(x, '[') AND json_valid(x) THEN list_extract(list_filter(items_of(x), lambda item: thorough(item) IS NOT NULL), 1) ELSE x END`,
  `CREATE MACRO tidy_first(x) AS CASE WHEN ${SEARCHED} THEN thorough(first_of(x)) ELSE x END`,
  `CREATE MACRO tidy_first_repeated(x) AS CASE WHEN ${EXTRACTED} THEN thorough(first_of(x)) ELSE x END`,
  // A pair of backslashes is one, and the second of them begins nothing.
  `CREATE MACRO decoded(x) AS CASE WHEN contains(x, '\\') THEN array_to_string(list_transform(string_split(x, '\\\\'), lambda part: replace(regexp_replace(part, '\\\\[bfnrtv0]', ' ', 'g'), '\\''', '''')), '\\') ELSE x END`,
  'CREATE MACRO cut(x, most) AS CASE WHEN strlen(x) > most THEN rtrim(x[:most]) ELSE x END',
];

/** What a field is made of: a cell, or the first value of one that holds a list where one is wanted. `repeated` where the file has a dictionary of its values. */
export function cellSql(sql: string, kind: 'text' | 'list', repeated: boolean): string {
  return `${kind === 'list' ? 'tidy' : 'tidy_first'}${repeated ? '_repeated' : ''}(${sql})`;
}

const LONG_TEXTS: ReadonlySet<string> = new Set(['description']);

/** What is kept of a text that no rule reads. A postal code is a number to programs that know no whole ones, and stands behind a sign in Japan. */
export function boundedSql(field: string, column: string): string {
  const bounded = `cut(${column}, ${LONG_TEXTS.has(field) ? LIMITS.longTextCharactersMax : LIMITS.textCharactersMax})`;
  return field === 'postal_code' ? `CASE WHEN ends_with(${column}, '.0') THEN regexp_replace(${bounded}, '^(\\d+)[.]0$', '\\1') WHEN starts_with(${column}, '〒') THEN ltrim(${bounded}, '〒 ') ELSE ${bounded} END` : bounded;
}
