import { GAP, type Bind, type Dialect, type Sql } from '../sql/dialect.ts';

/**
 * A text as a literal. Old servers take no parameters, so every character that could end it or mean something in it is written as what
 * it is. Proven against the servers themselves by the contract suite.
 */
export function literal(text: string): Sql {
  return `'${text.replace(/[\\'\0\b\f\n\r\t]/g, (character) => ESCAPES[character]!)}'`;
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', "'": "\\'", '\0': '\\0', '\b': '\\b', '\f': '\\f', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

export function name(identifier: string): Sql {
  return `\`${identifier.replace(/[\\`]/g, '\\$&')}\``;
}

/** Values as literals of one statement. */
export const QUOTED: Bind = {
  text: literal,
  number: (value) => (Number.isSafeInteger(value) ? String(value) : notWhole(value)),
  isIn: (text, values) => `(${text} IN (${values.map(literal).join(', ')}))`,
};

function notWhole(value: number): never {
  throw new Error(`${value} is not a whole number`);
}

/** `BLANKS` as the engine's regular expressions say it shortest: an old server copies a statement's texts many times while it analyses it. */
export const BLANK_CLASS = '[\\t-\\r\\pZ\\x{feff}]';
const TRIM = literal(`^${BLANK_CLASS}+|${BLANK_CLASS}+$`);
/** Bytes that are no UTF-8 are matched by no class, whichever way it is written: a test must ask for what is there, not for what is not. */
const ASCII_ALONE = literal('^[\\x00-\\x7f]*$');
const UTF8_ALONE = literal('^[^\\x{d800}-\\x{dfff}]+$');

export const CLICKHOUSE: Dialect = {
  yes: '1',
  no: '0',
  holdsNul: true,
  not: (condition) => `ifNull(NOT (${condition}), 1)`,
  isNull: (value) => `isNull(${value})`,
  isPlain,
  lower: (text) => `lower(${text})`,
  folded,
  domain: (email) => `if(position(${email}, '@') > 0, nullIf(${trimmed(`replaceRegexpOne(${email}, '^(?s:.*)@', '')`)}, ''), NULL)`,
  sieving: null,
  searchesApart: false,
  searched: (texts, lists) => {
    const parts = [...texts.map((text) => `ifNull(${text}, '')`), ...lists.map((list) => `arrayStringConcat(${list}, ${literal(GAP)})`)];
    return folded(parts.length === 1 ? parts[0]! : `concat(${parts.flatMap((part) => [part, literal(GAP)]).slice(0, -1).join(', ')})`);
  },
  isPlainSearched: isPlain,
  odd: null,
  finds: (text, pattern, bind) => `match(${text}, ${bind.text(pattern)})`,
  // Times are compared as milliseconds.
  moment: (unixMs, bind) => bind.number(unixMs),
};

/** Whether a text holds anything, and nothing but UTF-8: other bytes would come back changed, and name another place in the order. */
export function isUtf8(text: Sql): Sql {
  return `match(${text}, ${UTF8_ALONE})`;
}

function isPlain(text: Sql): Sql {
  return `match(${text}, ${ASCII_ALONE})`;
}

/** No server takes marks off letters as folding does: texts beyond ASCII are left to the exact test. */
function folded(text: Sql): Sql {
  return `lower(${trimmed(text)})`;
}

export function trimmed(text: Sql): Sql {
  return `replaceRegexpAll(${text}, ${TRIM}, '')`;
}
