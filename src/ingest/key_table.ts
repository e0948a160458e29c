import type { Dataset } from '../model/dataset.ts';
import { IDENTITY_FIELDS } from '../model/identity.ts';
import { name } from './duckdb.ts';
import { LEAD, type LeadColumn } from './lead_table.ts';
import { RANK } from './truth/truth_rows.ts';

/**
 * What tells rows apart and puts them in order, and about the bytes that they take. The rows themselves stay where they stand, at `nth`, until they are
 * written in order: what is deleted here is not written.
 */
export const KEYS = 'keys';

/** Where a row is to be written. No field has a name with a blank. */
export const PLACE = 'row place';

/** Rows with their keys in the table of keys: a query of the columns, the `RANK` and the `PLACE` of those that a relation of `nth`, `rank` and `place` names. */
export type KeyedRows = (places: string) => string;

export function keyFields(dataset: Dataset): readonly string[] {
  return ['id', 'country', ...IDENTITY_FIELDS[dataset]];
}

/** The keys of the rows of the lead table, of which the first is the `first`. */
export function leadKeys(dataset: Dataset, columns: readonly LeadColumn[], first = 0): string {
  const bytes = bytesSql(columns.map(({ name: field, kind }) => (kind === 'text' ? name(field) : `${name(field)}::VARCHAR`)));
  return `SELECT rowid + ${first} AS nth, ${keyFields(dataset).map(name).join(', ')}, ${bytes} AS bytes FROM ${LEAD}`;
}

export function leadRows(columns: readonly LeadColumn[], first = 0): KeyedRows {
  const wanted = columns.map((column) => `lead.${name(column.name)}`).join(', ');
  return (places) => `SELECT ${wanted}, places.rank AS ${name(RANK)}, places.place AS ${name(PLACE)} FROM ${LEAD} lead JOIN (${places}) places ON places.nth - ${first} = lead.rowid`;
}

export function bothRows(one: KeyedRows, other: KeyedRows): KeyedRows {
  return (places) => `${one(places)} UNION ALL ${other(places)}`;
}

export function bytesSql(cells: readonly string[]): string {
  return ['0', ...cells.map((cell) => `coalesce(strlen(${cell}), 0)`)].join(' + ');
}
