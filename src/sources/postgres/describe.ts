import { LIMITS } from '../../config/limits.ts';
import { momentText } from '../../lib/moment.ts';
import { countryCode } from '../../model/country.ts';
import type { Vocabulary } from '../../model/vocabulary.ts';
import { SourceFailure, type Figures } from '../source.ts';
import type { Mapping } from '../sql/mapped_columns.ts';
import { isAbsent } from '../sql/columns.ts';
import { figuresOf } from '../sql/table_source.ts';
import { comparedTime, shownTime } from '../sql/written_times.ts';
import { isShown, TableColumns, type TableColumn } from './columns.ts';
import type { Connections } from './connect.ts';
import { name } from '../sql/defined_columns.ts';
import { literal, POSTGRES } from './dialect.ts';
import type { Partitions, PostgresTable } from './query.ts';

/**
 * Of a domain, over another one too, the type it is made of. A key on other servers is taken for unique: the table in front cannot say so. Of a table that others
 * inherit no index tells: it holds the table's own rows alone.
 */
const COLUMNS = `
  WITH RECURSIVE made(oid, base) AS (
    SELECT oid, typbasetype FROM pg_type WHERE typtype = 'd'
    UNION ALL
    SELECT made.oid, t.typbasetype FROM made JOIN pg_type t ON t.oid = made.base AND t.typtype = 'd'
  )
  SELECT a.attname, format_type(b.oid, NULL), b.typcategory, a.attnotnull, NOT coalesce(l.collisdeterministic, TRUE),
    NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = a.attrelid AND i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indnkeyatts = 1 AND i.indkey[0] = a.attnum
        AND NOT EXISTS (SELECT FROM pg_inherits h JOIN pg_class p ON p.oid = h.inhparent WHERE p.oid = a.attrelid AND p.relkind = 'r'))
      AND NOT EXISTS (SELECT FROM pg_partition_tree(a.attrelid) p JOIN pg_class c ON c.oid = p.relid WHERE c.relkind = 'f'),
    has_column_privilege(a.attrelid, a.attnum, 'SELECT')
  FROM pg_attribute a
    JOIN pg_type b ON b.oid = coalesce((SELECT base FROM made JOIN pg_type m ON m.oid = made.base AND m.typtype <> 'd' WHERE made.oid = a.atttypid), a.atttypid)
    LEFT JOIN pg_collation l ON l.oid = a.attcollation
  WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`;
const ENCODING = 'SHOW server_encoding';

/** A foreign table on each server that rows of the table come from, through views and partitions too, as far as the role may read it. */
const SHARDS = `
  WITH RECURSIVE reached(oid) AS (
    SELECT to_regclass($1)::oid
    UNION
    SELECT next.oid FROM reached, LATERAL (
      SELECT inhrelid FROM pg_inherits WHERE inhparent = reached.oid
      UNION ALL
      SELECT d.refobjid FROM pg_rewrite w JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid AND d.refclassid = 'pg_class'::regclass WHERE w.ev_class = reached.oid
    ) next(oid)
  )
  SELECT DISTINCT ON (f.ftserver) format('%I.%I', n.nspname, c.relname)
  FROM reached JOIN pg_class c USING (oid) JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_foreign_table f ON f.ftrelid = c.oid
  WHERE has_table_privilege(c.oid, 'SELECT') ORDER BY f.ftserver, c.oid`;

/** The tables at the ends of a partitioned one: null where none of them lies on another server, the role may not read each, or which rows it may see is told of the whole alone. */
const PARTITIONS = `
  SELECT array_agg(format('%I.%I', n.nspname, c.relname) ORDER BY c.oid) FILTER (WHERE p.isleaf), array_agg(c.oid::text ORDER BY c.oid) FILTER (WHERE p.isleaf)
  FROM pg_partition_tree(to_regclass($1)) p JOIN pg_class c ON c.oid = p.relid JOIN pg_namespace n ON n.oid = c.relnamespace
  HAVING bool_or(c.relkind = 'f') AND bool_or(c.relkind = 'p') AND bool_and(has_table_privilege(c.oid, 'SELECT')) AND NOT bool_or(row_security_active(c.oid))`;

/** `a.b` as `"a"."b"`: names are taken as they are written. */
export function tableName(table: string): string {
  return table.split('.').map(name).join('.');
}

