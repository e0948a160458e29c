import { literal, name, type Duck } from './duckdb.ts';
import { leaves, Shape, type Leaf } from './json_shape.ts';
import { oneByName, type ReaderColumn } from './reader_column.ts';

/** The shape of records; each query gives the `line` of some, and `place`, which is their order. A line that is no record tells nothing. */
export async function shapeOf(duck: Duck, ...queries: readonly string[]): Promise<Shape> {
  const shape = new Shape();
  for (const records of queries) await eachTold(duck, `SELECT *, NULL::VARCHAR AS file FROM (${records})`, (_, told) => { shape.add(told); });
  return shape;
}

/** The shapes of records by the `file` that each is of, told likewise; a file without a record is not among them. */
export async function shapesByFile(duck: Duck, records: string): Promise<Map<string, Shape>> {
  const shapes = new Map<string, Shape>();
  await eachTold(duck, records, (file, told) => {
    const shape = shapes.get(file) ?? new Shape();
    shape.add(told);
    shapes.set(file, shape);
  });
  return shapes;
}

/** What the engine tells of the records, once of those of a file that are alike, in the order in which they come. */
async function eachTold(duck: Duck, records: string, take: (file: string, told: unknown) => void): Promise<void> {
  const isRecord = "CASE WHEN json_valid(line) THEN json_type(line) = 'OBJECT' ELSE false END";
  const told = `SELECT file, CASE WHEN ${isRecord} THEN json_structure(line)::VARCHAR END AS told, place FROM (${records})`;
  const different = `SELECT file, told FROM (${told}) WHERE told IS NOT NULL GROUP BY file, told ORDER BY min(place), told`;
  for await (const [files, structures] of duck.batches(different)) for (const [at, structure] of structures!.entries()) take(files![at] as string, JSON.parse(structure as string));
}

/** The columns of records of a shape, nested ones with a dot: of a relation with the `line` of each, and its `record` as `json_transform` makes it of the `texts` of the shape. */
export function jsonColumns(shape: Shape): ReaderColumn[] {
  return oneByName(leaves(shape).map(readerColumn));
}

function readerColumn({ path, shape: { isMixed, isFraction, isOfRecords }, taken }: Leaf): ReaderColumn {
  const at = literal(pointer(path));
  // Of what is in no record the value alone is looked at again: each look at the line reads all of it.
  const found = wholeSql(`json_transform(value, '"VARCHAR"')`, 'json_type(value)');
  const alone = (sql: string): string => `list_transform([json_extract(line, ${at})], lambda value: ${sql})[1]`;
  const sql = isMixed ? alone(`CASE WHEN json_type(value) <> 'OBJECT' THEN ${found} END`) : taken ? alone(found) : wholeSql(`record.${path.map(name).join('.')}`, `json_type(line, ${at})`);
  return { name: path.join('.'), sql, repeated: false, fraction: isFraction, records: isOfRecords };
}

/** A number that is whole has no point, and a text keeps it, whatever other records hold. Which of them it is, is asked of what ends so. */
function wholeSql(text: string, kind: string): string {
  return `CASE WHEN ends_with(${text}, '.0') THEN CASE WHEN ${kind} = 'DOUBLE' THEN ${text}[:-3] ELSE ${text} END ELSE ${text} END`;
}

/** A path as JSON Pointer writes it. */
function pointer(path: readonly string[]): string {
  return path.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
