import type { Sql } from './dialect.ts';
import { MappedColumns } from './mapped_columns.ts';

/** A name as standard SQL quotes it. */
export function name(identifier: string): Sql {
  return `"${identifier.replaceAll('"', '""')}"`;
}

/** Columns of an engine that defines every field once, in a relation `d`, and then calls it there: `^FIELD` a time as it is stored, `=FILTER` what is compared in place of a field. */
export abstract class DefinedColumns<Column extends { readonly name: string }> extends MappedColumns<Column> {
  value(field: string): Sql { return `d.${name(field)}`; }
  time(field: string): Sql | null { return this.isTime(field) ? `d.${name(`^${field}`)}` : null; }
  compared(filter: string): Sql | null { return this.instead.has(filter) ? `d.${name(`=${filter}`)}` : null; }

  /** Whether the field's column holds times, and no texts of them. */
  protected abstract isTime(field: string): boolean;
}
