import type { Dataset } from '../model/dataset.ts';
import type { FieldType } from '../model/field.ts';
import { IDENTITY_FIELDS } from '../model/identity.ts';
import { OWN_IDENTITY } from '../model/chunk.ts';
import { vocabulary, type ExtraField } from '../model/vocabulary.ts';
import { name, SQL_TYPES, type CellKind } from './duckdb.ts';

export type LeadColumn = { readonly name: string; readonly kind: CellKind };

/** Rows that are in their normal form already. It has the columns of the Parquet truth: every field of the rows but `source` and `sources`, which say nothing here. */
export const LEAD = 'lead';

export function leadColumns(dataset: Dataset, extras: readonly ExtraField[]): LeadColumn[] {
  return vocabulary(dataset, extras).fields
    .filter((field) => field.name !== 'source' && field.name !== 'sources')
    .map((field) => ({ name: field.name, kind: kindOf(field.type) }));
}

export function createLead(columns: readonly LeadColumn[]): string {
  return `CREATE TABLE ${LEAD} (${columns.map((column) => `${name(column.name)} ${SQL_TYPES[column.kind]}`).join(', ')})`;
}

/** A value as it is compared, for a field whose normal form has one in which letters stand in both cases. */
export function comparedSql(field: string): string {
  return field === 'linkedin_url' ? `lower(${name(field)})` : name(field);
}

/** The identity of `model/identity` in SQL, for values that stand in their normal form. */
export function identitySql(dataset: Dataset): { readonly rank: string; readonly key: string } {
  const fields = IDENTITY_FIELDS[dataset];
  const cases = fields.map((field, at) => `WHEN ${name(field)} IS NOT NULL THEN ${at}`).join(' ');
  return { rank: `CASE ${cases} ELSE ${OWN_IDENTITY} END`, key: `coalesce(${fields.map(comparedSql).join(', ')}, id)` };
}

/** A timestamp stays the text that callers read. */
function kindOf(type: FieldType): CellKind {
  switch (type) {
    case 'string': case 'timestamp': return 'text';
    case 'strings': return 'texts';
    case 'integer': return 'integer';
    default: return type satisfies never;
  }
}