/**
 * The columns that the table has now, as far as the role may read them. A table whose rows lie on other servers tells of them by itself, whatever became of those: each is
 * asked for a row, so that a source whose shard is gone is known to be down.
 */
export async function readColumns(connections: Connections, table: string, vocabulary: Vocabulary, mapping: Mapping, signal: AbortSignal): Promise<TableColumns> {
  const [[encoding]] = await connections.all({ text: ENCODING, values: [] }, 1, 'short', signal) as [[string]];
  if (encoding !== 'UTF8') throw new SourceFailure('refused', `the database is in ${encoding}, not in UTF8`);
  const found = await connections.all({ text: COLUMNS, values: [tableName(table)] }, LIMITS.postgresColumnsMax, 'short', signal) as [string, string, string, boolean, boolean, boolean, boolean][];
  if (found.length === 0) throw new SourceFailure('refused', `there is no table ${table}`);
  const readable = found.filter((column) => column[6]);
  if (readable.length === 0) throw new SourceFailure('refused', `the role may not read ${table}: GRANT SELECT on it`);
  const shards = await connections.all({ text: SHARDS, values: [tableName(table)] }, LIMITS.shardsMax, 'short', signal) as [string][];
  // Asks for no row, and for every right that a search needs: of a view that reads as whoever calls it the role must read the tables too.
  await connections.all({ text: `SELECT 1 FROM ${tableName(table)} LIMIT 0`, values: [] }, 1, 'short', signal);
  if (shards.length > 0) await connections.all({ text: `SELECT ${shards.map(([shard]) => `(SELECT 1 FROM ${shard} LIMIT 1)`).join(', ')}`, values: [] }, 1, 'short', signal);
  return new TableColumns(vocabulary, mapping, readable.map(([column, type, category, required, alike, repeats]): TableColumn => ({ name: column, type, category, required, alike, repeats })));
}

/** Partitions that lie on other servers, as they are now: a count that asks each of them is worked out over there. */
export async function readPartitions(connections: Connections, table: string, signal: AbortSignal): Promise<Partitions | null> {
  const [found] = await connections.all({ text: PARTITIONS, values: [tableName(table)] }, 1, 'short', signal) as [string[], string[]][];
  if (found === undefined || found[0].length > LIMITS.shardsMax) return null;
  const [tables, oids] = found;
  const same = `SELECT array_agg(p.relid::oid ORDER BY p.relid::oid) FILTER (WHERE p.isleaf) = '{${oids.join(',')}}'::oid[]
    AND NOT bool_or(row_security_active(p.relid))
    FROM pg_partition_tree(${literal(tableName(table))}) p`;
  return { tables, areThese: `(${same})` };
}

/** Let in as rows are: where one connection is for what is counted beside them, the counts of searches would wait until all of the table has been read. */
export async function readFigures(connections: Connections, table: PostgresTable, signal: AbortSignal): Promise<Figures> {
  const { columns } = table;
  const fields = columns.vocabulary.fields.map((field) => field.name).filter((field) => field !== 'id' && columns.has(field));
  const time = columns.time('updated_at');
  // As texts, times of one second have another order, and take longer to be made than all else here.
  const newest = time === null ? null : `floor(extract(epoch FROM max(${time}) FILTER (WHERE ${isShown(time)})) * 1000)::bigint::text`;
  const latest = newest ?? (columns.has('updated_at') ? `max(${comparedTime(columns.value('updated_at'))})` : 'NULL');
  const counts = fields.map((field) => `, count(*) FILTER (WHERE NOT ${isAbsent(field, columns, POSTGRES)})::text`).join('');
  // Of what is no code there are as many as there are rows.
  const country = columns.has('country') ? `CASE WHEN octet_length(${columns.code()}) = 2 THEN ${columns.code()} END` : 'NULL::text';
  const text = columns.over(table, `SELECT ${country}, ${latest}, count(*)::text${counts} FROM `, ' GROUP BY 1');
  const groups = await connections.all({ text, values: [] }, LIMITS.facetRowsMax, 'short', signal) as (string | null)[][];
  return figuresOf(fields, groups.map(([code, updated, rows, ...having]) => ({
    code: countryCode(code ?? ''),
    latest: updated == null ? null : time === null ? shownTime(updated) : momentText(Number(updated)),
    rows: Number(rows),
    having: having.map(Number),
  })));
}
