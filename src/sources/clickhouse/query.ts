import { LIMITS } from '../../config/limits.ts';
import { OWN_IDENTITY } from '../../model/chunk.ts';
import { IDENTITY_FIELDS } from '../../model/identity.ts';
import { SourceFailure, type RowsRequest, type Search } from '../source.ts';
import { isExact } from '../sql/bounds.ts';
import type { Reading } from '../sql/columns.ts';
import { conditionOf } from '../sql/condition.ts';
import { countedFields } from '../sql/counted_fields.ts';
import { LOWERED } from '../sql/mapped_columns.ts';
import type { PageStretch, Phase, Stretch } from '../sql/phase.ts';
import type { Sql } from '../sql/dialect.ts';
import type { Table } from '../sql/table_source.ts';
import type { Apart, TableColumns } from './columns.ts';
import { CLICKHOUSE, isUtf8, literal, name, QUOTED } from './dialect.ts';
import { AT, COUNTED, KEY, KEY_STORED, KEY_TEXT, SURE, UNSURE, VALUE } from './own_names.ts';

/** `sorting`: settings by which all rows are sorted. `repeats`: rows were seen that share their key. `noPrewhere`: no column can be read before the others, as of a view. */
export type ClickhouseTable = Table<TableColumns> & { readonly sorting: Readonly<Record<string, string>>; readonly seen: { repeats: boolean; noPrewhere: boolean } };

/** The rows of one phase from a key on, those of one key by what tells them apart. `keys`: those that they have, where that is known. */
export function rowsStatement(table: ClickhouseTable, request: RowsRequest, { phase, fromKey, rowsMax }: Stretch, apart: Apart, keys: readonly string[] | null = null): Sql {
  const { columns } = table;
  const { sure, maybe } = conditionOf(request, 'left', readingOf(table));
  const flags = [`toUInt8(${sure === maybe ? '1' : `ifNull(${sure}, 0)`}) AS ${name(SURE)}`, `toString(${phase.by}) AS ${name(AT)}`];
  const from = keys === null ? table.table : `${table.table} PREWHERE ${columns.asStored('id')} IN (${keys.map(keyLiteral(columns)).join(', ')})`;
  const where = stretchOf(maybe, phase, fromKey);
  const order = `ORDER BY ${[...new Set([phase.by, ...columns.apart(apart)])].join(', ')}`;
  const shown = members(table, columns.rowFields(request.fields));
  // An order by hashes needs all that is shown before it is cut.
  if (rowsMax === null || isByHash(columns, phase)) {
    return defining(table, `SELECT ${[shown, ...flags].join(', ')} FROM ${from} WHERE ${where} ${order}${rowsMax === null ? '' : ` LIMIT ${rowsMax}`}`);
  }
  return shownOf(table, [shown, name(SURE), name(AT)].join(', '), order, (stored) => `SELECT ${[...stored, ...flags].join(', ')} FROM ${from} WHERE ${where} ${order} LIMIT ${rowsMax}`);
}

/** Where the first rows of a stretch stand, and their keys: all else is then read of these rows alone. Null where that cannot be, or they are too many. */
export function placesStatement(table: ClickhouseTable, request: RowsRequest, { phase, fromKey, rowsMax }: PageStretch): Sql | null {
  const { columns, seen } = table;
  if (seen.noPrewhere || columns.key?.named !== true || isByHash(columns, phase) || rowsMax > LIMITS.clickhouseKeysMax) return null;
  const where = stretchOf(conditionOf(request, 'left', readingOf(table)).maybe, phase, fromKey);
  const key = name(KEY_STORED);
  const order = [...new Set([phase.by, key])].join(', ');
  return defining(table, `SELECT toString(${phase.by}) AS ${name(AT)}, toString(${key}) AS ${name(KEY)} FROM ${table.table} WHERE ${where} ORDER BY ${order} LIMIT ${rowsMax}`);
}

function stretchOf(matching: Sql, phase: Phase, fromKey: string | null): Sql {
  // An old server takes a text for no less than one that is longer by a NUL, but only where it is asked for that.
  const from = fromKey === null ? [] : [phase.type === 'integer' ? `${phase.by} >= ${wholeNumber(fromKey)}` : `NOT (${phase.by} < ${literal(fromKey)})`];
  return [matching, phase.where, ...from].map((part) => `(${part})`).join(' AND ');
}

function isByHash(columns: TableColumns, phase: Phase): boolean {
  return phase.by === columns.value('id') && columns.key?.whole !== true;
}

function keyLiteral({ key }: TableColumns): (text: string) => Sql {
  return key?.type === 'integer' ? wholeNumber : literal;
}

/**
 * Few rows, read as they are stored and made what they are shown as around that: the servers behind a Distributed table then never see how,
 * and an old server takes half the time. Of many rows each server makes its own.
 */
function shownOf(table: ClickhouseTable, shown: Sql, order: Sql, reading: (stored: readonly Sql[]) => Sql): Sql {
  const [begin, end] = [`SELECT ${shown} FROM (`, `) ${order}`];
  const stored = table.columns.storedIn(begin + end);
  return `${table.columns.definitionsOf(begin + end)}${begin}${defining(table, reading(stored))}${end}`;
}

