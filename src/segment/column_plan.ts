import type { Field } from '../model/field.ts';
import type { FilterSpec } from '../model/filter.ts';
import type { Vocabulary } from '../model/vocabulary.ts';
import { PRESENCE_MAX } from './layout.ts';

/** Filters whose values are nearly all different: a dictionary of them would be as large as the rows. */
const LOOKED_UP = new Set(['id', 'email', 'linkedin_url']);

/** Where no filter asks for it: rows are suppressed by the domain of their address too. */
const EMAIL_DOMAIN: FilterSpec = { name: 'email_domain', field: 'email', compares: 'domain', description: '', example: [] };

export type PlannedColumn = { readonly spec: FilterSpec; readonly form: 'texts' | 'lookup' | 'numbers'; readonly listed: boolean };

/** How each filter of a dataset is stored. `country` is the order of the rows itself, presence a bitmap of its field. */
export type ColumnPlan = {
  readonly columns: readonly PlannedColumn[];
  /** Fields with a presence bitmap, in the order of their bits in a container's counts. */
  readonly presence: readonly string[];
  /** Searchable fields whose values a texts column holds: phrases are looked for in its dictionary. */
  readonly searchedColumns: readonly PlannedColumn[];
  /** Searchable lists without a column of their own. */
  readonly searchedLists: readonly string[];
  /** Searchable fields of nearly all different texts: a phrase is verified in the row. */
  readonly searchedTexts: readonly string[];
};

export function planColumns(vocabulary: Vocabulary): ColumnPlan {
  const fields = new Map(vocabulary.fields.map((field) => [field.name, field]));
  const filters = vocabulary.filters.some(({ name }) => name === EMAIL_DOMAIN.name) ? vocabulary.filters : [...vocabulary.filters, EMAIL_DOMAIN];
  const columns = filters.flatMap((spec) => planColumn(spec, fields.get(spec.field)));
  const searched = vocabulary.searchable.map((name) => ({ name, column: columns.find((column) => isSearched(column, name)), listed: fields.get(name)?.type === 'strings' }));
  const presence = vocabulary.filters.filter(({ compares }) => compares === 'presence').map(({ field }) => field);
  if (presence.length > PRESENCE_MAX) throw new Error(`at most ${PRESENCE_MAX} presence filters`);
  return {
    columns,
    presence,
    searchedColumns: searched.flatMap(({ column }) => column ?? []),
    searchedLists: searched.filter(({ column, listed }) => column === undefined && listed).map(({ name }) => name),
    searchedTexts: searched.filter(({ column, listed }) => column === undefined && !listed).map(({ name }) => name),
  };
}

function planColumn(spec: FilterSpec, field: Field | undefined): PlannedColumn[] {
  const listed = field?.type === 'strings';
  switch (spec.compares) {
    case 'country': case 'presence': return [];
    case 'folded': case 'enum': return [{ spec, form: 'texts', listed }];
    case 'lower': case 'domain': case 'email': return [{ spec, form: LOOKED_UP.has(spec.name) ? 'lookup' : 'texts', listed }];
    case 'number': case 'date': return [{ spec, form: 'numbers', listed: false }];
    default: return spec.compares satisfies never;
  }
}

function isSearched({ spec, form }: PlannedColumn, field: string): boolean {
  return form === 'texts' && spec.field === field && (spec.compares === 'folded' || spec.compares === 'enum');
}
