import { LIMITS } from '../../config/limits.ts';
import { COUNTRY_PATTERN } from '../../model/country.ts';
import type { FieldType } from '../../model/field.ts';
import type { Vocabulary } from '../../model/vocabulary.ts';
import { writtenNumber, type DirectKey } from '../sql/columns.ts';
import type { Sql } from '../sql/dialect.ts';
import { LOWERED, MappedColumns, type Mapping } from '../sql/mapped_columns.ts';
import { AS_SHOWN, WRITTEN_TIME } from '../sql/written_times.ts';
import { BLANK_CLASS, isUtf8, literal, name, trimmed } from './dialect.ts';
import { FIELD, KEY_STORED, KEY_TEXT, TIME } from './own_names.ts';

/** A column as `DESCRIBE` tells of it, less the wrappers that change nothing of its values. */
type TableColumn = { readonly name: string; readonly type: string; readonly nullable: boolean };

/** `whole`: every row has one, and it is a number. `named`: a row is found by what the server writes of it. */
type KeyColumn = { readonly type: 'integer' | 'text'; readonly whole: boolean; readonly named: boolean };

/** `key`: by a whole number alone, which no server vouches for to be unique. */
export type Apart = 'key' | 'all';

const INTEGER = /^U?Int(?:8|16|32|64)$/;
const NAMED: ReadonlySet<string> = new Set(['String', 'UUID']);
const FRACTION = /^(?:Float32|Float64|BFloat16)$/;
const MOMENT = /^Date(?:32|Time|Time64)?(?:\(|$)/;

export function bareType(type: string): string {
  const [, inner] = /^(?:Nullable\(|LowCardinality\(|SimpleAggregateFunction\(\w+, )(.*)\)$/.exec(type) ?? [];
  return inner === undefined ? type : bareType(inner);
}

function rangeOf(type: string): readonly [min: bigint, max: bigint] {
  const bits = BigInt(/\d+$/.exec(type)![0]);
  return type.startsWith('U') ? [0n, 2n ** bits - 1n] : [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n];
}

/**
 * Every field of the rows, defined once over the table under a name no column has, because the server takes an alias for the column it is
 * made of. A statement is put before what it uses of them, and reads the table itself: what stood in a query between the two, the servers
 * behind a Distributed table would never see of the condition, the order and the limit. Beside the fields there stand
 *
 *   f:FIELD   the field as the rows show it      @key      the source's own key as text, null where a row has none
 *   t:FIELD   a time in milliseconds             @native   the same as it is stored
 *
 * A column that is compared in place of a field has no other name: the table's own index knows it by that alone.
 */
export class TableColumns extends MappedColumns<TableColumn> {
  readonly key: KeyColumn | null;
  readonly directKey: DirectKey | null;
  readonly #stored: readonly Sql[];
  /** By alias, in the order in which they are put before a statement. */
  readonly #definitions: ReadonlyMap<string, Definition>;

  constructor(source: string, vocabulary: Vocabulary, mapping: Mapping, found: readonly TableColumn[]) {
    super(vocabulary, mapping, found);
    const key = this.columns.get('id');
    const isInteger = key !== undefined && INTEGER.test(key.type);
    this.key = key === undefined ? null : { type: isInteger ? 'integer' : 'text', whole: isInteger && !key.nullable, named: isInteger || NAMED.has(key.type) };
    this.directKey = isInteger ? { stored: name(KEY_STORED), whole: !key.nullable, written: writtenNumber(...rangeOf(key.type)) } : null;
    this.#stored = this.inUse.map(raw);
    this.#definitions = withNames(this.#defineAll(source), this.#stored);
  }

  value(field: string): Sql { return name(`${FIELD}${field}`); }
  time(field: string): Sql | null { return this.#isTime(field) ? name(`${TIME}${field}`) : null; }
  compared(filter: string): Sql | null {
    const column = this.instead.get(filter);
    return column === undefined ? null : plainText(column);
  }

  untrimmed(field: string): Sql | null {
    const column = this.columns.get(field);
    const isTrimmed = column !== undefined && !this.isList(field) && field !== 'country' && !LOWERED.has(field);
    return isTrimmed ? plainText(column) : null;
  }

  /**
   * What tells apart the rows that are equal in an order: the key, where every row has one, as far as no two of them share it; else all that a row is
   * made of. Rows that are alike in that are alike. Their ids would do as well, but each may be a hash of the whole row.
   */
  apart(by: Apart): readonly Sql[] {
    if (this.key?.whole === true) return [name(KEY_STORED), ...(by === 'all' ? [...this.columns.values()].map(orderable) : [])];
    return [...new Set([...this.key === null ? [] : [orderable(this.columns.get('id')!)], ...[...this.columns.values()].map(orderable)])];
  }

  /** The column of a field by its own name, by which alone the index of the table knows it. */
  asStored(field: string): Sql { return raw(this.columns.get(field)!); }

  /** A count of no rows. Where no column is named an old server takes the smallest, and then misses it if that is an ALIAS. */
  get countOfNone(): Sql { return `count(${this.#stored[0] ?? ''})`; }

  /** The columns that `statement` is made of. */
  storedIn(statement: Sql): readonly Sql[] {
    const named = this.#namedIn(statement);
    return this.#stored.filter((column) => named.has(column) || statement.includes(column));
  }

  /** The definitions of what `statement` names of the rows, to be put before it. */
  definitionsOf(statement: Sql): Sql {
    const named = this.#namedIn(statement);
    const list = [...this.#definitions.values()].filter((each) => named.has(each.alias)).map((each) => each.sql);
    return list.length === 0 ? '' : `WITH ${list.join(', ')} `;
  }

  /** By its definitions, too, at one look at its own text. */
  #namedIn(statement: Sql): ReadonlySet<Sql> {
    const named = new Set<Sql>();
    for (const part of statement.split('`')) for (const each of this.#definitions.get(part)?.names ?? []) named.add(each);
    return named;
  }

  #defineAll(source: string): ReadonlyMap<string, Sql> {
    const fields = this.ownFields();
    const key = this.columns.get('id');
    const parts = fields.flatMap(({ name: field, type }) => [
      type === 'strings' ? `arrayStringConcat(${this.value(field)}, '\\0')` : `ifNull(toString(${this.value(field)}), '\\0\\0')`,
      "'\\0\\0\\0'",
    ]);
    const text = this.key?.whole === true ? name(KEY_TEXT) : `ifNull(${name(KEY_TEXT)}, lower(hex(MD5(concat(${parts.join(', ')})))))`;
    return new Map([
      ...fields.map(({ name: field, type }) => [`${FIELD}${field}`, this.#define(field, type)] as const),
      ...fields.filter(({ name: field }) => this.#isTime(field)).map(({ name: field }) => [`${TIME}${field}`, millis(valueOf(this.columns.get(field)!))] as const),
      [KEY_TEXT, key === undefined ? NULL_TEXT : keyText(key)] as const,
      [KEY_STORED, key === undefined ? NULL_TEXT : raw(key)] as const,
      [`${FIELD}id`, `concat(${literal(`${source}:`)}, ${text})`] as const,
    ]);
  }

  #define(field: string, type: FieldType): Sql {
    const column = this.columns.get(field);
    return column === undefined ? BLANK[type] : VALUES[type](column, field);
  }

  #isTime(field: string): boolean {
    return MOMENT.test(this.columns.get(field)?.type ?? '');
  }
}

/** `alias` and `names`, the columns and aliases that it is made of, with those of their own, as they are quoted. */
type Definition = { readonly alias: Sql; readonly sql: Sql; readonly names: readonly Sql[] };

function withNames(defined: ReadonlyMap<string, Sql>, columns: readonly Sql[]): ReadonlyMap<string, Definition> {
  const all = [...[...defined].map(([alias, sql]) => [name(alias), sql] as const), ...columns.map((column) => [column, ''] as const)];
  const namesIn = (sql: Sql, known: Set<Sql>): Set<Sql> => {
    for (const [each, definition] of all) if (!known.has(each) && sql.includes(each)) namesIn(definition, known.add(each));
    return known;
  };
  return new Map([...defined].map(([alias, sql]) => [alias, { alias: name(alias), sql: `${sql} AS ${name(alias)}`, names: [...namesIn(name(alias), new Set())] }]));
}

const NULL_TEXT = 'CAST(NULL AS Nullable(String))';
const NULL_INTEGER = 'CAST(NULL AS Nullable(Int64))';
const BLANK: Readonly<Record<FieldType, Sql>> = { string: NULL_TEXT, strings: 'emptyArrayString()', integer: NULL_INTEGER, timestamp: NULL_TEXT };

/** Each names its column once where it can: an old server works out anew whatever stands in a statement twice. */
const VALUES: Readonly<Record<FieldType, (column: TableColumn, field: string) => Sql>> = {
  string: (column, field) => {
    if (field === 'country') return `nullIf(replaceRegexpOne(${found(`upper(${plainText(column)})`, COUNTRY_PATTERN)}, '^UK$', 'GB'), '')`;
    return LOWERED.has(field) ? `lower(${textOf(column)})` : textOf(column);
  },
  strings: (column) => saying(textsOf(column) ?? itemsOf(`ifNull(${plainText(column)}, '')`)),
  integer: (column) => (INTEGER.test(column.type)
    ? `if(abs(${raw(column)}) <= 9007199254740991, toNullable(toInt64(${raw(column)})), NULL)`
    : `toInt64(floor(toFloat64OrNull(${found(`ifNull(${plainText(column)}, '')`, '-?[0-9]{1,15}(?:[.][0-9]+)?', '[.]?')}) + 0.5))`),
  timestamp: (column, field) => {
    if (MOMENT.test(column.type)) return shownMoment(valueOf(column), name(`${TIME}${field}`));
    const item = itemOf(column);
    if (item !== null && MOMENT.test(item.type)) return `nullIf(${firstOf(shownItems(column, shownMoment(item, millis(item))))}, '')`;
    return `nullIf(replaceRegexpOne(${found(plainText(column), WRITTEN_TIME)}, ${AS_SHOWN.map(literal).join(', ')}), '')`;
  },
};

const JSON_ITEM = String.raw`"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|true|false|null`;
const JSON_LIST = literal(String.raw`^\s*\[\s*(?:(?:${JSON_ITEM})\s*(?:,\s*(?:${JSON_ITEM})\s*)*)?\]\s*$`);

/** A value of a column, or of an item in one. */
type Value = { readonly sql: Sql; readonly type: string; readonly nullable: boolean };

function valueOf(column: TableColumn): Value {
  return { sql: raw(column), type: column.type, nullable: column.nullable };
}

/** Null where the column holds no arrays. */
function itemOf({ type }: TableColumn): Value | null {
  const [, inner] = /^Array\((.*)\)$/.exec(type) ?? [];
  return inner === undefined ? null : { sql: 'x', type: bareType(inner), nullable: inner.includes('Nullable(') };
}

function shownItems(column: TableColumn, shown: Sql): Sql {
  return `arrayMap(x -> ifNull(${shown}, ''), ${raw(column)})`;
}

/** The first item that says something; none is blank. */
function firstOf(items: Sql): Sql {
  return `arrayElement(${saying(items)}, 1)`;
}

/** The items that are no blanks, trimmed. */
function saying(items: Sql): Sql {
  return `arrayFilter(y -> y != '', arrayMap(x -> ${trimmed('x')}, ${items}))`;
}

/** A text is cut at the usual separators, or read as JSON where it is a list of that. */
function itemsOf(text: Sql): Sql {
  const told = `arrayMap(z -> if(z LIKE '"%', visitParamExtractString(concat('{"a":', z, '}'), 'a'), if(z = 'null', '', z)), extractAll(${text}, ${literal(JSON_ITEM)}))`;
  return `if(match(${text}, ${JSON_LIST}), ${told}, splitByChar(';', replaceRegexpAll(${text}, '[|,\\n]', ';')))`;
}

/** What a trimmed text is as a whole, less its `end`; blank where it is something else. */
function found(text: Sql, pattern: string, end = ''): Sql {
  return `extract(${text}, ${literal(`^${BLANK_CLASS}*(${pattern})${end}${BLANK_CLASS}*$`)})`;
}

/** Null where the row has none, or one that cannot be an id: it is too long, or no text. */
function keyText(column: TableColumn): Sql {
  if (INTEGER.test(column.type)) return `toString(${raw(column)})`;
  const text = textOf(column);
  return `if(length(${text}) <= ${LIMITS.idCharactersMax} AND ${isUtf8(text)}, ${text}, NULL)`;
}

/** Rounded down, as the rows show it. */
function millis({ sql, type }: Value): Sql {
  if (isDay(type)) return `toInt64(toInt32(${sql})) * 86400000`;
  const [, digits] = /^DateTime64\((\d)/.exec(type) ?? [];
  if (digits === undefined) return `toInt64(toUInt32(${sql})) * 1000`;
  if (Number(digits) <= 3) return `toUnixTimestamp64Milli(${sql})`;
  // Nanoseconds end in 2262, which the dates for ever of other columns lie behind: tenths and hundredths of microseconds are taken as they are kept.
  const [made, perMilli] = Number(digits) <= 6 ? ['toUnixTimestamp64Micro', 1_000] : digits === '9' ? ['toUnixTimestamp64Nano', 1_000_000] : ['reinterpretAsInt64', 10 ** (Number(digits) - 3)];
  const fine = `${made}(${sql})`;
  return `(intDiv(${fine}, ${perMilli}) - (modulo(${fine}, ${perMilli}) < 0))`;
}

/** Days go beyond 2106, where seconds of 32 bits end. */
function isDay(type: string): boolean {
  return type === 'Date' || type === 'Date32';
}

/** `ms`: the same in milliseconds. An old server writes its first day, which is also what an empty column holds, as none of the calendar. */
function shownMoment({ sql, type }: Value, ms: Sql): Sql {
  if (isDay(type)) return `concat(replaceOne(toString(${sql}), '0000-00-00', '1970-01-01'), 'T00:00:00Z')`;
  if (!type.startsWith('DateTime64')) return `formatDateTime(${sql}, '%FT%TZ', 'UTC')`;
  const text = `replaceOne(toString(fromUnixTimestamp64Milli(${ms}, 'UTC')), ' ', 'T')`;
  return `concat(replaceRegexpOne(${text}, '[.]000$', ''), 'Z')`;
}

function textOf(column: TableColumn): Sql {
  return `nullIf(${trimmed(plainText(column))}, '')`;
}

function plainText(column: TableColumn): Sql {
  const items = textsOf(column);
  return items === null ? written(valueOf(column)) : firstOf(items);
}

/** Null where the column holds no arrays. */
function textsOf(column: TableColumn): Sql | null {
  const item = itemOf(column);
  return item === null ? null : shownItems(column, written(item));
}

function written({ sql, type, nullable }: Value): Sql {
  if (type === 'String') return sql;
  // As in a view that says NULL. An old server compares no text with it.
  if (type === 'Nothing') return NULL_TEXT;
  // What is no number is written as none.
  if (FRACTION.test(type)) return `if(isFinite(${sql}), toString(${sql}), '')`;
  // An old server writes NULs in place of some digits of more than 18.
  if (type.startsWith('Decimal')) return `extract(toString(${sql}), '^[-0-9.]+$')`;
  return nullable && type.startsWith('Enum') ? nameOf(sql, type) : `toString(${sql})`;
}

/** Of an enum that may be null, by itself or in an array: an old server writes what it keeps in place of a null, too, and fails where that is no number of the enum. */
function nameOf(value: Sql, type: string): Sql {
  const members = [...type.matchAll(/('(?:[^'\\]|\\.)*') = (-?\d+)/g)];
  const [names, numbers] = [1, 2].map((part) => members.map((member) => member[part]).join(', '));
  return `transform(ifNull(CAST(${value} AS Nullable(Int32)), 32768), [${numbers}], [${names}], '')`;
}

/** The server puts values of several types in no order, nor the two zeros of fractions, which are shown apart. */
function orderable(column: TableColumn): Sql {
  return /\b(?:JSON|Variant|Dynamic|Object|Geometry|QBit|B?Float\d+)\b/.test(column.type) ? `toString(${raw(column)})` : raw(column);
}

function raw(column: TableColumn): Sql {
  return name(column.name);
}
