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

/**
 * Columns that are of one type in some files and of another in others: `clashing` ones that cannot be read, and of those that are texts, `fractions` or
 * `times` in some files. `deciding`: paths of files that have together every type of a column that has more than two. Of some types without the
 * others the engine makes another one, or none: texts, times and days are texts, but times and days are times.
 */
type Differing = {
  readonly clashing: ReadonlySet<string>; readonly fractions: ReadonlySet<string>; readonly times: ReadonlySet<string>; readonly deciding: ReadonlySet<string>;
};

/**
 * Columns that are one thing in some files and another in others, as a list and a text, where the engine cannot make one of both: whoever read them
 * would be told an error, and no row. Whether it can is a matter of the values, which are looked at in the files that differ.
 */
export async function differingColumns(connections: Connections, files: Files, columns: readonly TableColumn[], signal: AbortSignal): Promise<Differing> {
  const [clashing, fractions, times, deciding] = [new Set<string>(), new Set<string>(), new Set<string>(), new Set<string>()];
  const doubtful = columns.filter(({ type }) => type === 'VARCHAR' || !TAKES_ALL.test(type));
  if (files.sound.length < 2 || doubtful.length === 0) return { clashing, fractions, times, deciding };
  const shapes = await shapesOf(connections, files, signal);
  for (const column of doubtful) {
    const [key, kind] = [columnKey(column.name), kindOf(column.type)];
    const others = shapes.filter(({ kinds }) => kinds.has(key) && kinds.get(key) !== kind);
    if (kind === 'VARCHAR') {
      if (others.some(({ kinds }) => FRACTIONS.test(kinds.get(key)!))) fractions.add(column.name);
      if (others.some(({ kinds }) => TIMES.test(kinds.get(key)!))) times.add(column.name);
    } else if (others.length > 0 && !await goesInto(connections, column, tableOf(others.flatMap((shape) => shape.files), files.partsDiffer), signal)) clashing.add(column.name);
    const byKind = new Map(shapes.flatMap(({ kinds, files: [file] }) => (kinds.has(key) ? [[kinds.get(key)!, file!.path] as const] : [])));
    if (byKind.size > 2 && !clashing.has(column.name)) for (const path of byKind.values()) deciding.add(path);
  }
  return { clashing, fractions, times, deciding };
}

/** Files with the same columns. */
type Shape = { readonly kinds: ReadonlyMap<string, string>; readonly files: readonly Pick<File, 'path'>[] };

async function shapesOf(connections: Connections, { sound }: Files, signal: AbortSignal): Promise<Shape[]> {
  const kind = `CASE WHEN num_children > 0 OR repetition_type = 'REPEATED' THEN '${NESTED}' ELSE duckdb_type END`;
  const nodes = `list(json_array(name, ${kind}, coalesce(num_children, 0)) ORDER BY column_id)`;
  const each = `SELECT file_name, to_json(${nodes})::VARCHAR AS shape FROM parquet_schema([${sound.map(({ path }) => fileLiteral(path)).join(', ')}]) GROUP BY file_name`;
  const found = await connections.all(`SELECT shape, to_json(list(file_name))::VARCHAR FROM (${each}) GROUP BY shape`, 'short', signal) as [string, string][];
  return found.map(([shape, paths]) => ({ kinds: kindsOf(JSON.parse(shape) as Node[]), files: (JSON.parse(paths) as string[]).map((path) => ({ path })) }));
}

/** Of the columns themselves: the first entry is the file's own, and what a column is made of is passed over. */
function kindsOf(nodes: readonly Node[]): Map<string, string> {
  const kinds = new Map<string, string>();
  let inside = 0;
  for (const [column, kind, children] of nodes.slice(1)) {
    if (inside === 0) kinds.set(columnKey(column), kind);
    else inside -= 1;
    inside += children;
  }
  return kinds;
}

function kindOf(type: string): string {
  return /\]$|^(?:STRUCT|MAP|UNION)\(/.test(type) ? NESTED : type;
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
