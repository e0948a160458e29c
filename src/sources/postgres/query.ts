import { LIMITS } from '../../config/limits.ts';
import { OWN_IDENTITY } from '../../model/chunk.ts';
import { IDENTITY_FIELDS } from '../../model/identity.ts';
import type { RowsRequest, Search } from '../source.ts';
import { isExact } from '../sql/bounds.ts';
import type { Reading } from '../sql/columns.ts';
import { conditionOf } from '../sql/condition.ts';
import { countedFields } from '../sql/counted_fields.ts';
import type { Sql } from '../sql/dialect.ts';
import { LOWERED } from '../sql/mapped_columns.ts';
import type { Phase, Stretch } from '../sql/phase.ts';
import type { Table } from '../sql/table_source.ts';
import type { TableColumns } from './columns.ts';
import { name } from '../sql/defined_columns.ts';
import { literal, NAME_LETTERS_MAX, Parameters, POSTGRES, type Statement } from './dialect.ts';

/** The tables of which a partitioned one is made, where they lie on other servers. `areThese`: whether it is still made of them and no others. */
export type Partitions = { readonly tables: readonly Sql[]; readonly areThese: Sql };

export type PostgresTable = Table<TableColumns> & { readonly partitions: Partitions | null };

/**
 * The rows of one phase from a key on, those of one key by their id; the values are `key`, `sure` and `row`, in this order. Condition and
 * order are written so that `postgres_fdw` sends them on where the columns they name are indexed plainly: see docs/scale-out.md.
 */
export function rowsStatement(table: PostgresTable, request: RowsRequest, { phase, fromKey, rowsMax }: Stretch): Statement {
  const reading = readingOf(table);
  const { sure, maybe } = conditionOf(request, 'left', reading);
  const from = fromKey === null ? [] : [`${phase.by} >= ${reading.bind.text(fromKey)}::${phase.type}`];
  const fields = table.columns.rowFields(request.fields);
  // Of rows that are sorted or left out nothing is made.
  const inner = table.columns.over(
    table,
    `SELECT ${[`${placeOf(phase)} AS "@at"`, `${sure === maybe ? 'TRUE' : `coalesce(${sure}, FALSE)`} AS "@sure"`, ...table.columns.stores()].join(', ')} FROM `,
    ` WHERE ${[maybe, phase.where, ...from].map((part) => `(${part})`).join(' AND ')} ORDER BY ${orderOf(table, phase)}${rowsMax === null ? '' : ` LIMIT ${rowsMax}`}`,
  );
  const shown = table.columns.overStored().over({ ...table, table: `(${inner})` }, `SELECT d."@at", d."@sure", ${rowJson(table, fields)} FROM `, '');
  return reading.bind.statement(shown);
}

/** Numbers that are equal must be one text: the rows of a place are counted by it. */
function placeOf({ by, type }: Phase): Sql {
  return type === 'numeric' ? `trim_scale(${by})::text` : `${by}::text`;
}

/**
 * How many rows match for sure, and of how many the engine cannot tell. Of partitions on other servers each is counted where it lies: `postgres_fdw` sends on the count of a foreign
 * table, and never, whatever `enable_partitionwise_aggregate` says, the part of one that is counted over several. Null where the table
 * has other partitions by now.
 */
export function countStatement(table: PostgresTable, search: Search): Statement {
  const { source, columns, partitions } = table;
  const reading = readingOf(table);
  const bounds = conditionOf(search, 'asked', reading);
  const counted = (part: Sql, type: string): Sql => {
    const [sure, unsure] = isExact(bounds) ? ['count(*)', '0'] : [`count(*) FILTER (WHERE ${bounds.sure})`, `(count(*) - count(*) FILTER (WHERE ${bounds.sure}))`];
    return columns.over({ table: part, source }, `SELECT ${sure}::${type} AS "sure", ${unsure}::${type} AS "unsure" FROM `, ` WHERE ${bounds.maybe}`);
  };
  if (partitions === null) return reading.bind.statement(counted(table.table, 'text'));
  const parts = partitions.tables.map((part) => counted(part, 'bigint'));
  return reading.bind.statement(`SELECT CASE WHEN ${partitions.areThese} THEN sum(p."sure")::text END, sum(p."unsure")::text FROM (${parts.join(' UNION ALL ')}) p`);
}

/** The rows of which the engine cannot tell, one more than are looked at. */
export function unsureStatement(table: PostgresTable, search: Search): Statement {
  const reading = readingOf(table);
  const { sure, maybe } = conditionOf(search, 'asked', reading);
  const fields = table.columns.rowFields(countedFields(search, table.columns.vocabulary));
  const text = table.columns.over(table, `SELECT ${rowJson(table, fields)} FROM `, ` WHERE (${maybe}) AND ${POSTGRES.not(sure)} LIMIT ${LIMITS.unsureRowsMax + 1}`);
  return reading.bind.statement(text);
}

/** Values with their counts, over the rows that match for sure. */
export function facetStatement(table: PostgresTable, value: Sql, search: Search): Statement {
  const reading = readingOf(table);
  const { sure } = conditionOf(search, 'asked', reading);
  const end = ` WHERE (${sure}) AND (${value}) IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT ${LIMITS.facetRowsMax}`;
  const text = table.columns.over(table, `SELECT ${value}, count(*)::text FROM `, end);
  return reading.bind.statement(text);
}

