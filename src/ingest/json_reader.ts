import { statSync } from 'node:fs';
import { LIMITS } from '../config/limits.ts';
import { neighbours } from '../lib/neighbours.ts';
import { MARK } from './dialect.ts';
import { literal, name, type Duck } from './duckdb.ts';
import type { Encoding } from './encodings.ts';
import { IngestError, UNPACK_ZSTD } from './failure.ts';
import { headOf, isCut, isUtf8, type Input } from './input.ts';
import { jsonColumns, shapeOf, shapesByFile } from './json_columns.ts';
import { texts, type Shape } from './json_shape.ts';
import { IS_CONTROL, streamNotes } from './stream_lines.ts';
import { assertNotTooWide, emptyFile, FILE, TELLING_FILE, type Reader } from './reader_form.ts';
import { lineReading, lines, packed, room, ROOM_FOR_LOOKS, textOf } from './text_lines.ts';

/** A document of JSON records. */
export function documentReader(duck: Duck, input: Input, at: number): Promise<Reader> {
  return keptReader(duck, input, at, { source: `SELECT json AS line FROM read_json_objects(${literal(input.path)}, format = 'auto', ${packed(input)})`, rejects: null, known: null });
}

/** A record a line. They are read where they lie as if all lines were records. */
export async function ndjsonReader(duck: Duck, input: Input, at: number, encoding: Encoding, known: Shape | null): Promise<Reader> {
  const [how, looking] = [room(input), ROOM_FOR_LOOKS].map((space) => lineReading(input, encoding, space)) as [string, string];
  const shape = known ?? (await shapeInPlace(duck, input, looking));
  const columns = shape === null ? [] : jsonColumns(shape);
  if (shape === null || columns.length === 0) return keptLines(duck, input, at, encoding, null);
  assertNotTooWide(input, columns.length);
  const clean = (paths: readonly string[], ...more: readonly string[]): string => recordsOf(textOf(paths, how, ...more), shape, CLEAN_FAULT, fileIn(more));
  const sampled = (paths: readonly string[], ...more: readonly string[]): string => recordsOf(textOf(paths, looking, 'ignore_errors = true', ...more), shape, FAULT, fileIn(more));
  const among = isCut(input) ? null : { form: JSON.stringify([columns, texts(shape), how]), clean, sampled };
  const relation = clean([input.path]);
  return {
    input, columns, relation, clean: relation, sampled: sampled([input.path]), strictly: () => keptLines(duck, input, at, encoding, shape),
    fault: 'fault', rejects: null, lines: null, notes: await streamNotes(input), dialect: null, among,
  };
}

/** The column that an option brings. */
function fileIn(options: readonly string[]): readonly string[] {
  return options.includes(TELLING_FILE) ? [FILE] : [];
}

const IS_BLANK = `line IS NULL OR trim(line) = '' OR (${IS_CONTROL})`;
const FAULT = `CASE WHEN ${IS_BLANK} THEN 'blank' WHEN NOT json_valid(line) THEN 'not valid JSON' WHEN json_type(line) <> 'OBJECT' THEN 'not a JSON object' END`;
/** Where each line is to be a record. One that is not even JSON ends the reading when its values are looked for. */
const CLEAN_FAULT = `CASE WHEN ${IS_CONTROL} THEN 'blank' WHEN starts_with(line, '{') THEN NULL WHEN ${IS_BLANK} THEN 'blank' WHEN NOT starts_with(ltrim(line, e' \\t\\r'), '{') THEN error('a line is no record')::VARCHAR END`;

/** The records of lines, beside other columns. */
function recordsOf(source: string, shape: Shape, fault: string, also: readonly string[] = []): string {
  const beside = besides(also);
  return `(
    SELECT fault, CASE WHEN fault IS NULL THEN json_transform(line, ${literal(JSON.stringify(texts(shape)))}) END AS record,
    CASE WHEN fault IS NULL THEN line END AS line${beside}
    FROM (SELECT line, ${fault} AS fault${beside} FROM (${unmarked(source, also)}))
  )`;
}

/** Of files that were put one behind the other each may begin with a mark. */
function unmarked(source: string, also: readonly string[] = []): string {
  return `SELECT CASE WHEN starts_with(line, '${MARK}') THEN line[2:] ELSE line END AS line${besides(also)} FROM ${source}`;
}

/** Without the lines among the rows of a stream, which have no columns. */
function sayingOf(source: string): string {
  return `SELECT * FROM (${source}) WHERE NOT (${IS_CONTROL})`;
}

function besides(columns: readonly string[]): string {
  return columns.map((column) => `, ${name(column)}`).join('');
}

/**
 * The shape of the first records, and of as many that chance draws from all as are looked at of what is kept: what a program began to write later is not to be lost.
 * Null where the lines cannot be read so.
 */
async function shapeInPlace(duck: Duck, input: Input, how: string): Promise<Shape | null> {
  const all = sayingOf(unmarked(textOf([input.path], how, 'ignore_errors = true')));
  const numbered = (some: string): string => `SELECT line, row_number() OVER () AS place FROM (${some})`;
  try {
    if (!isCut(input)) return await shapeOf(duck, numbered(all));
    const first = `${all} LIMIT ${LIMITS.ingestPreviewRecords}`;
    const step = Math.ceil((await recordsAbout(duck, input, first)) / (2 * LIMITS.ingestSampleRecords));
    return await shapeOf(duck, numbered(first), `SELECT line, 0 AS place FROM (${all}) WHERE hash(line) % ${step} = 0`);
  } catch (error) {
    if (!mixesEnds(error)) throw error;
    return null;
  }
}

