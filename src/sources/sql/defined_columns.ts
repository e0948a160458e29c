import type { Field } from '../../model/field.ts';
import type { Vocabulary } from '../../model/vocabulary.ts';
import type { Stored } from './columns.ts';
import type { Sql } from './dialect.ts';
import { MappedColumns, type Mapping } from './mapped_columns.ts';

/** A name as standard SQL quotes it. */
export function name(identifier: string): Sql {
  return `"${identifier.replaceAll('"', '""')}"`;
}

/**
 * Columns of an engine that defines every field once, in a relation `d`, and then calls it there: `^FIELD` a time as it is stored, `~FIELD` a text as it is stored, or several
 * in one, `=FILTER` what is compared in place of a field.
 */
export abstract class DefinedColumns<Column extends { readonly name: string }> extends MappedColumns<Column> {
  /** By field. */
  protected readonly storedTexts: ReadonlyMap<string, Sql>;

  constructor(vocabulary: Vocabulary, mapping: Mapping, found: readonly Column[]) {
    super(vocabulary, mapping, found);
    this.storedTexts = new Map(this.ownFields().flatMap((field) => { const text = this.storedText(field); return text === null ? [] : [[field.name, text] as const]; }));
  }

  value(field: string): Sql { return `d.${name(field)}`; }
  time(field: string): Sql | null { return this.isTime(field) ? `d.${name(`^${field}`)}` : null; }
  compared(filter: string): Sql | null { return this.instead.has(filter) ? `d.${name(`=${filter}`)}` : null; }

  stored(field: string): Stored | null {
    return this.storedTexts.has(field) ? { text: `d.${name(`~${field}`)}`, escapes: this.isList(field) } : null;
  }

  /** Null where the value is made of another thing. */
  protected abstract storedText(field: Field): Sql | null;
  /** Whether the field's column holds times, and no texts of them. */
  protected abstract isTime(field: string): boolean;
}
