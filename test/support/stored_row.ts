import type { Row } from '../../src/model/field.ts';
import type { Vocabulary } from '../../src/model/vocabulary.ts';

/** The text that is stored of a row, without its newline: every field in its order, null where it has none. */
export function storedText({ fields }: Vocabulary, source: string, row: Row): string {
  const out: Row = {};
  for (const { name } of fields) out[name] = row[name] ?? null;
  out.source = source;
  out.sources = [source];
  return JSON.stringify(out);
}
