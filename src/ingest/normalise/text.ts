const INVISIBLE = /[\p{Cc}\p{Cs}\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufffe\uffff]/gu;
const SPACES = /[\s\p{Z}]+/gu;

/** What Windows has in place of the control characters 0x80 to 0x9f, five of which stay. */
export const WINDOWS_LETTERS = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';
export const CONTROLS = String.fromCharCode(...Array.from(WINDOWS_LETTERS, (_, at) => 0x80 + at));

export function windowsLetters(text: string): string {
  return text.replace(/[\x80-\x9f]/g, (letter) => WINDOWS_LETTERS[letter.charCodeAt(0) - 0x80]!);
}

/** What spreadsheets show where a formula has no value, in English, German, French, Spanish, Italian and Portuguese. */
const ERRORS = [
  '#N/A', '#REF!', '#VALUE!', '#NAME?', '#DIV/0!', '#NUM!', '#NULL!', '#ERROR!', '#NV', '#BEZUG!', '#WERT!', '#ZAHL!', '#VALEUR!', '#NOM?', '#NOMBRE!',
  '#N/D', '#¡REF!', '#¡VALOR!', '#¿NOMBRE?', '#¡DIV/0!', '#RIF!', '#VALORE!', '#NOME?', '#VALOR!',
];

/** What people and programs write for "nothing". `NA` is not here: it is Namibia, and a name. */
export const BLANKS: readonly string[] = [
  '', '-', '--', '---', '–', '—', '.', '?', 'NULL', 'null', '(null)', '(blank)', 'N/A', 'n/a', 'N.A.', 'n.a.', 'k.A.', 'k. A.', '\\N', 'None', 'none', 'NaN', 'nan', 'NaT', '<NA>', 'undefined', '[]', '{}',
  '[not provided]', '[Not Provided]', '(not set)', '(unknown)', '(Leer)', '(leer)', '(vide)', '(en blanco)',
  ...ERRORS,
];
const BLANK = new Set(BLANKS);

/** How programs keep a spreadsheet from making a number of `="00123"`, and a formula of `'+49 30 1`. */
export const GUARDED = '^(?:="([^"]*)"|\'([=+@\\-\uff1d\uff0b\uff20\uff0d].*))$';
const UNGUARDED = new RegExp(GUARDED, 's');

/** A cell as text: without what guards it from a spreadsheet, letters of Windows that somebody took for Latin-1 mended, control and invisible characters out, runs of blanks to one, outer blanks off, composed; null where nothing is said. */
export function tidy(cell: string): string | null {
  const text = windowsLetters(cell.replace(UNGUARDED, '$1$2')).replace(SPACES, ' ').replace(INVISIBLE, '').replace(/ {2,}/g, ' ').trim().normalize('NFC');
  return BLANK.has(text) ? null : text;
}

/** Which member of a record in a list says what the others tell more of, first come first: of addresses, numbers, pages and names. */
export const SAYING = ['value', 'address', 'email', 'number', 'phone', 'sanitized_number', 'url', 'name', 'displayName'] as const;

function saidIn(item: unknown): unknown {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
  const members = new Map(Object.entries(item));
  return SAYING.map((member) => members.get(member)).find((value) => value !== undefined && value !== null);
}

/** The scalars of a cell that holds a JSON list, as texts; null where it holds none. */
export function listIn(cell: string): string[] | null {
  try {
    const value: unknown = JSON.parse(cell);
    return Array.isArray(value) ? value.map(saidIn).filter((item) => typeof item === 'string' || typeof item === 'number').map(String) : null;
  } catch {
    return null;
  }
}

/** At most so many characters, never half of a pair. */
export function cut(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  const end = /[\ud800-\udbff]/.test(text[charactersMax - 1]!) ? charactersMax - 1 : charactersMax;
  return text.slice(0, end).trimEnd();
}
