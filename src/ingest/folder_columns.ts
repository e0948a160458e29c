import { dirname } from 'node:path';
import { literal } from './duckdb.ts';
import { nameOf } from './mapping.ts';
import type { ReaderColumn } from './reader_column.ts';

/** What Spark and Hive write for nothing. */
const NOTHING = '__HIVE_DEFAULT_PARTITION__';
/** Of the others nothing is guessed: they are times, batches and runs, and an `id` would be one for all rows. */
const GUESSED: ReadonlySet<string> = new Set(['country', 'countrycode']);

/** What a warehouse says of all rows of a file in the names of its folders alone (`country=DE/`), but for what the file has itself. */
export function folderColumns(label: string, own: readonly ReaderColumn[]): ReaderColumn[] {
  const said = dirname(label).split('/').flatMap((step) => {
    const [name, value] = [step.slice(0, step.indexOf('=')), step.slice(step.indexOf('=') + 1)];
    return step.indexOf('=') < 1 || own.some((column) => column.name === name) ? [] : [{ name, value: plain(value) }];
  });
  const last = new Map(said.map(({ name, value }) => [name, value]));
  return [...last].map(([name, value]) => (
    { name, sql: value === NOTHING ? 'NULL::VARCHAR' : literal(value), repeated: false, fraction: false, records: !GUESSED.has(nameOf(name)), folder: true }
  ));
}

/** Names of folders have what these may not hold by its number. */
function plain(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
