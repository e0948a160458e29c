import { LIMITS } from '../../config/limits.ts';
import { COUNTRY_PATTERN } from '../../model/country.ts';
import type { Field, FieldType } from '../../model/field.ts';
import { GAP, type Sql } from '../sql/dialect.ts';
import { DefinedColumns, name } from '../sql/defined_columns.ts';
import { LOWERED } from '../sql/mapped_columns.ts';
import { AS_SHOWN, WRITTEN_TIME } from '../sql/written_times.ts';
import { beginsSeen, endsOdd, isBlank, literal, lowered, trimmed } from './dialect.ts';

/** A column as `DESCRIBE` tells of it. Of texts: `hasFractions` where some of the files have fractions instead, `hasTimes` where some have times. Of times: `hasDays` where some have days. */
export type TableColumn = { readonly name: string; readonly type: string; readonly hasFractions?: boolean; readonly hasTimes?: boolean; readonly hasDays?: boolean };

const WHOLE = new Set(['TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'UTINYINT', 'USMALLINT', 'UINTEGER', 'UBIGINT', 'HUGEINT', 'UHUGEINT']);

/**
 * Every field of the rows, defined once over the files `t` and then called by its name in `d`. Beside the fields there stand
 *
 *   @key     the source's own key as text, null where a row has none      @file, @row   where the row stands
 *   ^FIELD   a time as it is stored                                       =FILTER       a column that is compared in place of the field
 *   ~FIELD   a text as it is stored, or several in one
 */
export class TableColumns extends DefinedColumns<TableColumn> {
  protected override define(): readonly (readonly [alias: string, sql: Sql])[] {
    const fields = this.ownFields();
    const key = this.columns.get('id');
    return [
      ...fields.map(({ name: field, type }) => [field, this.#define(field, type)] as const),
      ...fields.filter(({ name: field }) => this.isTime(field)).map(({ name: field }) => [`^${field}`, moment(this.columns.get(field)!)] as const),
      ...[...this.instead].map(([filter, column]) => [`=${filter}`, written(column)] as const),
      ...[...this.storedTexts].map(([field, text]) => [`~${field}`, text] as const),
      ['@key', key === undefined ? 'NULL::VARCHAR' : keyText(key)] as const,
      ['@file', 't.filename'] as const,
      ['@row', 't.file_row_number'] as const,
    ];
  }

  protected override idOf(source: string): Sql {
    return `${literal(`${source}:`)} || coalesce(c."@key", md5(row(${this.ownFields().map(({ name: field }) => `c.${name(field)}`).join(', ')})::VARCHAR))`;
  }

  untrimmed(field: string): Sql | null {
    return LOWERED.has(field) ? null : this.#onlyTrimmed(field);
  }

  searched(field: string): Sql | null {
    return this.untrimmed(field);
  }

  absent(field: string): Sql | null {
    const text = this.#onlyTrimmed(field);
    return text === null ? null : isBlank(text);
  }

  /** The text that is trimmed, and no more but lowered where it is shown so, to make the field's value; null where it is made in another way. */
  #onlyTrimmed(field: string): Sql | null {
    const isText = this.columns.get(field)?.type === 'VARCHAR' && field !== 'country' && !this.isList(field);
    return isText && this.storedTexts.has(field) ? `d.${name(`~${field}`)}` : null;
  }

  protected override storedText({ name: field, type }: Field): Sql | null {
    const column = this.columns.get(field);
    if (column === undefined || column.hasFractions === true || (type !== 'string' && type !== 'strings')) return null;
    if (column.type === 'VARCHAR[]') return `array_to_string(${raw(column)}, ${literal(GAP)})`;
    return column.type === 'VARCHAR' ? raw(column) : null;
  }

  #define(field: string, type: FieldType): Sql {
    const column = this.columns.get(field);
    return column === undefined ? BLANK[type] : VALUES[type](column, field);
  }

  protected override nameOf(column: string): string { return columnKey(column); }

  protected override isTime(field: string): boolean {
    return /^(?:TIMESTAMP|DATE)/.test(this.columns.get(field)?.type ?? '');
  }
}

/** The engine takes names that differ in the case of ASCII letters for one column, and calls it as the first file does. */
export function columnKey(column: string): string {
  return column.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

const BLANK: Readonly<Record<FieldType, Sql>> = { string: 'NULL::VARCHAR', strings: 'NULL::VARCHAR[]', integer: 'NULL::BIGINT', timestamp: 'NULL::VARCHAR' };

const VALUES: Readonly<Record<FieldType, (column: TableColumn, field: string) => Sql>> = {
  string: (column, field) => {
    // By functions alone: of a column that repeats its values, as countries do, they are worked out once a value.
    const text = field === 'country' ? `nullif(${trimmed(written(column))}, '')` : textOf(column);
    if (field === 'country') return `(CASE WHEN regexp_full_match(${text}, '[A-Za-z]{2}') AND regexp_full_match(upper(${text}), '${COUNTRY_PATTERN}')
      THEN CASE upper(${text}) WHEN 'UK' THEN 'GB' ELSE upper(${text}) END
    END)`;
    return LOWERED.has(field) ? lowered(text) : text;
  },
  strings: (column) => {
    const kept = saying(itemsOf(column));
    return `(CASE WHEN len(${kept}) > 0 THEN ${kept} END)`;
  },
  integer: (column) => (WHOLE.has(column.type)
    ? `(CASE WHEN ${raw(column)} BETWEEN -9007199254740991 AND 9007199254740991 THEN ${raw(column)}::BIGINT END)`
    : `(CASE WHEN regexp_full_match(${textOf(column)}, '-?[0-9]{1,15}([.][0-9]*)?') THEN floor(TRY_CAST(${textOf(column)} AS DECIMAL(25, 9)) + 0.5)::BIGINT END)`),
  timestamp: (column) => {
    if (/^(?:TIMESTAMP|DATE)/.test(column.type)) return timeText(column.type === 'TIMESTAMP WITH TIME ZONE' ? `(${raw(column)} AT TIME ZONE 'UTC')` : moment(column));
    const text = textOf(column);
    const written = `WHEN regexp_full_match(${text}, '${WRITTEN_TIME}') THEN regexp_replace(${text}, ${AS_SHOWN.map(literal).join(', ')})`;
    if (column.hasTimes !== true) return `(CASE ${written} END)`;
    // First as the engine writes a time that it makes a text of, in its zone: the times of a file are shown as they are where no other has texts.
    const time = `regexp_replace(${text}, '[+]00$', '')`;
    return `(CASE WHEN regexp_full_match(${time}, '[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?') THEN ${timeText(`TRY_CAST(${time} AS TIMESTAMP)`)} ${written} END)`;
  },
};

/** A moment to the millisecond, rounded down, where its year is one that rows show. */
function timeText(utc: Sql): Sql {
  const real = `${utc} >= TIMESTAMP '0001-01-01 00:00:00' AND ${utc} < TIMESTAMP '10000-01-01 00:00:00'`;
  const text = `strftime(${utc}, '%Y-%m-%dT%H:%M:%S')`;
  return `(CASE WHEN ${real} THEN ${text} || CASE strftime(${utc}, '%g') WHEN '000' THEN 'Z' ELSE strftime(${utc}, '.%gZ') END END)`;
}

/** The items of a list that are no blanks, trimmed. */
function saying(items: Sql): Sql {
  return `list_filter(list_transform(${items}, lambda x: ${trimmed('x')}), lambda y: y <> '')`;
}

/** A column that is no list is cut at the usual separators, or read as JSON where it holds that. */
function itemsOf(column: TableColumn): Sql {
  if (column.type.endsWith('[]')) return `${raw(column)}::VARCHAR[]`;
  const text = column.type === 'JSON' ? saidInJson(raw(column)) : written(column);
  return `(CASE WHEN starts_with(${text}, '[') AND json_valid(${text}) THEN from_json(${text}, '["VARCHAR"]') ELSE string_split_regex(${text}, '[;|,\\n]') END)`;
}

/** Null where the row has none, or one that is too long to be an id. */
function keyText(column: TableColumn): Sql {
  if (WHOLE.has(column.type)) return `${raw(column)}::VARCHAR`;
  return `(CASE WHEN strlen(${textOf(column)}) <= ${LIMITS.idCharactersMax} THEN ${textOf(column)} END)`;
}

/**
 * A time without a zone is in UTC, which is the zone of the engine. One to the nanosecond is cut. With one that is compared as it is stored the engine looks into files that have
 * days instead for the day of the time that was asked for.
 */
function moment(column: TableColumn): Sql {
  if (column.hasDays === true && column.type === 'TIMESTAMP') return `date_trunc('microseconds', ${raw(column)})`;
  return column.type === 'TIMESTAMP' || column.type === 'TIMESTAMP WITH TIME ZONE' ? raw(column) : `TRY_CAST(${raw(column)} AS TIMESTAMP)`;
}

/** Without blanks around it; null where nothing is left. Most texts have none: two comparisons and a look at the last sign tell. */
function textOf(column: TableColumn): Sql {
  const text = written(column);
  const said = `nullif(${trimmed(text)}, '')`;
  return text === raw(column) ? `(CASE WHEN ${beginsSeen(text)} AND NOT ${endsOdd(text)} THEN ${text} ELSE ${said} END)` : said;
}

/** Of a list the first item that says something. A whole number is written without a point, also by what knows no whole ones, as a column of keys or postal codes does that lacks some. */
function written(column: TableColumn): Sql {
  if (column.type.endsWith('[]')) return `list_extract(${saying(`${raw(column)}::VARCHAR[]`)}, 1)`;
  if (column.type === 'DOUBLE' || column.type === 'FLOAT') return `(CASE WHEN isfinite(${raw(column)}) THEN regexp_replace(${raw(column)}::VARCHAR, '[.]0$', '') END)`;
  if (column.hasFractions === true) return `(CASE WHEN ${raw(column)} NOT IN ('nan', 'inf', '-inf') THEN regexp_replace(${raw(column)}, '^(-?[0-9]+)[.]0$', '\\1') END)`;
  if (column.type === 'JSON') return `(CASE WHEN json_type(${raw(column)}) = 'ARRAY' THEN list_extract(${saying(itemsOf(column))}, 1) ELSE ${saidInJson(raw(column))} END)`;
  return column.type === 'VARCHAR' ? raw(column) : `${raw(column)}::VARCHAR`;
}

/** A text of JSON without its quotes, and its null as none; the rest as it is written. The engine reads nothing that is no JSON. */
function saidInJson(value: Sql): Sql {
  return `(CASE WHEN json_type(${value}) IN ('VARCHAR', 'NULL') THEN json_extract_string(${value}, '$') ELSE ${value}::VARCHAR END)`;
}

function raw(column: TableColumn): Sql {
  return `t.${name(column.name)}`;
}
