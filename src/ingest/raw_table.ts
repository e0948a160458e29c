import { MARK } from './dialect.ts';
import { literal, name } from './duckdb.ts';
import { bytesSql } from './key_table.ts';
import type { Feed } from './mapping.ts';
import { placeSql } from './normalise/country.ts';
import { orderedSql } from './normalise/time.ts';
import type { FilePlan } from './plan_file.ts';
import type { Reader } from './reader_form.ts';
import type { ReaderColumn } from './reader_column.ts';
import { forwarded, settledSql, type Rule } from './rules.ts';
import { boundedSql, cellSql } from './tidy_sql.ts';
import type { LeadColumn } from './lead_table.ts';

/**
 * The cells of all files as text, tidied, by field; row order is file order. `FAULT` says why a record is none. A bit of `ODD` says that a cell was
 * not in its normal form as it came: of all others nothing is asked again.
 */
export const RAW = 'raw';

/** No field has a name with a blank. */
export const FAULT = 'row fault';
export const ODD = 'odd cells';
/** About how many bytes the cells of the row take. */
export const BYTES = 'cell bytes';

export function createRaw(columns: readonly LeadColumn[]): string {
  return `CREATE TABLE ${RAW} (${name(FAULT)} VARCHAR, ${name(ODD)} BIGINT, ${name(BYTES)} BIGINT, ${columns.map((column) => `${name(column.name)} VARCHAR`).join(', ')})`;
}

/** Whether the cell of a row of the raw table was odd; null for rules that have no normal form, or are no field's own. */
export function oddSql(rule: Rule, rules: readonly Rule[]): string | null {
  const bit = bitOf(rule, rules);
  return bit === null ? null : `raw.${name(ODD)} & ${bit} <> 0`;
}

function bitOf(rule: Rule, rules: readonly Rule[]): number | null {
  const at = rules.filter(({ settled }) => settled !== undefined).indexOf(rule);
  return at < 0 ? null : 2 ** at;
}

/**
 * Reads one file into the raw table, every field from its columns in turn. A cell in its normal form is looked at once: neither tidied nor brought
 * forward. Each step is a query of its own, so that nothing is named twice in a CASE: the engine would work that out for every row.
 */
export function fillRaw(reader: Reader, { mapping: { feeds }, dayOrders }: FilePlan, columns: readonly LeadColumn[], rules: readonly Rule[], rowsMax: number | null): string {
  const fed = feeds.map((feed) => fieldSql({ ...reader, dayOrders }, feed, columns.find((known) => known.name === feed.field)!, rules));
  const source = rowsMax === null ? reader.relation : `(SELECT * FROM ${reader.relation} LIMIT ${rowsMax})`;
  const cells = `SELECT ${faultSql(reader, feeds)} AS ${name(FAULT)}, ${fed.map(({ cell, as }) => `${cell} AS ${as}`).join(', ')} FROM ${source}`;
  const looked = fed.flatMap(({ odd }) => (odd === null ? [] : [`${odd.sql} AS ${odd.as}`]));
  const told = `SELECT ${['*', ...looked].join(', ')} FROM (${cells})`;
  const bits = fed.flatMap(({ odd }) => (odd === null ? [] : [`CASE WHEN ${odd.as} THEN ${odd.bit} ELSE 0 END`]));
  const tidy = fed.flatMap(({ tidy: sql, as, odd }) => [`${sql} AS ${as}`, ...(odd === null ? [] : [odd.as])]);
  const tidied = `SELECT ${name(FAULT)}, ${tidy.join(', ')}, ${['0', ...bits].join(' + ')} AS ${name(ODD)} FROM (${told})`;
  const values = `SELECT ${name(FAULT)}, ${name(ODD)}, ${fed.map(({ value, as }) => `${value} AS ${as}`).join(', ')} FROM (${tidied})`;
  return `INSERT INTO ${RAW} BY NAME SELECT *, ${bytesSql(fed.map(({ as }) => as))} AS ${name(BYTES)} FROM (${values})`;
}

/** Of files that were put one behind the other every one begins with the header, and with a mark before it where each had one. */
function faultSql({ dialect, fault, columns }: Reader, feeds: readonly Feed[]): string {
  if (dialect === null) return fault;
  const forms = (cell: string, at: number): string[] => (at === 0 ? [cell, `${MARK}${cell}`, `${MARK}"${cell.replaceAll('"', '""')}"`] : [cell]);
  const fed = columns.slice(0, dialect.headerCells.length).map(({ name: column, sql }, at) => ({ column, sql, at })).filter(({ column }) => feeds.some((feed) => feed.columns.includes(column)));
  const headers = [dialect.headerCells, ...(dialect.again === null ? [] : [dialect.again])];
  const same = headers.map((cells) => fed.map(({ sql, at }) => `coalesce(${sql}, '') IN (${forms(cells[at] ?? '', at).map(literal).join(', ')})`).join(' AND '));
  return `CASE WHEN ${same.map((one) => `(${one})`).join(' OR ')} THEN 'the header again' ELSE ${fault} END`;
}

