import { name } from './duckdb.ts';
import type { Feed } from './mapping.ts';
import type { Reader } from './reader.ts';
import { forwarded, type Rule } from './rules.ts';
import { cellSql, charactersMax } from './tidy_sql.ts';
import type { LeadColumn } from './lead_table.ts';

/** The cells of all files as text, tidied, by field; row order is file order. `fault` says why a record is none. */
export const RAW = 'raw';

export function createRaw(columns: readonly LeadColumn[]): string {
  return `CREATE TABLE ${RAW} (fault VARCHAR, ${columns.map((column) => `${name(column.name)} VARCHAR`).join(', ')})`;
}

/** Reads one file into the raw table, every field from its columns in turn. */
export function fillRaw(reader: Reader, feeds: readonly Feed[], columns: readonly LeadColumn[], rules: readonly Rule[], rowsMax: number | null): string {
  const fed = feeds.map(({ field, columns: from }) => {
    const column = columns.find((known) => known.name === field)!;
    const cells = from.map((wanted) => cellSql(reader.columns.find((known) => known.name === wanted)!.sql, column.kind === 'texts' ? 'list' : 'text'));
    return { field, sql: cells.length === 1 ? cells[0]! : `coalesce(${cells.join(', ')})` };
  });
  const tidied = fed.map(({ field, sql }) => `${sql} AS ${name(field)}`);
  const forward = fed.map(({ field }) => {
    const column = columns.find((known) => known.name === field)!;
    const rule = rules.find((known) => known.field === field);
    const bounded = rule === undefined && field !== 'id' && column.kind === 'text' ? `cut(${name(field)}, ${charactersMax(field)})` : name(field);
    return `${forwarded(rule, bounded)} AS ${name(field)}`;
  });
  const source = rowsMax === null ? reader.relation : `(SELECT * FROM ${reader.sampled} LIMIT ${rowsMax})`;
  return `INSERT INTO ${RAW} BY NAME SELECT fault, ${forward.join(', ')} FROM (SELECT ${reader.fault} AS fault, ${tidied.join(', ')} FROM ${source})`;
}
