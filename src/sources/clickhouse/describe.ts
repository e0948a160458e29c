import type { Vocabulary } from '../../model/vocabulary.ts';
import type { Description, Figures } from '../source.ts';
import { supportOf } from '../sql/condition.ts';
import { bareType, TableColumns, type Mapping } from './columns.ts';
import type { Connections } from './connect.ts';
import { name } from './dialect.ts';
import type { Table } from './query.ts';

export function tableName(table: string): string {
  return table.split('.').map(name).join('.');
}

/** The columns that the table has now. */
export async function readColumns(connections: Connections, table: string, vocabulary: Vocabulary, mapping: Mapping, signal: AbortSignal): Promise<TableColumns> {
  const found = await connections.all(`DESCRIBE TABLE ${tableName(table)}`, signal) as { name: string; type: string }[];
  return new TableColumns(vocabulary, mapping, found.map((column) => ({ name: column.name, type: bareType(column.type) })));
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
  const counts = fields.map((field) => `countIf(${columns.isList(field) ? `notEmpty(${columns.value(field)})` : `isNotNull(${columns.value(field)})`}) AS ${name(`count of ${field}`)}`);
  const latest = columns.has('updated_at') ? `max(${columns.value('updated_at')})` : 'NULL';
  const statement = `SELECT ${columns.value('country')} AS code, ${latest} AS latest, count() AS rows${counts.map((count) => `, ${count}`).join('')} FROM ${columns.definition(table, source)} GROUP BY code`;
  const groups = await connections.all(statement, signal);
  const sum = (member: string): number => groups.reduce((total, group) => total + Number(group[member]), 0);
  const rows = sum('rows');
  return {
    rows,
    updatedAt: groups.map(({ latest: moment }) => moment).filter((moment) => typeof moment === 'string').toSorted().at(-1) ?? null,
    fill: Object.fromEntries(fields.map((field) => [field, Math.round((sum(`count of ${field}`) / Math.max(1, rows)) * 1e4) / 1e4])),
    countries: Object.fromEntries(groups.filter(({ code }) => code !== null).map(({ code, rows: count }) => [String(code), Number(count)])),
  };
}