type FieldSql = {
  readonly as: string;
  readonly cell: string;
  readonly odd: { readonly sql: string; readonly as: string; readonly bit: number } | null;
  readonly tidy: string;
  readonly value: string;
};

/** As columns of amounts say that theirs are thousands: `Revenue (in 000s USD)`. */
const THOUSANDS = /\b(?:000s?|thousands?)\b/i;

/** A rounded key is written as a spreadsheet does, of whose keys `keyed_files` lets go. Three digits behind the point of a text may be grouped ones, those of a number are not: they are made four. Days whose order their column tells are put in that of ISO 8601. */
function asRead(source: ReaderColumn, field: string, rule: Rule | undefined, dayOrders: FilePlan['dayOrders']): ReaderColumn {
  if (field === 'id' && source.roundedFrom !== undefined) return { ...source, sql: `CASE WHEN abs(TRY_CAST(${source.sql} AS DOUBLE)) >= ${source.roundedFrom} THEN format('{:.5E}', TRY_CAST(${source.sql} AS DOUBLE)) ELSE ${source.sql} END` };
  const order = rule?.days === true ? dayOrders.get(source.name) : undefined;
  if (order !== undefined) return { ...source, sql: orderedSql(source.sql, order) };
  if (rule?.field === 'revenue_usd' && THOUSANDS.test(source.name)) return { ...source, sql: `regexp_replace(${source.sql}, '(?i)^\\s*((?:us ?)?\\$|usd)?\\s*(\\d[\\d., '']*?)\\s*(?:usd|\\$)?\\s*$', '$\\2 thousand')` };
  return rule?.numbers === true && source.fraction ? { ...source, sql: `regexp_replace(${source.sql}, '[.](\\d{3})$', '.\\10')` } : source;
}

/** US dollars as columns of currencies call them: `USD`, `US$`, `U.S. Dollar`, `USD - US Dollar`, `US Dollar ($)`. */
const DOLLARS = '(?i)(?:[ ().:-]*(?:usd|(?:us ?)?\\$|840|(?:(?:united states|u\\.?s\\.?(?:a\\.?)?|american)[ -]?)?dollars?))+[ )]*';

/** An amount as it came where another column says dollars, or nothing; else with what that says in brackets, as which it is none of dollars, whatever it says: a number would be read with its own. */
function inCurrency(source: ReaderColumn, currency: ReaderColumn | null): ReaderColumn {
  if (currency === null) return source;
  const isOther = `NOT regexp_full_match(tidy(${currency.sql}), '${DOLLARS}') AND regexp_matches(${source.sql}, '\\d')`;
  return { ...source, sql: `CASE WHEN ${isOther} THEN ${source.sql} || ' (' || tidy(${currency.sql}) || ')' ELSE ${source.sql} END` };
}

/** The first cell that says something, those that are likely to say what the field can understand before the others. */
function firstSql(cells: readonly string[], rule: Rule | undefined): string {
  const telling = rule?.telling === undefined ? [] : cells.map((cell) => `CASE WHEN ${rule.telling!(cell)} THEN ${cell} END`);
  return `coalesce(${[...telling, ...cells].join(', ')})`;
}

function fieldSql(reader: Reader & Pick<FilePlan, 'dayOrders'>, { field, columns: from, places, currency }: Feed, column: LeadColumn, rules: readonly Rule[]): FieldSql {
  const as = name(field);
  const kind = column.kind === 'texts' ? 'list' : 'text';
  const rule = rules.find((known) => known.field === field);
  const columnOf = (wanted: string): ReaderColumn => reader.columns.find((known) => known.name === wanted)!;
  const sources = from.map((wanted) => inCurrency(asRead(columnOf(wanted), field, rule, reader.dayOrders), currency === null ? null : columnOf(currency)));
  const bit = rule === undefined ? null : bitOf(rule, rules);
  const [only] = sources;
  const single = sources.length === 1;
  const tidied = (source: ReaderColumn, sql: string): string => {
    const text = cellSql(sql, kind, source.repeated);
    return places.includes(source.name) ? placeSql(text) : text;
  };
  const cell = single ? only!.sql : firstSql(sources.map((source) => tidied(source, source.sql)), rule);
  if (bit === null) {
    const bounded = rule === undefined && field !== 'id' && column.kind === 'text' ? boundedSql(field, as) : as;
    return { as, cell, odd: null, tidy: single ? tidied(only!, as) : as, value: forwarded(rule, bounded) };
  }
  const odd = { sql: `NOT (${settledSql(rule!, as)})`, as: name(`${field} is odd`), bit };
  const onlyOdd = (sql: string): string => (sql === as ? as : `CASE WHEN ${odd.as} THEN ${sql} ELSE ${as} END`);
  return { as, cell, odd, tidy: onlyOdd(single ? cellSql(as, kind, false) : as), value: onlyOdd(forwarded(rule, as)) };
}