/** How many rows match for sure, and of how many the engine cannot tell. */
export function countStatement(table: ClickhouseTable, search: Search): Sql {
  const bounds = conditionOf(search, 'asked', readingOf(table));
  if (bounds.maybe === CLICKHOUSE.no) return `SELECT ${table.columns.countOfNone} AS ${name(COUNTED)} FROM ${table.table} WHERE ${CLICKHOUSE.no}`;
  const sure = `countIf(ifNull(${bounds.sure}, 0))`;
  const counts = isExact(bounds) ? `count() AS ${name(COUNTED)}` : `${sure} AS ${name(COUNTED)}, count() - ${sure} AS ${name(UNSURE)}`;
  return defining(table, `SELECT ${counts} FROM ${table.table} WHERE ${bounds.maybe}`);
}

/** The rows of which the engine cannot tell, one more than are looked at. */
export function unsureStatement(table: ClickhouseTable, search: Search): Sql {
  const bounds = conditionOf(search, 'asked', readingOf(table));
  const fields = table.columns.rowFields(countedFields(search, table.columns.vocabulary));
  const where = `(${bounds.maybe}) AND ${CLICKHOUSE.not(bounds.sure)}`;
  return shownOf(table, members(table, fields), '', (stored) => `SELECT ${stored.join(', ')} FROM ${table.table} WHERE ${where} LIMIT ${LIMITS.unsureRowsMax + 1}`);
}

/** Values with their counts, over the rows that match for sure. */
export function facetStatement(table: ClickhouseTable, value: Sql, search: Search): Sql {
  const { sure } = conditionOf(search, 'asked', readingOf(table));
  return defining(table,
    `SELECT ${computed(value)} AS ${name(VALUE)}, count() AS ${name(COUNTED)}
    FROM ${table.table} WHERE (${sure}) AND isNotNull(${value})
    GROUP BY ${name(VALUE)} ORDER BY ${name(COUNTED)} DESC, ${name(VALUE)} LIMIT ${LIMITS.facetRowsMax}`,
  );
}

export function phasesOf({ columns }: ClickhouseTable, order: RowsRequest['order']): Phase[] {
  return order === 'identity' ? identityPhases(columns) : storedPhases(columns);
}

/** By the key: the column itself where that is a number, which the table may be sorted by. What has no key of its own comes behind, by its hash. */
function storedPhases(columns: TableColumns): Phase[] {
  const { key } = columns;
  const byId: Phase = { where: '1', by: columns.value('id'), type: 'text', keyClass: OWN_IDENTITY };
  if (key === null) return [byId];
  const own = name(key.type === 'integer' ? KEY_STORED : KEY_TEXT);
  const byKey: Phase = { where: key.whole ? '1' : `isNotNull(${own})`, by: key.type === 'integer' ? own : `assumeNotNull(${own})`, type: key.type, keyClass: OWN_IDENTITY };
  return key.whole ? [byKey] : [byKey, { ...byId, where: `isNull(${own})` }];
}

/** To be given a name of its own: old servers lose sight of a column that has two when its rows come from a shard. */
export function computed(value: Sql): Sql {
  return `materialize(${value})`;
}

function wholeNumber(key: string): Sql {
  if (!/^-?\d{1,20}$/.test(key)) throw new SourceFailure('refused', 'the place in a cursor is no number');
  return key;
}

/** One phase a class of identity. A key that is blank, too long for a cursor or no text is none. */
function identityPhases(columns: TableColumns): Phase[] {
  const fields = IDENTITY_FIELDS[columns.vocabulary.dataset].map((field, keyClass) => ({ field, keyClass })).filter(({ field }) => columns.has(field));
  const lowered = (field: string): Sql => (LOWERED.has(field) ? columns.value(field) : CLICKHOUSE.lower(columns.value(field)));
  const keys = fields.map(({ field }) => `assumeNotNull(ifNull(${columns.compared(field) ?? lowered(field)}, ''))`);
  const lent = keys.map((key) => `(${isUtf8(key)} AND length(${key}) <= ${LIMITS.foreignKeyBytesMax})`);
  const without = (count: number): Sql[] => lent.slice(0, count).map((condition) => CLICKHOUSE.not(condition));
  return [
    ...keys.map((key, at): Phase => ({ where: [lent[at]!, ...without(at)].join(' AND '), by: key, type: 'text', keyClass: fields[at]!.keyClass })),
    { where: without(keys.length).join(' AND ') || '1', by: columns.value('id'), type: 'text', keyClass: OWN_IDENTITY },
  ];
}

export function readingOf({ source, columns }: ClickhouseTable): Reading {
  return { source, dialect: CLICKHOUSE, columns, bind: QUOTED };
}

/** A statement behind the definitions of what it names. */
export function defining({ columns }: Pick<ClickhouseTable, 'columns'>, statement: Sql): Sql {
  return columns.definitionsOf(statement) + statement;
}

/** Under the names by which they are defined: see `rows.ts`. */
function members({ source, columns }: ClickhouseTable, fields: readonly string[]): Sql {
  return fields.map((field) => {
    if (field === 'source') return `${literal(source)} AS ${columns.value(field)}`;
    return field === 'sources' ? `[${literal(source)}] AS ${columns.value(field)}` : columns.value(field);
  }).join(', ');
}
