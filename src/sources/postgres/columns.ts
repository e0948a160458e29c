import { LIMITS } from '../../config/limits.ts';
import { COUNTRY_PATTERN } from '../../model/country.ts';
import { writtenNumber, type DirectKey } from '../sql/columns.ts';
import { GAP, type Sql } from '../sql/dialect.ts';
import { DefinedColumns, name } from '../sql/defined_columns.ts';
import { LOWERED, type Mapping } from '../sql/mapped_columns.ts';
import { AS_SHOWN, WRITTEN_TIME } from '../sql/written_times.ts';
import type { Field, FieldType } from '../../model/field.ts';
import type { Vocabulary } from '../../model/vocabulary.ts';
import { literal, NAME_LETTERS_MAX, trimmed, TRIMMED } from './dialect.ts';

/** A column as the catalog of the server tells of it. `type` is as `format_type` writes it; `alike`: its collation takes texts for equal that differ. `repeats`: as far as the server knows, rows may share their value. */
export type TableColumn = { readonly name: string; readonly type: string; readonly category: string; readonly required: boolean; readonly alike?: boolean; readonly repeats?: boolean };

/** The source's own key. `ordered`: its own order can be taken up from a text. `short`: it is never blank or long. `whole`: and every row has one. `repeats`: rows may share it. */
type KeyColumn = { readonly type: string; readonly ordered: boolean; readonly short: boolean; readonly whole: boolean; readonly repeats: boolean };

const INTEGERS = new Set(['smallint', 'integer', 'bigint']);
const SHORT = new Set([...INTEGERS, 'uuid']);
const TIMES = new Set(['timestamp with time zone', 'timestamp without time zone', 'date']);
const FLOATS = new Set(['real', 'double precision']);
const FRACTIONS = new Set([...FLOATS, 'numeric']);
const JSON_TYPE = /^jsonb?$/;
/** Types whose own order can be asked for, and taken up again from a text. */
const ORDERED = new Set([...INTEGERS, ...TIMES, 'uuid', 'text', 'character varying', 'numeric']);

/**
 * Every field of the rows, defined once over the table `t` and then called by its name in `d`. Beside the fields there stand
 *
 *   @key     the source's own key as text, null where a row has none      @native   the same as it is stored
 *   ^FIELD   a time as it is stored                                       =FILTER   a column that is compared in place of the field
 *   ~FIELD   a text as it is stored, or several in one                    @code     the country as it is written, trimmed and in upper case
 *   @0, @1   the columns, as they are stored
 *   @apart   a number that tells rows apart which share their key
 */
export class TableColumns extends DefinedColumns<TableColumn> {
  readonly key: KeyColumn | null;
  readonly directKey: DirectKey | null;
  readonly #more: readonly string[];
  #overStored: TableColumns | null = null;

  /** `more`: what the table has beside its columns. */
  constructor(vocabulary: Vocabulary, mapping: Mapping, found: readonly TableColumn[], more: readonly string[] = []) {
    super(vocabulary, mapping, found);
    const key = this.columns.get('id');
    const short = key !== undefined && SHORT.has(key.type);
    this.key = key === undefined ? null : { type: key.type, ordered: ORDERED.has(key.type) && key.alike !== true, short, whole: key.required && short, repeats: key.repeats === true };
    this.directKey = short ? { stored: 'd."@native"', whole: key.required, written: key.type === 'uuid' ? writtenUuid : writtenNumber(-(2n ** 63n), 2n ** 63n - 1n) } : null;
    this.#more = more;
  }

  untrimmed(field: string): Sql | null {
    return this.#isText(field) ? this.stored(field)?.text ?? null : null;
  }

  /** Of a list that is a text the text: the engine takes 10 us to make the list. */
  searched(field: string): Sql | null {
    const stored = this.stored(field);
    if (!this.isList(field)) return this.untrimmed(field);
    if (stored === null || this.columns.get(field)?.category === 'A') return stored?.text ?? null;
    const { text } = stored;
    const gap = literal(GAP);
    return `(CASE WHEN ${text} ~ '^${JSON_BLANK}\\[' THEN pg_catalog.array_to_string(${this.value(field)}, ${gap}) ELSE translate(${text}, ${literal(SEPARATORS)}, ${literal(GAP.repeat(SEPARATORS.length))}) END)`;
  }

