import { name, type Duck } from './duckdb.ts';
import { hasFraction, readNumber, type ReaderColumn } from './reader_column.ts';

/**
 * The columns of a Parquet relation, those within records with a dot. Its own types tell them, not its values: these may be absent from the first rows.
 * `repeated`: the columns of which the file holds the different values once.
 */
export async function parquetColumns(duck: Duck, relation: string, repeated: ReadonlySet<string>): Promise<ReaderColumn[]> {
  const described = await duck.rows(`DESCRIBE SELECT * FROM ${relation}`);
  const columns: ReaderColumn[] = [];
  for (const { column_name: column, column_type: type } of described as Described[]) {
    const found = { path: [column], sql: name(column), type };
    columns.push(...(await leavesOf(duck, relation, found)).map((leaf) => readerColumn(leaf, leaf === found && repeated.has(column))));
  }
  return columns;
}

type Described = { readonly column_name: string; readonly column_type: string };
type Leaf = { readonly path: readonly string[]; readonly sql: string; readonly type: string };

async function leavesOf(duck: Duck, relation: string, leaf: Leaf): Promise<Leaf[]> {
  if (!leaf.type.startsWith('STRUCT(') || leaf.type.endsWith(']')) return [leaf];
  const described = await duck.rows(`DESCRIBE SELECT unnest(record) FROM (SELECT ${leaf.sql} AS record FROM ${relation})`);
  const leaves: Leaf[] = [];
  for (const { column_name: step, column_type: type } of described as Described[]) {
    leaves.push(...(await leavesOf(duck, relation, { path: [...leaf.path, step], sql: `(${leaf.sql}).${name(step)}`, type })));
  }
  return leaves;
}

function readerColumn({ path, sql, type }: Leaf, repeated: boolean): ReaderColumn {
  return { name: path.join('.'), sql: textSql(sql, type), repeated, fraction: hasFraction(type), records: /^(?:MAP|STRUCT)\(/.test(type) };
}

/** Bytes that are no text are told by their escapes. */
function textSql(sql: string, type: string): string {
  if (type === 'BLOB') return `coalesce(TRY(decode(${sql})), ${sql}::VARCHAR)`;
  const isPlain = !/[[(]/.test(type) || (type.startsWith('DECIMAL(') && !type.endsWith(']'));
  return isPlain ? readNumber(`${sql}::VARCHAR`, type) : `to_json(${sql})::VARCHAR`;
}
