import { LIMITS } from '../config/limits.ts';
import { literal, name, type Duck } from './duckdb.ts';
import { hasFraction, oneByName, type ReaderColumn } from './reader_column.ts';

/** What the engine tells of the values under a key: their type, a list's in brackets, a record's keys. Where they are of several kinds it is `JSON`. */
type Structure = { readonly [key: string]: Structure | string | readonly unknown[] };
type Value = Structure[string];

/** `taken`: an earlier key on the way differs in case alone, which the engine holds for the same. `mixed`: records stand in it too. */
type Leaf = { readonly path: readonly string[]; readonly type: Value; readonly taken: boolean; readonly mixed: boolean };

const isRecord = (value: unknown): value is Structure => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The shape of the records of a table of lines, told from a sample of them. */
export async function structureOf(duck: Duck, table: string): Promise<Structure> {
  const [found] = await duck.rows(`SELECT json_group_structure(line)::VARCHAR AS structure FROM (${sampleOf(table)})`);
  const structure: unknown = JSON.parse((found!.structure as string | null) ?? '{}');
  return isRecord(structure) ? structure : {};
}

/** The columns of the records of a table, of a shape. */
export async function jsonColumns(duck: Duck, table: string, structure: Structure): Promise<ReaderColumn[]> {
  return oneByName((await deepened(duck, table, leaves(structure))).map(readerColumn));
}

/** The same shape, every value as text, but for keys that are taken. */
export function texts(structure: Structure): Record<string, unknown> {
  return Object.fromEntries(entries(structure).filter(({ taken }) => !taken).map(({ key, value }) => [key, isRecord(value) ? texts(value) : 'VARCHAR']));
}

/** The first records, and as many that stand evenly among all: what a program began to write later is not to be lost. No other line is looked at. */
function sampleOf(table: string): string {
  const most = LIMITS.ingestSampleRecords;
  const chosen = `rowid < ${most} OR rowid % (SELECT greatest(ceil(count(*) / ${most}), 1)::BIGINT FROM ${table}) = 0`;
  return `SELECT line::JSON AS line FROM ${table} WHERE CASE WHEN NOT (${chosen}) THEN false WHEN json_valid(line) THEN json_type(line) = 'OBJECT' ELSE false END LIMIT ${2 * most}`;
}

function readerColumn({ path, type, taken, mixed }: Leaf): ReaderColumn {
  const at = literal(pointer(path));
  // Of what is in no record the value alone is looked at again: each look at the line reads all of it.
  const found = wholeSql(`json_transform(value, '"VARCHAR"')`, 'json_type(value)');
  const alone = (sql: string): string => `list_transform([json_extract(line, ${at})], lambda value: ${sql})[1]`;
  const sql = mixed ? alone(`CASE WHEN json_type(value) <> 'OBJECT' THEN ${found} END`) : taken ? alone(found) : wholeSql(`record.${path.map(name).join('.')}`, `json_type(line, ${at})`);
  return { name: path.join('.'), sql, repeated: false, fraction: hasFraction(type), records: Array.isArray(type) && isRecord(type[0]) };
}

/** A number that is whole has no point, and a text keeps it, whatever other records hold. Which of them it is, is asked of what ends so. */
function wholeSql(text: string, kind: string): string {
  return `CASE WHEN ends_with(${text}, '.0') THEN CASE WHEN ${kind} = 'DOUBLE' THEN ${text}[:-3] ELSE ${text} END ELSE ${text} END`;
}

/** Where a value is sometimes a record and sometimes none, what is within the record stands behind it. */
async function deepened(duck: Duck, table: string, found: readonly Leaf[]): Promise<Leaf[]> {
  const all: Leaf[] = [];
  for (const leaf of found) {
    const inner = leaf.type === 'JSON' ? await structureWithin(duck, table, leaf.path) : null;
    all.push(inner === null ? leaf : { ...leaf, mixed: true });
    if (inner !== null) all.push(...(await deepened(duck, table, leaves(inner, { ...leaf, taken: true }))));
  }
  return all;
}

async function structureWithin(duck: Duck, table: string, path: readonly string[]): Promise<Structure | null> {
  const values = `SELECT json_extract(line, ${literal(pointer(path))}) AS value FROM (${sampleOf(table)})`;
  const [found] = await duck.rows(`SELECT json_group_structure(value)::VARCHAR AS structure FROM (${values}) WHERE json_type(value) = 'OBJECT'`);
  return found!.structure === null ? null : (JSON.parse(found!.structure as string) as Structure);
}

/** The paths to all values that are no records. */
function leaves(structure: Structure, above: Leaf = { path: [], type: structure, taken: false, mixed: false }): Leaf[] {
  return entries(structure).flatMap(({ key, value, taken }) => {
    const leaf = { path: [...above.path, key], type: value, taken: above.taken || taken, mixed: false };
    return isRecord(value) ? leaves(value, leaf) : [leaf];
  });
}

function entries(structure: Structure): { readonly key: string; readonly value: Value; readonly taken: boolean }[] {
  const seen = new Set<string>();
  const named = Object.entries(structure).filter(([key, value]) => key !== '' && !(isRecord(value) && Object.keys(value).length === 0));
  return named.map(([key, value]) => {
    const taken = seen.has(key.toLowerCase());
    seen.add(key.toLowerCase());
    return { key, value, taken };
  });
}

/** A path as JSON Pointer writes it. */
function pointer(path: readonly string[]): string {
  return path.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