  absent(field: string): Sql | null {
    const stored = this.stored(field);
    if (stored === null || !(this.isList(field) || this.#isText(field))) return null;
    const { text } = stored;
    // Of a list the first sign may separate items, or be the bracket of one in JSON.
    const begins = this.isList(field) ? LETTERS_AND_DIGITS : SEEN;
    return `(CASE WHEN ${text} IS NULL THEN TRUE WHEN ${begins.map(([from, to]) => `ascii(${text}) BETWEEN ${from} AND ${to}`).join(' OR ')} THEN FALSE ELSE ${this.value(field)} IS NULL END)`;
  }

  code(): Sql { return 'd."@code"'; }

  /** The columns as they are stored, of a statement that is cut before anything is made of them. */
  stores(): readonly Sql[] {
    return this.inUse.map((_, at) => `d.${name(storedName(at))}`);
  }

  /** The fields over what such a statement gives, which tells beside them where a row stands and whether it matches for sure. */
  overStored(): TableColumns { return (this.#overStored ??= this.#renamed()); }

  #renamed(): TableColumns {
    const { inUse } = this;
    const named = (of: ReadonlyMap<string, TableColumn>): Record<string, string> => Object.fromEntries([...of].map(([key, column]) => [key, storedName(inUse.indexOf(column))]));
    const mapping = { columns: named(this.columns), compared: named(this.instead) };
    return new TableColumns(this.vocabulary, mapping, inUse.map((column, at) => ({ ...column, name: storedName(at) })), ['@at', '@sure']);
  }

  protected override define(): readonly (readonly [alias: string, sql: Sql])[] {
    const fields = this.ownFields();
    const key = this.columns.get('id');
    const country = this.columns.get('country');
    return [
      ...fields.map(({ name: field, type }) => [this.alias('', field), this.#define(field, type)] as const),
      ...fields.filter(({ name: field }) => this.isTime(field)).map(({ name: field }) => [this.alias('^', field), moment(this.columns.get(field)!)] as const),
      ...[...this.storedTexts].map(([field, text]) => [this.alias('~', field), text] as const),
      ...[...this.instead].map(([filter, column]) => [this.alias('=', filter), `${raw(column)}::text`] as const),
      ...(country === undefined ? [] : [['@code', upperText(country)] as const]),
      ['@key', key === undefined ? 'NULL::text' : keyText(key)] as const,
      ['@native', key === undefined ? 'NULL::text' : raw(key)] as const,
      ...this.inUse.map((column, at) => [storedName(at), raw(column)] as const),
      ...this.#more.map((alias) => [alias, `t.${name(alias)}`] as const),
      ['@apart', `pg_catalog.hashtextextended(ROW(${[...this.columns.values()].map(raw).join(', ')})::text COLLATE "C", 0)`] as const,
    ];
  }

  protected override idOf(source: string): Sql {
    const hash = `md5(ROW(${this.ownFields().map(({ name: field }) => `c.${name(this.alias('', field))}`).join(', ')})::text)`;
    return `${literal(`${source}:`)} || ${this.key?.whole === true ? 'c."@key"' : `coalesce(c."@key", ${hash})`}`;
  }

  /** A name that the server would cut, and take for another one or give the rows a member that is none, is a number in its place. */
  protected override alias(sign: string, key: string): string {
    const whole = super.alias(sign, key);
    return whole.length <= NAME_LETTERS_MAX ? whole : `${sign}#${this.vocabulary.fields.findIndex((field) => field.name === key)}`;
  }

  /** Whether the value of a field is its text and no more but trimmed, and lowered where it is shown so. */
  #isText(field: string): boolean {
    return !this.isList(field) && this.columns.get(field)?.category !== 'A';
  }

  protected override storedText({ name: field, type }: Field): Sql | null {
    const column = this.columns.get(field);
    // A country may be shown by other letters than it is stored by.
    if (column === undefined || field === 'country' || (type !== 'string' && type !== 'strings')) return null;
    if (column.category === 'A') return `(pg_catalog.array_to_string(${raw(column)}::text[], ${literal(GAP)}) COLLATE "C")`;
    return written(column) === `${raw(column)}::text` ? plainText(column) : null;
  }

  #define(field: string, type: FieldType): Sql {
    const column = this.columns.get(field);
    return column === undefined ? BLANK[type] : VALUES[type](column, field);
  }

  protected override isTime(field: string): boolean {
    return TIMES.has(this.columns.get(field)?.type ?? '');
  }
}

/** As no column of a table is called once it stands for a field or a filter. */
function storedName(at: number): string {
  return `@${at}`;
}

/** Signs of ASCII, by their numbers. */
const SEEN = [[33, 126]] as const;
const LETTERS_AND_DIGITS = [[97, 122], [65, 90], [48, 57]] as const;

/** As the server writes one: it reads others too, which are no ids. */
function writtenUuid(key: string): Sql | null {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(key) ? literal(key) : null;
}

/** Null where the row has none, or one that is too long to be an id. */
function keyText(column: TableColumn): Sql {
  if (SHORT.has(column.type)) return `${raw(column)}::text`;
  const text = textOf(column);
  return `(CASE WHEN octet_length(${text}) <= ${LIMITS.idCharactersMax} THEN ${text} END)`;
}

const BLANK: Readonly<Record<FieldType, Sql>> = { string: 'NULL::text', strings: 'NULL::text[]', integer: 'NULL::bigint', timestamp: 'NULL::text' };

const VALUES: Readonly<Record<FieldType, (column: TableColumn, field: string) => Sql>> = {
  string: (column, field) => {
    const text = textOf(column);
    const code = upperText(column);
    if (field === 'country') return `(CASE WHEN ${code} ~ '^(?:${COUNTRY_PATTERN})$' THEN CASE ${code} WHEN 'UK' THEN 'GB' ELSE ${code} END END)`;
    return LOWERED.has(field) ? `lower(${text} COLLATE "C")` : text;
  },
  strings: (column) => {
    const items = itemsOf(column);
    const kept = `ARRAY(
      SELECT u.item FROM (SELECT btrim(i.item COLLATE "C", ${TRIMMED}) AS item, i.place FROM ROWS FROM (${items}) WITH ORDINALITY AS i(item, place)) u
      WHERE u.item <> '' ORDER BY u.place
    )`;
    return `NULLIF(${kept}, '{}'::text[])`;
  },
  integer: (column) => (INTEGERS.has(column.type)
    ? `(CASE WHEN ${raw(column)}::bigint BETWEEN -9007199254740991 AND 9007199254740991 THEN ${raw(column)}::bigint END)`
    : `(CASE WHEN ${spelled(column)} ~ '^-?[0-9]{1,15}([.][0-9]*)?$' THEN floor(${spelled(column)}::numeric + 0.5)::bigint END)`),
  timestamp: (column) => {
    if (!TIMES.has(column.type)) return `(CASE WHEN ${textOf(column)} ~ '^${WRITTEN_TIME}$' THEN regexp_replace(${textOf(column)}, ${AS_SHOWN.map(literal).join(', ')}) END)`;
    const utc = `(${moment(column)} AT TIME ZONE 'UTC')`;
    const millis = `floor(date_part('microseconds', ${utc}) / 1000)::integer % 1000`;
    return `(CASE WHEN ${isShown(moment(column))} THEN to_char(${utc}, 'YYYY-MM-DD"T"HH24:MI:SS') || CASE WHEN ${millis} = 0 THEN 'Z' ELSE to_char(${utc}, '.MS"Z"') END END)`;
  },
};

const SEPARATORS = ';|,\n';
const JSON_ITEM = String.raw`"(?:[^"\\\x01-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null`;
const JSON_BLANK = String.raw`[ \t\n\r]*`;
const JSON_LIST = literal(String.raw`^${JSON_BLANK}\[${JSON_BLANK}(?:(?:${JSON_ITEM})${JSON_BLANK}(?:,${JSON_BLANK}(?:${JSON_ITEM})${JSON_BLANK})*)?\]${JSON_BLANK}$`);

/** A column that is no list is cut at the usual separators, or read as JSON where it holds a list of texts and numbers. */
function itemsOf(column: TableColumn): Sql {
  const { type, category } = column;
  if (category === 'A') return `pg_catalog.unnest(${raw(column)}::text[])`;
  if (!JSON_TYPE.test(type)) {
    const text = plainText(column);
    const told = `ARRAY(SELECT json_array_elements_text(${text}::json))`;
    return `pg_catalog.unnest(CASE WHEN ${text} ~ ${JSON_LIST} AND ${isSpeakable(column)} THEN ${told} ELSE regexp_split_to_array(${text}, ${literal(`[${SEPARATORS}]`)}) END)`;
  }
  const isSpoken = type === 'json' ? ` AND ${isSpeakable(column)}` : '';
  const told = `ARRAY(SELECT ${type}_array_elements_text(${raw(column)}))`;
  const said = `regexp_split_to_array(${raw(column)} #>> '{}', ${literal(`[${SEPARATORS}]`)})`;
  return `pg_catalog.unnest(CASE WHEN ${type}_typeof(${raw(column)}) = 'array'${isSpoken} THEN ${told} WHEN ${type}_typeof(${raw(column)}) <> 'object'${isSpoken} THEN ${said} END)`;
}

/** JSON may hold escapes that are no text of the server: whoever reads them is told an error, and not the row. A `jsonb` takes none in. */
function isSpeakable(column: TableColumn): Sql {
  const withoutPairs = `regexp_replace(${raw(column)}::text COLLATE "C", ${literal(String.raw`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}`)}, '', 'g')`;
  return `${withoutPairs} !~ ${literal(String.raw`(^|[^\\])(\\\\)*\\u(0000|[dD][89a-fA-F])`)}`;
}

/** A time without a zone is in UTC, which is the zone of every session. There are days that no time is on. */
function moment(column: TableColumn): Sql {
  if (column.type === 'date') return `(CASE WHEN ${raw(column)} >= '0001-01-01' AND ${raw(column)} < '10000-01-01' THEN ${raw(column)}::timestamptz END)`;
  return column.type === 'timestamp with time zone' ? raw(column) : `(${raw(column)}::timestamptz)`;
}

/** Whether its year is one that rows show. */
export function isShown(time: Sql): Sql {
  return `${time} >= '0001-01-01T00:00:00Z'::timestamptz AND ${time} < '10000-01-01T00:00:00Z'::timestamptz`;
}

/** By bytes, whatever the column's own collation: with some of those the server refuses to search in texts, and two of them do not mix. */
function plainText(column: TableColumn): Sql {
  return `(${written(column)} COLLATE "C")`;
}

/** What JSON says, a text without its quotes and its null as none; of a list the first item that says something; and none for what is no number. */
function written(column: TableColumn): Sql {
  const { type, category } = column;
  const value = raw(column);
  if (category === 'A') return firstOf(column);
  // As a text: a numeric knows no infinity on servers before 14, which refuse the word.
  if (FRACTIONS.has(type)) return `(CASE WHEN ${value}::text NOT IN ('NaN', 'Infinity', '-Infinity') THEN ${value}::text END)`;
  // Without the sign and the separators of whatever country the server is set to.
  if (type === 'money') return `${value}::numeric::text`;
  // As the server writes one: a text of it has the mask of a single host, too.
  if (type === 'inet') return `abbrev(${value})`;
  if (!JSON_TYPE.test(type)) return `${value}::text`;
  const unspeakable = type === 'json' ? `WHEN NOT (${isSpeakable(column)}) THEN ${value}::text ` : '';
  return `(CASE ${unspeakable}WHEN ${type}_typeof(${value}) = 'array' THEN ${firstOf(column)} ELSE ${value} #>> '{}' END)`;
}

function firstOf(column: TableColumn): Sql {
  return `(SELECT i.item FROM ${itemsOf(column)} WITH ORDINALITY AS i(item, place) WHERE ${trimmed('i.item COLLATE "C"')} <> '' ORDER BY i.place LIMIT 1)`;
}

function textOf(column: TableColumn): Sql {
  return `NULLIF(${trimmed(plainText(column))}, '')`;
}

function upperText(column: TableColumn): Sql {
  return `upper(${textOf(column)} COLLATE "C")`;
}

/** A number without an exponent, with which the server writes a `real` from a million on. */
function spelled(column: TableColumn): Sql {
  return FLOATS.has(column.type) ? `${textOf(column)}::numeric::text` : textOf(column);
}

function raw(column: TableColumn): Sql {
  return `t.${name(column.name)}`;
}
