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
  /** Made once for all statements, with the names by which they call it. */
  #definitions: ReadonlyMap<string, Sql> | null = null;

  constructor(vocabulary: Vocabulary, mapping: Mapping, found: readonly Column[]) {
    super(vocabulary, mapping, found);
    this.storedTexts = new Map(this.ownFields().flatMap((field) => { const text = this.storedText(field); return text === null ? [] : [[field.name, text] as const]; }));
  }

  value(field: string): Sql { return `d.${name(this.alias('', field))}`; }
  time(field: string): Sql | null { return this.isTime(field) ? `d.${name(this.alias('^', field))}` : null; }
  compared(filter: string): Sql | null { return this.instead.has(filter) ? `d.${name(this.alias('=', filter))}` : null; }

  stored(field: string): Stored | null {
    return this.storedTexts.has(field) ? { text: `d.${name(this.alias('~', field))}`, escapes: this.isList(field) } : null;
  }

  /** A statement over a table: `begin` and `end` stand around the relation `d`, of which no more is defined than they name. An engine looks at all of a statement's text before it begins. */
  over({ table, source }: { readonly table: Sql; readonly source: string }, begin: Sql, end: Sql): Sql {
    this.#definitions ??= new Map(this.define().map(([alias, sql]) => [alias, `${sql} AS ${name(alias)}`]));
    const id = `${begin}${end}`.includes('d."id"') ? `, ${this.idOf(source)} AS "id"` : '';
    const named = new Set(`${begin}${id}${end}`.split('"'));
    const list = [...this.#definitions].filter(([alias]) => named.has(alias)).map(([, sql]) => sql);
    return `${begin}(SELECT c.*${id} FROM (SELECT ${list.join(', ') || '1 AS "@none"'} FROM ${table} t) c) d${end}`;
  }

  /** How `d` calls a field or what stands for a filter, with the sign before it. */
  protected alias(sign: string, key: string): string { return `${sign}${key}`; }

  /** What there is in `d`, over the table `t`, but for the id. */
  protected abstract define(): readonly (readonly [alias: string, sql: Sql])[];
  /** The id, made of what `c` has of that. */
  protected abstract idOf(source: string): Sql;
  /** Null where the value is made of another thing. */
  protected abstract storedText(field: Field): Sql | null;
  /** Whether the field's column holds times, and no texts of them. */
  protected abstract isTime(field: string): boolean;
}
