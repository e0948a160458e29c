import type { Vocabulary } from '../../model/vocabulary.ts';
import type { Description, Figures } from '../source.ts';
import { supportOf } from '../sql/condition.ts';
import { bareType, TableColumns, type Mapping } from './columns.ts';
import type { Connections } from './connect.ts';
import { name } from './dialect.ts';
import { computed, type Table } from './query.ts';
import { assertWhole, HELD_SETTINGS } from './whole_answers.ts';

export function tableName(table: string): string {
  return table.split('.').map(name).join('.');
}

/**
 * The columns that the table has now. A Distributed table tells of them by itself, whatever became of its shards: each is asked for the
 * rows of an empty answer, so that a source whose shard is gone is known to be down.
 */
export async function readColumns(connections: Connections, table: string, vocabulary: Vocabulary, mapping: Mapping, signal: AbortSignal): Promise<TableColumns> {
  assertWhole(await connections.all(HELD_SETTINGS, signal) as { name: string; value: string }[]);
  await connections.all(`SELECT count() AS rows FROM ${tableName(table)} WHERE 0`, signal);
  const found = await connections.all(`DESCRIBE TABLE ${tableName(table)}`, signal) as { name: string; type: string }[];
  return new TableColumns(vocabulary, mapping, found.map((column) => ({ name: column.name, type: bareType(column.type), nullable: column.type.includes('Nullable(') })));
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
  const statement = `SELECT ${computed(columns.value('country'))} AS code, ${latest} AS latest, count() AS rows${counts.map((count) => `, ${count}`).join('')} FROM ${table} GROUP BY code`;
  const groups = await connections.all(columns.defining(statement, source), signal);
  const sum = (member: string): number => groups.reduce((total, group) => total + Number(group[member]), 0);
  const rows = sum('rows');
  return {
    rows,
    updatedAt: groups.map(({ latest: moment }) => moment).filter((moment) => typeof moment === 'string').toSorted().at(-1) ?? null,
    fill: Object.fromEntries(fields.map((field) => [field, Math.round((sum(`count of ${field}`) / Math.max(1, rows)) * 1e4) / 1e4])),
    countries: Object.fromEntries(groups.filter(({ code }) => code !== null).map(({ code, rows: count }) => [String(code), Number(count)])),
  };
}