export function phasesOf({ columns }: PostgresTable, order: RowsRequest['order']): Phase[] {
  return order === 'identity' ? identityPhases(columns) : storedPhases(columns);
}

/** By the key column itself, so that its index serves; what has no key of its own comes behind, by its hash. */
function storedPhases({ key }: TableColumns): Phase[] {
  const byId: Phase = { where: 'TRUE', by: 'd."id" COLLATE "C"', type: 'text', keyClass: OWN_IDENTITY };
  if (key === null || !key.ordered) return [byId];
  if (key.whole) return [{ where: 'TRUE', by: 'd."@native"', type: key.type, keyClass: OWN_IDENTITY }];
  const keyed = key.short ? 'd."@native" IS NOT NULL' : `d."@key" IS NOT NULL AND octet_length(d."@native"::text) <= ${LIMITS.foreignKeyBytesMax}`;
  const byKey: Phase = { where: keyed, by: 'd."@native"', type: key.type, keyClass: OWN_IDENTITY };
  return [byKey, { ...byId, where: key.short ? 'd."@native" IS NULL' : POSTGRES.not(keyed) }];
}

/**
 * What tells apart the rows that are equal in a phase: their id, and the key itself where every id is made of one and nothing else. Rows that may
 * share their key, as those of a view may, would stand in another order on the next page: what they are made of tells them apart. So does the key as
 * it is stored where several may be made one id: texts but for blanks around them, lists by their first item.
 */
function orderOf({ columns: { key } }: PostgresTable, { by }: Phase): Sql {
  if (key?.whole === true) return [...new Set([by, 'd."@native"', ...(key.repeats ? ['d."@apart"'] : [])])].join(', ');
  const isTold = key === null || key.short || by === 'd."@native"';
  const last = key?.repeats === true ? ['d."@apart"'] : isTold ? [] : ['d."@native"::text COLLATE "C"'];
  return [...new Set([by, 'd."id" COLLATE "C"', ...last])].join(', ');
}

/** One phase a class of identity. A key that is blank, or too long for a cursor, is none. */
function identityPhases(columns: TableColumns): Phase[] {
  const fields = IDENTITY_FIELDS[columns.vocabulary.dataset].map((field, keyClass) => ({ field, keyClass })).filter(({ field }) => columns.has(field));
  const keys = fields.map(({ field, keyClass }) => ({ ...keyOf(field, columns), keyClass }));
  const without = (count: number): Sql[] => keys.slice(0, count).map(({ lacks }) => lacks);
  return [
    ...keys.map(({ by, has, keyClass }, at): Phase => ({ where: [has, ...without(at)].join(' AND '), by, type: 'text', keyClass })),
    { where: without(keys.length).join(' AND ') || 'TRUE', by: 'd."id" COLLATE "C"', type: 'text', keyClass: OWN_IDENTITY },
  ];
}

/** A key of identity, and whether a row has one. */
type Key = { readonly by: Sql; readonly has: Sql; readonly lacks: Sql };

function keyOf(field: string, columns: TableColumns): Key {
  const most = LIMITS.foreignKeyBytesMax;
  // The filter of this field has its name: a column that is compared in place of it is ordered by, too, and so is its index.
  const compared = columns.compared(field);
  if (compared !== null) {
    const by = `(${compared}) COLLATE "C"`;
    return { by: `(${by})`, has: `${by} <> '' AND octet_length(${by}) <= ${most}`, lacks: `(${by} IS NULL OR ${by} = '' OR octet_length(${by}) > ${most})` };
  }
  // Each mention makes it anew. It is never blank.
  const value = columns.value(field);
  const has = `octet_length(${value}) <= ${most}`;
  return { by: `((${LOWERED.has(field) ? value : POSTGRES.lower(value)}) COLLATE "C")`, has, lacks: POSTGRES.not(has) };
}

export function readingOf({ source, columns }: PostgresTable): Reading & { readonly bind: Parameters } {
  return { source, dialect: POSTGRES, columns, bind: new Parameters() };
}

/** The row as one text: members in row order, nulls spelled out. Where the server would cut a name the members are put together one by one. */
function rowJson({ source, columns }: PostgresTable, fields: readonly string[]): Sql {
  const members = fields.map((field) => {
    if (field === 'source') return [field, `${literal(source)}::text`] as const;
    return [field, field === 'sources' ? `ARRAY[${literal(source)}::text]` : columns.value(field)] as const;
  });
  // No field is called like the row: the server would take that one alone for it.
  if (fields.every(({ length }) => length <= NAME_LETTERS_MAX)) {
    return `(SELECT row_to_json("@all")::text FROM (SELECT ${members.map(([field, value]) => `${value} AS ${name(field)}`).join(', ')}) "@all")`;
  }
  return `('{' || ${members.map(([field, value]) => `${literal(`"${field}":`)} || coalesce(pg_catalog.to_json(${value})::text, 'null')`).join(" || ',' || ")} || '}')`;
}
