import { LIMITS } from '../../config/limits.ts';
import { OWN_IDENTITY } from '../../model/chunk.ts';
import { IDENTITY_FIELDS } from '../../model/identity.ts';
import type { RowsRequest, Search } from '../source.ts';
import { isExact } from '../sql/bounds.ts';
import type { Reading } from '../sql/columns.ts';
import { conditionOf } from '../sql/condition.ts';
import { countedFields } from '../sql/counted_fields.ts';
import type { Sql } from '../sql/dialect.ts';
import { isGiven, LOWERED } from '../sql/mapped_columns.ts';
import type { Phase, Stretch } from '../sql/phase.ts';
import type { Table, Where } from '../sql/table_source.ts';
import type { TableColumns } from './columns.ts';
import { name } from '../sql/defined_columns.ts';
import { DUCKDB, fileLiteral, literal, loweredKey, QUOTED } from './dialect.ts';
import type { File, Files } from './files.ts';

/** `clashing`: columns that the files have as things of which there is no one. `alike` and `deciding`: see `Differing`. */
export type ParquetTable = Table<TableColumns> & { readonly files: Files; readonly clashing: readonly string[]; readonly alike: readonly string[]; readonly deciding: ReadonlySet<string> };

/**
 * The files as one table: columns by their names, whichever file has them. Parts of their paths, as `country=US`, are columns too, and texts; the engine
 * takes them where all files have the same, which it must not find in a few of those that do not.
 */
export function tableOf(files: readonly Pick<File, 'path'>[], partsDiffer: boolean): Sql {
  const byName = files.length > 1 ? ', union_by_name = true' : '';
  const byPath = partsDiffer ? ', hive_partitioning = false' : '';
  return `read_parquet([${files.map(({ path }) => fileLiteral(path)).join(', ')}], hive_types_autocast = false, binary_as_string = true${byName}${byPath})`;
}

/** Some of the files, with the columns and the types that all of them have together: a row is the same whichever files it is read with. */
function someOf({ files: { sound, partsDiffer }, columns, deciding }: ParquetTable, files: readonly File[]): Sql {
  if (files.length === sound.length) return tableOf(files, partsDiffer);
  const some = new Set(files);
  const others = sound.filter((file) => deciding.has(file.path) && !some.has(file));
  const read = others.length === 0 ? files : sound.filter((file) => some.has(file) || deciding.has(file.path));
  const without = others.length === 0 ? '' : ` WHERE filename NOT IN (${others.map(({ path }) => literal(path)).join(', ')})`;
  const shape = columns.inUse.map((column) => `NULL::${column.type} AS ${name(column.name)}`);
  const none = `SELECT ${[...shape, 'NULL::VARCHAR AS filename', 'NULL::BIGINT AS file_row_number'].join(', ')} WHERE FALSE`;
  return `(${none} UNION ALL BY NAME SELECT *, filename, file_row_number FROM ${tableOf(read, partsDiffer)}${without})`;
}

/**
 * Rows as they stand in the files, the files by their marks: nothing is sorted, and the first row comes at once. Its key is
 * `MARK.ROW`, which the reader puts together.
 */
const BY_PLACE = 'place';

export function isByPlace({ type }: Phase): boolean {
  return type === BY_PLACE;
}

/** The files in which a stretch by place stands. */
export function filesOf({ files: { sound } }: ParquetTable, { fromKey }: Stretch): readonly File[] {
  const [mark = ''] = fromKey?.split('.') ?? [];
  return sound.filter((file) => file.mark >= mark);
}

/** The rows of a stretch by place in some of its files. The values are `key`, a number, `sure`, the row itself, and `file`. */
export function placedStatement(table: ParquetTable, request: RowsRequest, { fromKey, rowsMax }: Stretch, files: readonly File[]): Sql {
  const [mark = '', row = '0'] = fromKey?.split('.') ?? [];
  const begun = files[0]!.mark === mark && Number(row) > 0 ? [`(d."@file" <> ${literal(files[0]!.path)} OR d."@row" >= ${QUOTED.number(Number(row))})`] : [];
  const { sure, maybe } = conditionOf(request, 'left', readingOf(table));
  const fields = table.columns.rowFields(request.fields);
  const where = [maybe, ...begun].map((part) => `(${part})`).join(' AND ');
  const among = { ...table, table: someOf(table, files) };
  return table.columns.over(among, `SELECT d."@row", ${sureSql(sure, maybe)}, ${rowJson(table, fields, 'd')}, d."@file" FROM `, ` WHERE ${where}${limit(rowsMax)}`);
}

