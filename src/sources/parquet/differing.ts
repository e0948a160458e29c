import { SourceFailure } from '../source.ts';
import { name } from '../sql/defined_columns.ts';
import type { Sql } from '../sql/dialect.ts';
import { columnKey, type TableColumn } from './columns.ts';
import type { Connections } from './connect.ts';
import { fileLiteral } from './dialect.ts';
import type { File, Files } from './files.ts';
import { tableOf } from './query.ts';

/** One entry of the schema in a file, those inside another behind it. */
type Node = readonly [column: string, kind: string, children: number];

/** Whatever else a file may have in such a column goes into it. */
const TAKES_ALL = /^(?:VARCHAR|U?(?:TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL\(.*\))$/;
const NESTED = 'nested';

const FRACTIONS = /^(?:FLOAT|DOUBLE)$/;
const TIMES = /^TIMESTAMP/;
const DAYS = /^DATE$/;

/**
 * Columns that are of one type in some files and of another in others: `clashing` ones that cannot be read, of those that are texts, `fractions` or
 * `times` in some files, and of those that are times, `days` in some. `deciding`: paths of files that have together every type of a column that has more than two. Of some
 * types without the others the engine makes another one, or none: texts, times and days are texts, but times and days are times. `alike`: in some file
 * several columns have this name, but for the case of its letters.
 */
type Differing = Readonly<Record<'clashing' | 'fractions' | 'times' | 'days' | 'deciding' | 'alike', ReadonlySet<string>>>;

/**
 * Columns that are one thing in some files and another in others, as a list and a text, where the engine cannot make one of both: whoever read them
 * would be told an error, and no row. Whether it can is a matter of the values, which are looked at in the files that differ. `all`: the names of all columns.
 */
export async function differingColumns(connections: Connections, files: Files, columns: readonly TableColumn[], all: readonly string[], signal: AbortSignal): Promise<Differing> {
  const found = { clashing: new Set<string>(), fractions: new Set<string>(), times: new Set<string>(), days: new Set<string>(), deciding: new Set<string>(), alike: new Set<string>() };
  const doubtful = files.sound.length < 2 ? [] : columns.filter(({ type }) => type === 'VARCHAR' || !TAKES_ALL.test(type));
  const doubled = columns.filter(({ name: column }) => all.some((other) => isNumbered(columnKey(other), columnKey(column))));
  if (doubtful.length === 0 && doubled.length === 0) return found;
  const shapes = await shapesOf(connections, files, signal);
  for (const { name: column } of doubled) if (shapes.some(({ doubled: keys }) => keys.has(columnKey(column)))) found.alike.add(column);
  for (const column of doubtful) {
    const having = shapes.flatMap(({ kinds, files: own }) => { const kind = kinds.get(columnKey(column.name)); return kind === undefined ? [] : [{ kind, files: own }]; });
    const types = await typesOf(connections, column, having, files.partsDiffer, signal);
    const others = having.filter(({ kind }) => types.get(kind) !== column.type);
    const has = (pattern: RegExp): boolean => others.some(({ kind }) => pattern.test(types.get(kind)!));
    if (column.type === 'VARCHAR') {
      if (has(FRACTIONS)) found.fractions.add(column.name);
      if (has(TIMES)) found.times.add(column.name);
    } else if (others.length > 0 && !await goesInto(connections, column, tableOf(others.flatMap((shape) => shape.files), files.partsDiffer), signal)) found.clashing.add(column.name);
    if (TIMES.test(column.type) && has(DAYS)) found.days.add(column.name);
    const byType = new Map(having.map(({ kind, files: [file] }) => [types.get(kind)!, file!.path]));
    if (byType.size > 2 && !found.clashing.has(column.name)) for (const path of byType.values()) found.deciding.add(path);
  }
  return found;
}

/** Of columns of one name but for the case of its letters the engine numbers the later ones. */
function isNumbered(other: string, column: string): boolean {
  return other.startsWith(`${column}_`) && /^[0-9]+$/.test(other.slice(column.length + 1));
}

type Having = { readonly kind: string; readonly files: readonly Pick<File, 'path'>[] };

/** By the kinds that files have of a column, their types. What is made of several things the engine is asked about, where it is not the same in all files. */
async function typesOf(connections: Connections, column: TableColumn, having: readonly Having[], partsDiffer: boolean, signal: AbortSignal): Promise<Map<string, string>> {
  const types = new Map<string, string>();
  const kinds = new Map(having.map(({ kind, files }) => [kind, files]));
  for (const [kind, files] of kinds) {
    const isAsked = kind.startsWith(NESTED) && kinds.size > 1;
    const described = `SELECT column_type FROM (DESCRIBE SELECT ${name(column.name)} FROM ${tableOf(files.slice(0, 1), partsDiffer)})`;
    types.set(kind, isAsked ? (await connections.all(described, 'short', signal))[0]![0] as string : kind.startsWith(NESTED) ? column.type : kind);
  }
  return types;
}

/** Files with the same columns: by the names of those, lower-case, what they are. `doubled`: names that more than one has. */
type Shape = { readonly kinds: ReadonlyMap<string, string>; readonly doubled: ReadonlySet<string>; readonly files: readonly Pick<File, 'path'>[] };

async function shapesOf(connections: Connections, { sound }: Files, signal: AbortSignal): Promise<Shape[]> {
  const nested = `concat_ws(' ', '${NESTED}', repetition_type, converted_type, duckdb_type)`;
  const kind = `CASE WHEN num_children > 0 OR repetition_type = 'REPEATED' THEN ${nested} ELSE duckdb_type END`;
  const nodes = `list(json_array(name, ${kind}, coalesce(num_children, 0)) ORDER BY column_id)`;
  const each = `SELECT file_name, to_json(${nodes})::VARCHAR AS shape FROM parquet_schema([${sound.map(({ path }) => fileLiteral(path)).join(', ')}]) GROUP BY file_name`;
  const found = await connections.all(`SELECT shape, to_json(list(file_name))::VARCHAR FROM (${each}) GROUP BY shape`, 'short', signal) as [string, string][];
  return found.map(([shape, paths]) => ({ ...shapeOf(JSON.parse(shape) as Node[]), files: (JSON.parse(paths) as string[]).map((path) => ({ path })) }));
}

/** Of the columns themselves, the first of a name: the first entry is the file's own, and what a column is made of is told behind what it is. */
function shapeOf(nodes: readonly Node[]): Omit<Shape, 'files'> {
  const columns: [key: string, kind: string][] = [];
  let inside = 0;
  for (const [column, kind, children] of nodes.slice(1)) {
    if (inside === 0) columns.push([columnKey(column), kind]);
    else {
      columns.at(-1)![1] += JSON.stringify([column, kind, children]);
      inside -= 1;
    }
    inside += children;
  }
  const keys = columns.map(([key]) => key);
  return { kinds: new Map(columns.toReversed()), doubled: new Set(keys.filter((key, at) => keys.indexOf(key) < at)) };
}

async function goesInto(connections: Connections, column: TableColumn, table: Sql, signal: AbortSignal): Promise<boolean> {
  const own = name(column.name);
  try {
    await connections.all(`SELECT count(${own}) FROM (SELECT ${own}::${column.type} AS ${own} FROM ${table})`, 'short', signal);
    return true;
  } catch (error) {
    if (signal.aborted || !(error instanceof SourceFailure) || (error.code !== 'malformed' && error.code !== 'refused')) throw error;
    return false;
  }
}
