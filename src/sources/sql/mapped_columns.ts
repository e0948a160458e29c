import type { Field } from '../../model/field.ts';
import type { Vocabulary } from '../../model/vocabulary.ts';
import type { Columns } from './columns.ts';
import type { Sql } from './dialect.ts';

/** Field: column, and filter: column that is compared in its place, as the configuration has them. */
export type Mapping = { readonly columns: Readonly<Record<string, string>>; readonly compared: Readonly<Record<string, string>> };

/** Fields whose texts are shown in lower case. */
export const LOWERED: ReadonlySet<string> = new Set(['email', 'domain', 'company_domain']);

/** Fields that the house gives. */
const GIVEN: ReadonlySet<string> = new Set(['source', 'sources']);

export function isGiven(field: string): boolean {
  return GIVEN.has(field);
}

type Named = readonly (readonly [key: string, column: string])[];

function columnOfField({ fields }: Vocabulary, { columns }: Mapping): Named {
  return fields.map(({ name }) => [name, columns[name] ?? name] as const).filter(([field]) => !GIVEN.has(field));
}

/** The names of the columns that a table would be read by, whether it has them or not. */
export function wantedNames(vocabulary: Vocabulary, mapping: Mapping): string[] {
  return [...columnOfField(vocabulary, mapping), ...Object.entries(mapping.compared)].map(([, column]) => column);
}

/** Which column of a table stands for which field. What an engine makes of them is its own. */
export abstract class MappedColumns<Column extends { readonly name: string }> implements Columns {
  readonly vocabulary: Vocabulary;
  /** By field. */
  protected readonly columns: ReadonlyMap<string, Column>;
  /** By filter. */
  protected readonly instead: ReadonlyMap<string, Column>;
  /** Those that stand for a field or a filter. */
  readonly inUse: readonly Column[];

  constructor(vocabulary: Vocabulary, mapping: Mapping, found: readonly Column[]) {
    this.vocabulary = vocabulary;
    const byName = new Map(found.map((column) => [this.nameOf(column.name), column]));
    const named = (entries: Named): Map<string, Column> =>
      new Map(entries.flatMap(([key, column]) => { const known = byName.get(this.nameOf(column)); return known === undefined ? [] : [[key, known] as const]; }));
    this.columns = named(columnOfField(vocabulary, mapping));
    this.instead = named(Object.entries(mapping.compared));
    this.inUse = [...new Set([...this.columns.values(), ...this.instead.values()])];
  }

  /** What is the same of two names for one column. */
  protected nameOf(column: string): string { return column; }

  abstract value(field: string): Sql;
  abstract time(field: string): Sql | null;
  abstract compared(filter: string): Sql | null;

  hasColumn(field: string): boolean { return this.columns.has(field); }
  /** The fields of which ids are made: none where the table has a key. */
  get hashed(): readonly string[] { return this.hasColumn('id') ? [] : [...this.columns.keys()]; }
  has(field: string): boolean { return field === 'id' || this.columns.has(field); }
  isList(field: string): boolean { return this.vocabulary.fields.some((each) => each.name === field && each.type === 'strings'); }

  /** All fields, or `id`, `source` and those wanted, in row order. */
  rowFields(wanted: readonly string[] | null): string[] {
    const names = this.vocabulary.fields.map((field) => field.name);
    return wanted === null ? names : names.filter((field) => field === 'id' || field === 'source' || wanted.includes(field));
  }

  /** The fields that the table itself defines. */
  protected ownFields(): readonly Field[] {
    return this.vocabulary.fields.filter(({ name }) => name !== 'id' && !GIVEN.has(name));
  }
}