/** All rows of a phase from a key on, in its order: JSON is made of them when they have been sorted. The values are `key`, `sure` and the row itself. */
export function orderedStatement(table: ParquetTable, request: RowsRequest, stretch: Stretch): Sql {
  const fields = table.columns.rowFields(request.fields);
  const own = fields.filter((field) => !isGiven(field)).map((field) => `d.${name(field)}`);
  return `SELECT p."@at", p."@sure", ${rowJson(table, fields, 'p')} FROM (${sortedStatement(table, request, stretch, own)}) p`;
}

/** The keys and the places of a page of rows: nothing else is read of those that do not come into it. The values are `key`, `sure`, `file` and `row`. */
export function pageStatement(table: ParquetTable, request: RowsRequest, stretch: Stretch): Sql {
  return sortedStatement(table, request, stretch, ['d."@file"', 'd."@row"']);
}

/** The rows at some places, in no order, as they stand there now: the values are `key`, `sure`, whether it is one of those that are read, `file`, `row` and the row itself. */
export function rowsAtStatement(table: ParquetTable, request: RowsRequest, { by, where }: Phase, places: readonly (readonly [file: string, row: bigint])[]): Sql {
  const { sure, maybe } = conditionOf(request, 'left', readingOf(table));
  const shown = rowJson(table, table.columns.rowFields(request.fields), 'd');
  return standing(table, places, `SELECT ${by}, ${sureSql(sure, maybe)}, ((${maybe}) AND (${where})) IS TRUE, d."@file", d."@row", ${shown} FROM `);
}

function sortedStatement(table: ParquetTable, request: RowsRequest, { phase, fromKey, rowsMax }: Stretch, values: readonly Sql[]): Sql {
  const { sure, maybe } = conditionOf(request, 'left', readingOf(table));
  const from = fromKey === null ? [] : [`${phase.by} >= ${literal(fromKey)}`];
  const where = [maybe, phase.where, ...from].map((part) => `(${part})`).join(' AND ');
  const selected = [`${phase.by} AS "@at"`, `${sureSql(sure, maybe)} AS "@sure"`, ...values].join(', ');
  return table.columns.over(table, `SELECT ${selected} FROM `, ` WHERE ${where} ORDER BY ${phase.by}, d."@file", d."@row"${limit(rowsMax)}`);
}

/** How many match for sure, and where those stand of which the engine cannot tell, as JSON, one more than are looked at, by one look. Null where all rows match: those are known. */
export function countStatement(table: ParquetTable, search: Search): Sql | null {
  const bounds = conditionOf(search, 'asked', readingOf(table));
  const counted = (values: Sql, end = ''): Sql => table.columns.over(table, `SELECT ${values} FROM `, ` WHERE ${bounds.maybe}${end}`);
  const most = LIMITS.unsureRowsMax + 1;
  if (bounds.sure === DUCKDB.yes) return null;
  if (isExact(bounds)) return counted('count(*)::VARCHAR, NULL');
  const place = 'd."@file", d."@row"::VARCHAR AS "@row"';
  // Of such a search it can tell of no row: the first will do.
  if (bounds.sure === DUCKDB.no) return `SELECT '0', to_json(list([p."@file", p."@row"]))::VARCHAR FROM (${counted(place, ` LIMIT ${most}`)}) p`;
  const unsure = `min([p."@file", p."@row"], ${most}) FILTER (WHERE p."@sure" IS NOT TRUE)`;
  return `SELECT (count(*) FILTER (WHERE p."@sure"))::VARCHAR, to_json(${unsure})::VARCHAR FROM (${counted(`${bounds.sure} AS "@sure", ${place}`)}) p`;
}

