import { LIMITS } from '../../config/limits.ts';
import type { Vocabulary } from '../../model/vocabulary.ts';
import { SourceFailure, type Description, type Figures } from '../source.ts';
import { supportOf } from '../sql/condition.ts';
import { TableColumns, type Mapping, type TableColumn } from './columns.ts';
import type { Connections } from './connect.ts';
import { literal, name } from './dialect.ts';
import type { Table } from './query.ts';

const COLUMNS = `
  SELECT a.attname, format_type(b.oid, NULL), b.typcategory, a.attnotnull
  FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid JOIN pg_type b ON b.oid = CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END
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

/** `a.b` as `"a"."b"`: names are taken as they are written. */
export function tableName(table: string): string {
  return table.split('.').map(name).join('.');
}

/**
 * The columns that the table has now. A table whose rows lie on other servers tells of them by itself, whatever became of those: each is
 * asked for a row, so that a source whose shard is gone is known to be down.
 */
export async function readColumns(connections: Connections, table: string, vocabulary: Vocabulary, mapping: Mapping, signal: AbortSignal): Promise<TableColumns> {
  const [[encoding]] = await connections.all({ text: ENCODING, values: [] }, 1, signal) as [[string]];
  if (encoding !== 'UTF8') throw new SourceFailure('refused', `the database is in ${encoding}, not in UTF8`);
  const found = await connections.all({ text: COLUMNS, values: [tableName(table)] }, LIMITS.ingestColumnsMax, signal) as [string, string, string, boolean][];
  if (found.length === 0) throw new SourceFailure('refused', `there is no table ${table}`);
  const shards = await connections.all({ text: SHARDS, values: [tableName(table)] }, LIMITS.shardsMax, signal) as [string][];
  if (shards.length > 0) await connections.all({ text: `SELECT ${shards.map(([shard]) => `(SELECT 1 FROM ${shard} LIMIT 1)`).join(', ')}`, values: [] }, 1, signal);
  return new TableColumns(vocabulary, mapping, found.map(([column, type, category, required]): TableColumn => ({ name: column, type, category, required })));
}

export function describeTable({ columns }: Table, missing: readonly string[]): Description {
  return {
    fields: columns.vocabulary.fields.map((field) => field.name).filter((field) => field === 'source' || field === 'sources' || columns.has(field)),
    filters: Object.fromEntries(columns.vocabulary.filters.map((spec) => [spec.name, supportOf(spec, columns)])),
    trouble: missing.length === 0 ? null : `columns that the configuration names are missing: those of ${missing.join(', ')}`,
  };
}

export async function readFigures(connections: Connections, { columns, table, source }: Table, signal: AbortSignal): Promise<Figures> {
  const fields = columns.vocabulary.fields.map((field) => field.name).filter((field) => field !== 'id' && columns.has(field));
  const latest = columns.has('updated_at') ? `max(${columns.value('updated_at')})` : 'NULL';
  const counts = fields.map((field) => `, count(${columns.value(field)})::text`).join('');
  const country = columns.has('country') ? columns.value('country') : literal('');
  const text = `SELECT ${country}, ${latest}, count(*)::text${counts} FROM ${columns.definition(table, source)} GROUP BY 1`;
  const groups = await connections.all({ text, values: [] }, LIMITS.facetRowsMax, signal) as (string | null)[][];
  const sum = (at: number): number => groups.reduce((total, group) => total + Number(group[at]), 0);
  const rows = sum(2);
  return {
    rows,
    updatedAt: groups.map(([, updated]) => updated ?? null).filter((updated) => updated !== null).toSorted().at(-1) ?? null,
    fill: Object.fromEntries(fields.map((field, at) => [field, Math.round((sum(3 + at) / Math.max(1, rows)) * 1e4) / 1e4])),
    countries: Object.fromEntries(groups.filter(([code]) => code).map(([code, , count]) => [code, Number(count)])),
  };
}
