import { LIMITS } from '../../config/limits.ts';
import { underDeadline } from '../../lib/under_deadline.ts';
import type { Vocabulary } from '../../model/vocabulary.ts';
import { SourceFailure, type Figures } from '../source.ts';
import { isAbsent } from '../sql/columns.ts';
import { wantedNames, type Mapping } from '../sql/mapped_columns.ts';
import { figuresOf } from '../sql/table_source.ts';
import { comparedTime, shownTime } from '../sql/written_times.ts';
import { differingColumns } from './differing.ts';
import { columnKey, TableColumns, type TableColumn } from './columns.ts';
import type { Connections } from './connect.ts';
import { DUCKDB, fileLiteral, literal } from './dialect.ts';
import type { Files } from './files.ts';
import { rowsOf, tableOf, type ParquetTable } from './query.ts';

/** Columns by which the engine itself tells where a row stands: files cannot have their own. */
const PLACES = new Set(['filename', 'file_row_number', 'file_index']);

/** Of decimals. */
const PRECISION_MAX = 38;

type Read = Pick<ParquetTable, 'columns' | 'clashing' | 'alike' | 'deciding'>;

/** The columns that the files have now, without those that cannot be read. */
export async function readColumns(connections: Connections, files: Files, vocabulary: Vocabulary, mapping: Mapping, signal: AbortSignal): Promise<Read> {
  const found = await connections.all(`SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM ${tableOf(files.sound, files.partsDiffer)})`, 'short', signal) as [string, string][];
  const taken = found.find(([column]) => PLACES.has(column.toLowerCase()));
  if (taken !== undefined) throw new SourceFailure('refused', `a column is called ${taken[0]}, by which the engine tells where a row stands`);
  const wanted = new Set(wantedNames(vocabulary, mapping).map(columnKey));
  const named = found.map(([column, type]): TableColumn => ({ name: column, type })).filter((column) => wanted.has(columnKey(column.name)));
  const misread = await misreadColumns(connections, files, named.filter(({ type }) => type.startsWith('DOUBLE')).map((column) => column.name), signal);
  const read = named.filter((column) => !misread.has(column.name));
  const { clashing, fractions, times, days, deciding, alike } = await differingColumns(connections, files, read, found.map(([column]) => column), signal);
  const sound = read.filter(({ name: column }) => !clashing.has(column))
    .map((column) => ({ ...column, hasFractions: fractions.has(column.name), hasTimes: times.has(column.name), hasDays: days.has(column.name) }));
  return { columns: new TableColumns(vocabulary, mapping, sound), clashing: [...clashing], alike: [...alike], deciding };
}

/** Decimals of more digits than the engine has: it makes other numbers of them, and says that they are fractions. */
async function misreadColumns(connections: Connections, { sound }: Files, fractions: readonly string[], signal: AbortSignal): Promise<Set<string>> {
  if (fractions.length === 0) return new Set();
  const within = `name IN (${fractions.map(literal).join(', ')}) AND precision > ${PRECISION_MAX}`;
  const found = await connections.all(`SELECT DISTINCT name FROM parquet_schema([${sound.map(({ path }) => fileLiteral(path)).join(', ')}]) WHERE ${within}`, 'short', signal);
  return new Set(found.map(([column]) => column as string));
}

/** The rows are known from the files' own footers; the rest takes a look at every row, and is left out where that takes too long. */
export async function readFigures(connections: Connections, table: ParquetTable, signal: AbortSignal): Promise<Figures> {
  const rows = rowsOf(table);
  try {
    return await underDeadline(signal, LIMITS.parquetFiguresMs, (own) => countFigures(connections, table, own));
  } catch (error) {
    if (signal.aborted || !(error instanceof SourceFailure)) throw error;
    return { rows, updatedAt: null, fill: {}, countries: {} };
  }
}

async function countFigures(connections: Connections, table: ParquetTable, signal: AbortSignal): Promise<Figures> {
  const { columns } = table;
  const fields = columns.vocabulary.fields.map((field) => field.name).filter((field) => field !== 'id' && columns.has(field));
  const latest = columns.has('updated_at') ? `max(${comparedTime(columns.value('updated_at'))})` : 'NULL::VARCHAR';
  const country = columns.has('country') ? columns.value('country') : literal('');
  const counts = fields.map((field) => `, (count(*) FILTER (WHERE NOT ${isAbsent(field, columns, DUCKDB)}))::VARCHAR`).join('');
  const statement = columns.over(table, `SELECT ${country}, ${latest}, count(*)::VARCHAR${counts} FROM `, ' GROUP BY 1');
  const groups = await connections.all(statement, 'long', signal) as (string | null)[][];
  return figuresOf(fields, groups.map(([code, updated, rows, ...having]) => (
    { code: code || null, latest: updated == null ? null : shownTime(updated), rows: Number(rows), having: having.map(Number) }
  )));
}
