import { name, type Duck } from './duckdb.ts';
import { hasFraction, oneByName, readNumber, type ReaderColumn } from './reader_column.ts';

/**
 * The columns of a Parquet relation, those within records with a dot. Its own types tell them, not its values: these may be absent from the first rows.
 * `repeated`: the columns of which the file holds the different values once. `misread`: what holds numbers of which the engine makes others.
 */
export async function parquetColumns(duck: Duck, relation: string, repeated: ReadonlySet<string>, misread: ReadonlySet<string>): Promise<ParquetColumns> {
  const described = await duck.rows(`DESCRIBE SELECT * FROM ${relation}`);
  const columns: ReaderColumn[] = [];
  const leftOut: string[] = [];
  for (const { column_name: column, column_type: type } of described as Described[]) {
    const found = { path: [column], sql: name(column), type };
    for (const leaf of await leavesOf(duck, relation, found)) {
      const read = readerColumn(leaf, leaf === found && repeated.has(column));
      if (leaf.type.startsWith('DOUBLE') && misread.has(leaf.path.at(-1)!)) leftOut.push(read.name);
      else columns.push(read);
    }
  }
  return { columns: oneByName(columns), leftOut };
}

type ParquetColumns = { readonly columns: readonly ReaderColumn[]; readonly leftOut: readonly string[] };
type Described = { readonly column_name: string; readonly column_type: string };
type Leaf = { readonly path: readonly string[]; readonly sql: string; readonly type: string };

async function leavesOf(duck: Duck, relation: string, leaf: Leaf): Promise<Leaf[]> {
  if (!leaf.type.startsWith('STRUCT(') || leaf.type.endsWith(']')) return [leaf];
  const described = await duck.rows(`DESCRIBE SELECT unnest(record) FROM (SELECT ${leaf.sql} AS record FROM ${relation})`) as Described[];
  if (isNameless(leaf.type, described[0]!.column_name)) return [leaf];
  const leaves: Leaf[] = [];
  for (const { column_name: step, column_type: type } of described) {
    leaves.push(...(await leavesOf(duck, relation, { path: [...leaf.path, step], sql: `(${leaf.sql}).${name(step)}`, type })));
  }
  return leaves;
}

/** A record with a member that has no name, as one value of several types is written: nothing in it can be called, and the engine makes up what to call it. */
function isNameless(type: string, first: string): boolean {
  return !type.startsWith(`STRUCT(${first} `) && !type.startsWith(`STRUCT(${name(first)} `);
}

function readerColumn({ path, sql, type }: Leaf, repeated: boolean): ReaderColumn {
  const roundedFrom = ROUNDED_FROM.get(type);
  return { name: path.join('.'), sql: textSql(sql, type), repeated, fraction: hasFraction(type), records: /^(?:MAP|STRUCT)\(/.test(type), ...(roundedFrom !== undefined && { roundedFrom }) };
}

/** What follows on it has no number of its own in so many bits. */
const ROUNDED_FROM: ReadonlyMap<string, number> = new Map([['DOUBLE', 2 ** 53], ['FLOAT', 2 ** 24]]);

/** Bytes that are no text are told by their escapes, as those are that are one by chance: of a key in bytes no sign is to be lost. */
function bytesText(sql: string): string {
  return `coalesce(CASE WHEN NOT regexp_matches(TRY(decode(${sql})), '[\\x00-\\x08\\x0e-\\x1f\\x7f]') THEN TRY(decode(${sql})) END, ${sql}::VARCHAR)`;
}

function textSql(sql: string, type: string): string {
  if (type === 'BLOB') return bytesText(sql);
  if (type === 'BLOB[]') return `to_json(list_transform(${sql}, lambda item: ${bytesText('item')}))::VARCHAR`;
  const isPlain = !/[[(]/.test(type) || (type.startsWith('DECIMAL(') && !type.endsWith(']'));
  return isPlain ? readNumber(`${sql}::VARCHAR`, type) : `to_json(${sql})::VARCHAR`;
}
