import type { Field, Row } from '../model/field.ts';
import type { Vocabulary } from '../model/vocabulary.ts';
import { literal, name } from './duckdb.ts';

/** A row of the lead table, or of the Parquet truth, as the JSON text that is stored and served: every field in its order, in one expression. */
export function rowTextSql({ fields }: Vocabulary, source: string): string {
  return `to_json(struct_pack(${fields.map((field) => `${name(field.name)} := ${memberSql(field, source)}`).join(', ')}))`;
}

function memberSql(field: Field, source: string): string {
  switch (field.name) {
    case 'source': return literal(source);
    case 'sources': return `[${literal(source)}]`;
    default: return name(field.name);
  }
}

/**
 * Whether the engine's text of a row is the one that would be written of it here, byte for byte: then it is stored as it came. The two
 * differ in how they spell control characters, and in numbers that a reader of JSON could not hold.
 */
export function isStoredText(text: string, row: Row, integers: readonly string[]): boolean {
  return !text.includes('\\u') && integers.every((field) => row[field] === null || Number.isSafeInteger(row[field]));
}

export function integerFields({ fields }: Vocabulary): string[] {
  return fields.filter(({ type }) => type === 'integer').map((field) => field.name);
}
