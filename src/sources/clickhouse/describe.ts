import { momentText } from '../../lib/moment.ts';
import type { Vocabulary } from '../../model/vocabulary.ts';
import { SourceFailure, type Figures } from '../source.ts';
import type { Mapping } from '../sql/mapped_columns.ts';
import { figuresOf } from '../sql/table_source.ts';
import { shownTime } from '../sql/written_times.ts';
import { bareType, TableColumns } from './columns.ts';
import type { Connections } from './connect.ts';
import { name } from './dialect.ts';
import { CODE, COUNTED, HAVING, isOwnName, LATEST } from './own_names.ts';
import { computed, defining, type ClickhouseTable } from './query.ts';
import { sortSettings } from './sorting.ts';
import { assertWhole, HELD_SETTINGS, type HeldSettings } from './whole_answers.ts';

/** What an aggregate is made of, in bytes of the server's own: no value is told by them. */
const STATE = /\bAggregateFunction\(/;

function tableName(table: string): string {
  return table.split('.').map(name).join('.');
}

type Described = Mapping & { readonly name: string; readonly table: string };

/**
 * The table with the columns that it has now. A Distributed table tells of them by itself, whatever became of its shards: each is asked for the
 * rows of an empty answer, so that a source whose shard is gone is known to be down.
 */
export async function readTable(connections: Connections, { name: source, table, ...mapping }: Described, vocabulary: Vocabulary, signal: AbortSignal): Promise<ClickhouseTable> {
  const held = await connections.all(HELD_SETTINGS, 'short', signal) as HeldSettings[];
  assertWhole(held);
  const found = await connections.all(`DESCRIBE TABLE ${tableName(table)}`, 'short', signal) as { name: string; type: string; default_type: string }[];
  const readable = found.filter(({ type, default_type: kind }) => kind !== 'EPHEMERAL' && !STATE.test(type));
  const columns = new TableColumns(source, vocabulary, mapping, readable.map((column) => ({ name: column.name, type: bareType(column.type), nullable: column.type.includes('Nullable(') })));
  const taken = columns.inUse.find((column) => isOwnName(column.name));
  if (taken !== undefined) throw new SourceFailure('refused', `the column ${taken.name} is called as statements call something of their own: read it through a view that calls it otherwise`);
  await connections.all(`SELECT ${columns.countOfNone} FROM ${tableName(table)} WHERE 0`, 'short', signal);
  return { source, table: tableName(table), columns, sorting: sortSettings(new Map(held[0]?.held)), seen: { repeats: false, noPrewhere: false } };
}

/** Let in as rows are: where few connections are for what is counted beside them, the counts of searches would wait until all of the table has been read. */
export async function readFigures(connections: Connections, { columns, table }: ClickhouseTable, signal: AbortSignal): Promise<Figures> {
  const fields = columns.vocabulary.fields.map((field) => field.name).filter((field) => field !== 'id' && columns.has(field));
  const counts = fields.map((field) => `countIf(${columns.isList(field) ? `notEmpty(${columns.value(field)})` : `isNotNull(${columns.value(field)})`}) AS ${name(`${HAVING}${field}`)}`);
  const time = columns.time('updated_at');
  const written = columns.has('updated_at') ? `max(replaceRegexpOne(${columns.value('updated_at')}, 'Z$', ''))` : 'NULL';
  const latest = time === null ? written : `max(${time})`;
  const statement = `SELECT ${computed(columns.value('country'))} AS ${name(CODE)}, ${latest} AS ${name(LATEST)}, count() AS ${name(COUNTED)}${counts.map((count) => `, ${count}`).join('')}
    FROM ${table} GROUP BY ${name(CODE)}`;
  const groups = await connections.all(defining({ columns }, statement), 'short', signal);
  return figuresOf(fields, groups.map(({ [CODE]: code, [LATEST]: updated, [COUNTED]: rows, ...having }) => ({
    code: code === null ? null : String(code),
    latest: typeof updated === 'number' ? momentText(updated) : typeof updated === 'string' ? shownTime(updated) : null,
    rows: Number(rows),
    having: fields.map((field) => Number(having[`${HAVING}${field}`])),
  })));
}