/** By the length of the first lines. */
async function recordsAbout(duck: Duck, input: Input, first: string): Promise<number> {
  const [told] = await duck.rows(`SELECT coalesce(avg(strlen(line) + 1), 1)::DOUBLE AS bytes FROM (${first})`);
  return (await unpackedBytesAbout(input)) / (told!.bytes as number);
}

async function unpackedBytesAbout(input: Input): Promise<number> {
  const { size } = statSync(input.path);
  switch (input.compression) {
    case 'none': return size;
    case 'gzip': return (size * (await headOf(input))!.length) / Math.min(size, LIMITS.ingestPackedHeadBytes);
    case 'zstd': return size * LIMITS.ingestPackedTimes;
    default: return input.compression satisfies never;
  }
}

/** The shapes of small files that stand side by side, many of which one query tells. A file that is not among them tells its own. */
export async function smallShapes(duck: Duck, inputs: readonly Input[], encoding: string | null): Promise<ReadonlyMap<Input, Shape>> {
  const small = new Set<Input>();
  for (const input of inputs) if (isSmall(input) && (await isUtf8(input, encoding))) small.add(input);
  const shapes = new Map<Input, Shape>();
  for (const group of neighbours(inputs, (input) => (small.has(input) ? 'small' : null), LIMITS.ingestFilesTogetherMax)) {
    if (group.length === 1) continue;
    try {
      const told = await shapesOf(duck, group);
      for (const input of group) if (told.has(input.path)) shapes.set(input, told.get(input.path)!);
    } catch (error) {
      if (duck.signal.aborted) throw error;
    }
  }
  return shapes;
}

/** Of what is packed the first bytes never show all. */
function isSmall({ format, head }: Input): boolean {
  return format === 'ndjson' && head.sight === 'whole';
}

/** By path. */
function shapesOf(duck: Duck, group: readonly Input[]): Promise<ReadonlyMap<string, Shape>> {
  const how = lineReading(group[0]!, 'utf-8', ROOM_FOR_LOOKS);
  const all = sayingOf(unmarked(textOf(group.map(({ path }) => path), how, 'ignore_errors = true', TELLING_FILE), [FILE]));
  return shapesByFile(duck, `SELECT line, ${name(FILE)} AS file, row_number() OVER () AS place FROM (${all})`);
}

/** On mixed line ends the strict reading stops; the other gives every line all the same, as none has quotes to it. */
async function keptLines(duck: Duck, input: Input, at: number, encoding: Encoding, known: Shape | null): Promise<Reader> {
  const keep = (...more: readonly string[]): Promise<Reader> => keptReader(duck, input, at, { source: unmarked(`(${lines(input, at, encoding, ...more)})`), rejects: `rejects_${at}`, known });
  try {
    return await keep();
  } catch (error) {
    if (!mixesEnds(error)) throw error;
    return keep("new_line = '\\r\\n', strict_mode = false");
  }
}

function mixesEnds(error: unknown): boolean {
  return /state machine/.test((error as Error).message);
}

type Kept = { readonly source: string; readonly rejects: string | null; readonly known: Shape | null };

/** JSON records in a table of their own. Their columns are what a sample of the records has, unless they are `known`. */
async function keptReader(duck: Duck, input: Input, at: number, { source, rejects, known }: Kept): Promise<Reader> {
  const table = `records_${at}`;
  try {
    await duck.run(`CREATE OR REPLACE TABLE ${table} AS ${source}`);
  } catch (error) {
    if (/maximum_object_size/.test((error as Error).message)) throw new IngestError(`${input.label} holds a record of more than 16 MiB, or an envelope around its records: write an array of them, or one a line`, { cause: error });
    const broken = /Malformed JSON.*?(at byte[^.\n]*)/.exec((error as Error).message);
    if (broken === null || /UTF-16/.test((error as Error).message)) throw error;
    throw new IngestError(`${input.label} is not valid JSON ${broken[1]!.replace('record/value', 'record')}: mend it, or write one record a line`, { cause: error });
  }
  if ((await duck.rows(`SELECT 1 AS said FROM ${table} WHERE trim(line, e' \\t\\r\\n') <> '' AND NOT (${IS_CONTROL}) LIMIT 1`)).length === 0) throw emptyFile(input);
  const shape = known ?? (await shapeOf(duck, sampleOf(table)));
  const columns = jsonColumns(shape);
  if (columns.length === 0 && input.compression === 'zstd' && input.format === 'json') throw new IngestError(`${input.label} holds no JSON object, or begins with a mark, which cannot be read in what zstd packed: ${UNPACK_ZSTD}`);
  if (columns.length === 0) throw new IngestError(`${input.label} holds no JSON object: each record is to be one, such as {"name": "Acme"}`);
  assertNotTooWide(input, columns.length);
  const relation = recordsOf(table, shape, FAULT);
  const notes = input.format === 'ndjson' ? await streamNotes(input) : [];
  return { input, columns, relation, clean: null, sampled: relation, strictly: null, fault: 'fault', rejects, lines: table, notes, dialect: null, among: null };
}

/** The first records, and as many that stand evenly among all. No other line is looked at. */
function sampleOf(table: string): string {
  const most = LIMITS.ingestSampleRecords;
  const step = `(SELECT greatest(ceil(count(*) / ${most}), 1)::BIGINT FROM ${table})`;
  return `SELECT line, rowid AS place FROM ${table} WHERE (rowid < ${most} OR rowid % ${step} = 0) AND NOT (${IS_CONTROL})`;
}
