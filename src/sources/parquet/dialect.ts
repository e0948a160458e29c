import { BLANKS, foldedToAscii, SPELT } from '../sql/blanks.ts';
import { GAP, MOMENT_MS_MIN, type Bind, type Dialect, type Sql } from '../sql/dialect.ts';

/**
 * A text as a literal: nothing but a quote means anything in it. Values stand in the statement, not beside it, so that the engine
 * can leave out files and row groups by them. A NUL, which texts of files may hold, would end the statement.
 */
export function literal(text: string): Sql {
  const parts = text.split('\0').map((part) => `'${part.replaceAll("'", "''")}'`);
  return parts.length === 1 ? parts[0]! : `(${parts.join(' || chr(0) || ')})`;
}

/** A file by its very name: the engine takes signs of a pattern in one for a pattern as soon as another file fits it. */
export function fileLiteral(path: string): Sql {
  return literal(literally(path));
}

/** A path as the pattern that it alone fits. */
function literally(path: string): string {
  return path.replace(/[*?[]/g, '[$&]');
}

/** Values as literals of one statement. */
export const QUOTED: Bind = {
  text: literal,
  number: (value) => (Number.isSafeInteger(value) ? `${value}::BIGINT` : notWhole(value)),
  isIn: (text, values) => `(${text} IN (${values.map(literal).join(', ')}))`,
};

function notWhole(value: number): never {
  throw new Error(`${value} is not a whole number`);
}

const AROUND = literal(`^[${BLANKS}]+|[${BLANKS}]+$`);
const SEEN = literal(`[^${BLANKS}]`);
const LAST_PART = literal(`@[${BLANKS}]*([^@]*?)[${BLANKS}]*$`);
const DELETE = literal('\x7f');
const PLAIN = literal('^[\\x00-\\x7f]*$');
const [UPPER, LOWER] = [literal('ABCDEFGHIJKLMNOPQRSTUVWXYZ'), literal('abcdefghijklmnopqrstuvwxyz')];
const MARKED = literal('[\\x{300}-\\x{36f}]');
const SPELT_OUT = literal(`[${SPELT.map(([letter]) => letter).join('')}]`);
const FOLDED_TO_ASCII = foldedToAscii('\\x00-\\x7f', (sign) => `\\x{${sign}}`);
const LATIN = literal('[\\x00-\\x7f\\p{Latin}]*');

export const DUCKDB: Dialect = {
  yes: 'TRUE',
  no: 'FALSE',
  holdsNul: true,
  not: (condition) => `((${condition}) IS NOT TRUE)`,
  isNull: (value) => `((${value}) IS NULL)`,
  isPlain: (text) => `(strlen(${text}) = length(${text}))`,
  // Of what is beyond ASCII nobody asks it: there the exact test decides.
  lower: (text) => `lower(${text})`,
  folded: (text) => trimmed(folded(text)),
  // Each mention of an address makes it anew: there is one.
  domain: (email) => `regexp_extract(${email}, ${LAST_PART}, 1)`,
  sieving: {
    holds: (text, part, bind) => `contains(${text}, ${bind.text(part)})`,
    mayFoldToAscii: (text) => `regexp_matches(${text}, ${literal(FOLDED_TO_ASCII)})`,
    isPushed: true,
  },
  searchesApart: true,
  searched: (texts, lists) => {
    const folds = [...texts, ...lists.map((list) => `array_to_string(${list}, ${literal(GAP)})`)].map(folded);
    return folds.length === 1 ? folds[0]! : `concat_ws(${literal(GAP)}, ${folds.join(', ')})`;
  },
  // By a function that may fail, as far as the engine knows: one that may not is worked out where the files are read, every text anew wherever it is called.
  isPlainSearched: (text) => `regexp_matches(${text}, ${PLAIN})`,
  finds: (text, pattern, bind) => `regexp_matches(${text}, ${bind.text(pattern)})`,
  odd: FOLDED_TO_ASCII,
  moment: (unixMs) => `TIMESTAMP ${literal(new Date(Math.max(unixMs, MOMENT_MS_MIN)).toISOString().replace(/^\+0/, '').replace('T', ' ').replace('Z', ''))}`,
};

/** The engine's own lower case makes a plain `i` of `İ`, which is another letter, and so another address. */
export function lowered(text: Sql): Sql {
  return `lower(replace(${text}, 'İ', 'i\u0307'))`;
}

/** ASCII letters in lower case, the rest as it stands, as every source has it in the keys of identity: rows of several meet by their bytes. */
export function loweredKey(text: Sql): Sql {
  return `(CASE WHEN strlen(${text}) = length(${text}) THEN lower(${text}) ELSE translate(${text}, ${UPPER}, ${LOWER}) END)`;
}

/** Whether a text begins with a sign of ASCII that can be seen, as its first byte tells. */
export function beginsSeen(text: Sql): Sql {
  return `${text} >= '!' AND ${text} < ${DELETE}`;
}

/** Whether it ends with any other. */
export function endsOdd(text: Sql): Sql {
  return `regexp_matches(${text}, '[^!-~]$')`;
}

/** Whether a text is null or nothing is left of it when it is trimmed. */
export function isBlank(text: Sql): Sql {
  return `(CASE WHEN ${beginsSeen(text)} THEN FALSE ELSE regexp_matches(${text}, ${SEEN}) IS NOT TRUE END)`;
}

/** A function and no CASE: of a column that repeats its values it is then worked out once a value. By the engine's `trim` blanks of so many kinds take 2 us a text, so 0.3. */
export function trimmed(text: Sql): Sql {
  return `regexp_replace(${text}, ${AROUND}, '', 'g')`;
}

/** Letters that are spelt out, in lower case. */
const SPELT_LOW = SPELT.filter(([letter]) => letter === letter.toLowerCase());

/**
 * It makes no new blanks; those beyond ASCII are still there. The engine strips marks of every script and off every sign, not off letters alone: it is asked
 * to only where all that is beyond ASCII are Latin letters, composed. What is then still beyond ASCII is not plain, and left to the exact test; so is any
 * other text. The few that hold a letter which is spelt out are told by a look of an eighth of what replacing them takes.
 */
function folded(text: Sql): Sql {
  const isLatin = `regexp_full_match(${text}, ${LATIN}) OR (regexp_matches(${text}, ${MARKED}) AND regexp_full_match(nfc_normalize(${text}), ${LATIN}))`;
  const bare = `lower(strip_accents(${text}))`;
  const spelt = SPELT_LOW.reduce((sql, [letter, plain]) => `replace(${sql}, ${literal(letter)}, ${literal(plain)})`, bare);
  return `(CASE WHEN strlen(${text}) = length(${text}) OR NOT (${isLatin}) THEN lower(${text}) WHEN regexp_matches(${text}, ${SPELT_OUT}) THEN ${spelt} ELSE ${bare} END)`;
}