/** As the files say of themselves. */
export function rowsOf({ files: { sound } }: ParquetTable): number {
  return sound.reduce((sum, file) => sum + file.rows, 0);
}

/** The rows of which the engine cannot tell, where they stand, and some of other files that stand at the same number: the values are the row itself, `file` and `row`. */
export function unsureStatement(table: ParquetTable, search: Search, at: readonly Where[]): Sql {
  const { sure, maybe } = conditionOf(search, 'asked', readingOf(table));
  const fields = table.columns.rowFields(countedFields(search, table.columns.vocabulary));
  return standing(table, at, `SELECT ${rowJson(table, fields, 'd')}, d."@file", d."@row" FROM `, ` AND (${maybe}) AND ${DUCKDB.not(sure)}`);
}

/** Of the files in which some rows stand, those at the same numbers: `begin` and `end` are of the statement. */
function standing(table: ParquetTable, at: readonly (readonly [file: string, row: bigint | string])[], begin: Sql, end: Sql = ''): Sql {
  const files = new Set(at.map(([file]) => file));
  const among = someOf(table, table.files.sound.filter(({ path }) => files.has(path)));
  const rows = [...new Set(at.map(([, row]) => QUOTED.number(Number(row))))].join(', ');
  return table.columns.over({ ...table, table: among }, begin, ` WHERE d."@row" IN (${rows})${end}`);
}

/** Values with their counts, over the rows that match for sure, and the rows that have none. */
export function facetStatement(table: ParquetTable, value: Sql, search: Search): Sql {
  const { sure } = conditionOf(search, 'asked', readingOf(table));
  return table.columns.over(table, `SELECT ${value}, count(*)::VARCHAR FROM `, ` WHERE ${sure} GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT ${LIMITS.facetRowsMax + 2}`);
}

export function phasesOf({ columns }: ParquetTable, order: RowsRequest['order']): Phase[] {
  return order === 'identity' ? identityPhases(columns) : [{ where: 'TRUE', by: 'd."@row"', type: BY_PLACE, keyClass: OWN_IDENTITY }];
}

/** One phase a class of identity. A key that is blank, or too long for a cursor, is none. */
function identityPhases(columns: TableColumns): Phase[] {
  const fields = IDENTITY_FIELDS[columns.vocabulary.dataset].map((field, keyClass) => ({ field, keyClass })).filter(({ field }) => columns.has(field));
  const keys = fields.map(({ field }) => columns.compared(field) ?? (LOWERED.has(field) ? columns.value(field) : loweredKey(columns.value(field))));
  const lent = keys.map((key) => `${key} <> '' AND strlen(${key}) <= ${LIMITS.foreignKeyBytesMax}`);
  const without = (count: number): Sql[] => lent.slice(0, count).map((condition) => DUCKDB.not(condition));
  return [
    ...keys.map((key, at): Phase => ({ where: [lent[at]!, ...without(at)].join(' AND '), by: `(${key})`, type: 'text', keyClass: fields[at]!.keyClass })),
    { where: without(keys.length).join(' AND ') || 'TRUE', by: 'd."id"', type: 'text', keyClass: OWN_IDENTITY },
  ];
}

export function readingOf({ source, columns }: ParquetTable): Reading {
  return { source, dialect: DUCKDB, columns, bind: QUOTED };
}

function sureSql(sure: Sql, maybe: Sql): Sql {
  return sure === maybe ? 'TRUE' : `coalesce(${sure}, FALSE)`;
}

function limit(rowsMax: number | null): Sql {
  return rowsMax === null ? '' : ` LIMIT ${rowsMax}`;
}

/** The row as one text: members in row order, nulls spelled out. */
function rowJson({ source }: ParquetTable, fields: readonly string[], from: string): Sql {
  const members = fields.map((field) => {
    if (field === 'source') return `"source" := ${literal(source)}`;
    return field === 'sources' ? `"sources" := [${literal(source)}]` : `${name(field)} := ${from}.${name(field)}`;
  });
  return `to_json(struct_pack(${members.join(', ')}))::VARCHAR`;
}
