import { BLANKS, foldedToAscii, SPELT } from '../sql/blanks.ts';
import { GAP, type Bind, type Dialect, type Sql } from '../sql/dialect.ts';

export type Statement = { readonly text: Sql; readonly values: readonly unknown[] };

/** On either side of a parameter until its statement is whole: no text of the server has it, as literals and names may have a dollar. */
const MARK = '\0';

/** Values as the parameters of one statement: they never touch its text. */
export class Parameters implements Bind {
  readonly #values: (string | number | readonly string[])[] = [];

  text(value: string): Sql { return `${this.#add(value)}::text`; }
  number(value: number): Sql { return `${this.#add(value)}::bigint`; }
  /** Of one value alone: behind an array, of whatever length, the server knows no order in an index. */
  isIn(text: Sql, values: readonly string[]): Sql {
    const value = values.length === 1 ? this.text(values[0]!) : `ANY(${this.#add(values)}::text[])`;
    return `((${text}) COLLATE "C" = ${value})`;
  }

  /** The server takes no parameter that the text does not name: those of conditions that fell away are left out. */
  statement(marked: Sql): Statement {
    const used = new Map<string, number>();
    const parts = marked.split(MARK).map((part, nth) => {
      if (nth % 2 === 0) return part;
      if (!used.has(part)) used.set(part, used.size + 1);
      return `$${used.get(part)}`;
    });
    return { text: parts.join(''), values: [...used.keys()].map((at) => this.#values[Number(at)]) };
  }

  #add(value: string | number | readonly string[]): Sql { return `${MARK}${this.#values.push(value) - 1}${MARK}`; }
}

/** Letters of ASCII that a name may have: the server cuts a longer one. */
export const NAME_LETTERS_MAX = 63;

/** For texts of the house and of the configuration alone. */
export function literal(text: string): Sql {
  return `'${text.replaceAll("'", "''")}'`;
}

export const TRIMMED = literal(BLANKS);
const MARKS = '\u0300-\u036f';
const LETTERS = `A-Za-z${SPELT.map(([letter]) => letter).join('')}`;
/** Letters that are spelt out, and those that hold one. */
const SPELT_SIGNS = literal(`[${SPELT.map(([letter]) => letter).join('')}ǢǣǼǽǾǿ]`);
const FOLDED_TO_ASCII = literal(foldedToAscii('\\x01-\\x7f', (sign) => `\\u${sign.padStart(4, '0')}`));
/** What is left of Latin letters when a text was brought to its compatible form and marks were taken off becomes nothing else, but for those that are spelt out. */
const FOLDED_ON = `${foldedToAscii('\\x01-\\u02ff', (sign) => `\\u${sign.padStart(4, '0')}`)}|[${SPELT.map(([letter]) => letter).join('')}]`;
const ONE_FOR_ONE = SPELT.filter(([, plain]) => plain.length === 1);
const SPELT_OUT = SPELT.filter(([, plain]) => plain.length > 1);

export const POSTGRES: Dialect = {
  yes: 'TRUE',
  no: 'FALSE',
  holdsNul: false,
  // As a choice, because `postgres_fdw` sends on no `IS NOT TRUE`.
  not: (condition) => `(CASE WHEN ${condition} THEN FALSE ELSE TRUE END)`,
  isNull: (value) => `((${value}) IS NULL)`,
  isPlain,
  lower,
  // It makes no new blanks; those beyond ASCII are still there.
  folded: (text) => trimmed(folded(text)),
  domain: (email) => `NULLIF(${trimmed(`substring(${email} from '@([^@]*)$')`)}, '')`,
  sieving: {
    holds: (text, part, bind) => `(strpos(${text}, ${bind.text(part)}) > 0)`,
    mayFoldToAscii: (text) => `((${text}) COLLATE "C" ~ ${FOLDED_TO_ASCII})`,
    isPushed: false,
  },
  searchesApart: true,
  searched: (texts, lists) => {
    const parts = [...texts, ...lists.map((list) => `pg_catalog.array_to_string(${list}, ${literal(GAP)})`)];
    return folded(parts.length === 1 ? parts[0]! : `pg_catalog.concat_ws(${literal(GAP)}, ${parts.join(', ')})`);
  },
  isPlainSearched: isPlain,
  odd: FOLDED_ON,
  finds: (text, pattern, bind) => `((${text}) COLLATE "C" ~ ${bind.text(pattern)})`,
  // The parameter itself is a time: what was cast would be a time of this server alone, and not sent on to another.
  moment: (unixMs, bind) => bind.text(new Date(unixMs).toISOString().replace(/^\+0/, '')).replace(/::text$/, '::timestamptz'),
};

export function trimmed(text: Sql): Sql {
  return `btrim(${text}, ${TRIMMED})`;
}

function isPlain(text: Sql): Sql {
  return `(octet_length(${text}) = char_length(${text}))`;
}

function folded(text: Sql): Sql {
  return `(CASE WHEN ${isPlain(text)} THEN ${lower(text)} ELSE ${slowlyFolded(text)} END)`;
}

function lower(text: Sql): Sql {
  return `lower((${text}) COLLATE "C")`;
}

/** Marks are taken off Latin letters alone; what is then still beyond ASCII is not plain, and left to the exact test. */
function slowlyFolded(text: Sql): Sql {
  const bare = `regexp_replace(normalize(${text}, NFKD), ${literal(`([${LETTERS}])[${MARKS}]+`)}, '\\1', 'g')`;
  const translated = `translate(${bare}, ${literal(ONE_FOR_ONE.map(([letter]) => letter).join(''))}, ${literal(ONE_FOR_ONE.map(([, plain]) => plain).join(''))})`;
  const spelt = SPELT_OUT.reduce((sql, [letter, plain]) => `replace(${sql}, ${literal(letter)}, ${literal(plain)})`, translated);
  return lower(`CASE WHEN (${text}) COLLATE "C" ~ ${SPELT_SIGNS} THEN ${spelt} ELSE ${bare} END`);
}
