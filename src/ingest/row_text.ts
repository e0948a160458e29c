import type { Field } from '../model/field.ts';
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
 * Writes texts of JSON to a file, one a line, as they are: no quotes, and a delimiter that JSON never holds as it stands. The engine spells control
 * characters otherwise than they are stored, all of them with `\\u`.
 */
export function writeTexts(query: string, path: string): string {
  return `COPY (${query}) TO ${literal(path)} (FORMAT csv, HEADER false, DELIMITER '\x01', QUOTE '', ESCAPE '')`;
}
