import { statSync } from 'node:fs';
import { LIMITS } from '../config/limits.ts';
import { dialectOf, MARK, type Dialect } from './dialect.ts';
import { ENCODINGS, type Encoding } from './encodings.ts';
import { engineMemoryBytes, literal, type Duck } from './duckdb.ts';
import type { Escape } from './escapes.ts';
import { EmptyFile, IngestError, UNPACK_ZSTD } from './failure.ts';
import { folderColumns } from './folder_columns.ts';
import { decodedInput, evenInput, headOf, isCut, type Input } from './input.ts';
import { jsonColumns, structureOf, texts } from './json_columns.ts';
import { parquetColumns } from './parquet_columns.ts';
import type { ReaderColumn } from './reader_column.ts';

/** A file as a relation of text columns. A cell that holds a list or a record is its JSON text. */
export type Reader = {
  readonly input: Input;
  readonly columns: readonly ReaderColumn[];
  /** For the FROM clause: all records, in the order of the file. What the engine cannot read goes to `rejects`, where there is such a table. */
  readonly relation: string;
  /** As `relation`, silent about what cannot be read. */
  readonly sampled: string;
  /** As `relation`, for a file in which there is nothing that cannot be read: half the cost, but the first such record ends it. Null where there is none. */
  readonly clean: string | null;
  /** Why a record that was read is none; an expression over the relation. */
  readonly fault: string;
  readonly rejects: string | null;
  /** A table with the `line` of every record, in the order of the relation, where a record that is none has no cells to show for it. */
  readonly lines: string | null;
  readonly notes: readonly string[];
  readonly dialect: Dialect | null;
  /** Null for what is read alone. */
  readonly among: Among | null;
};

/** How a small file is read by one query with others, those of the same `form`: they differ in nothing but their paths and rows. */
type Among = { readonly form: string; clean(paths: readonly string[], ...more: readonly string[]): string; sampled(paths: readonly string[], ...more: readonly string[]): string };

/** The column that says from which of several files a row is, and the option that brings it. No field has a name with a blank. */
export const FILE = 'file read';
export const TELLING_FILE = `filename = '${FILE}'`;

/** What the command says of the files; null where they are to tell it themselves. */
type Wanted = { readonly encoding: string | null; readonly escape: Escape | null };

export async function openReader(duck: Duck, found: Input, at: number, wanted: Wanted): Promise<Reader> {
  const { among, ...reader } = await readerOf(duck, found, at, wanted);
  const folders = folderColumns(found.label, reader.columns);
  return { ...reader, columns: [...reader.columns, ...folders], among: among === null ? null : { ...among, form: `${among.form}${JSON.stringify(folders)}` } };
}

async function readerOf(duck: Duck, found: Input, at: number, { encoding: wanted, escape }: Wanted): Promise<Reader> {
  if (found.head.sight === 'empty') throw emptyFile(found);
  const input = await decodedInput(found, wanted, duck.signal);
  const encoding = input.head.sight === 'nothing' && wanted !== null ? readPacked(input, wanted) : 'utf-8';
  switch (input.format) {
    case 'delimited': return delimited(duck, input, at, { encoding, escape }, wanted === null ? guessedNotes(input) : []);
    case 'ndjson': return ndjson(duck, input, at, encoding);
    case 'json': return records(duck, input, at, `SELECT json AS line FROM read_json_objects(${literal(input.path)}, format = 'auto', ${packed(input)})`, null);
    case 'parquet': return parquet(duck, input);
    default: return input.format satisfies never;
  }
}

/** What was told from its letters alone. */
function guessedNotes({ label, decodedFrom }: Input): string[] {
  if (decodedFrom === null || decodedFrom === 'utf-16') return [];
  if (decodedFrom !== 'latin-1') return [`${label} is not UTF-8 and is read as ${decodedFrom}, as its letters tell; --encoding says otherwise`];
  return [`${label} is not UTF-8 and is read as Latin-1; --encoding says otherwise, such as windows-1250 of Polish, Czech and Hungarian`];
}

function readPacked({ label }: Input, wanted: string): Encoding {
  const known = ENCODINGS.find((encoding) => encoding === wanted);
  if (known === undefined) throw new IngestError(`${label}: ${wanted} cannot be read in what zstd packed: ${UNPACK_ZSTD}`);
  return known;
}

/** Where it is not strict, the engine takes a backslash for an escape outside of quotes, too. */
const SAMPLED: Readonly<Record<Escape, string>> = { quote: 'ignore_errors = true, strict_mode = false', backslash: "ignore_errors = true, strict_mode = false, nullstr = '\\N'", none: 'ignore_errors = true, strict_mode = false' };
const ESCAPING: Readonly<Record<Escape, string>> = {
  quote: `quote = '"', escape = '"'`, backslash: `quote = '"', escape = '\\'`, none: "quote = '', escape = ''",
};

type Written = { readonly encoding: Encoding; readonly escape: Escape | null };

async function delimited(duck: Duck, found: Input, at: number, { encoding, escape }: Written, notes: readonly string[]): Promise<Reader> {
  const head = await headOf(found);
  const text = head === null ? await firstLines(duck, found, encoding) : new TextDecoder().decode(head, { stream: true });
  if (!isCut(found) && text.trim() === '') throw emptyFile(found);
  if (isNoText(text) && head === null) throw new IngestError(`${found.label} is not a text file, or one in UTF-16, which cannot be read in what zstd packed: ${UNPACK_ZSTD}`);
  if (isNoText(text)) throw new IngestError(`${found.label} is not a text file, or one in UTF-16 without a mark, which --encoding utf-16 reads`);
  const dialect = dialectOf(text, encoding, { delimiter: found.tabs ? '\t' : null, escape, isCut: isCut(found) });
  const input = dialect.skipsAlike ? found : await evenInput(found, duck.signal);
  if (dialect.header.length === 0) throw new IngestError(`${input.label} has no header: its first line is to name the columns`);
  if (dialect.header.length > LIMITS.ingestColumnsMax) throw tooWide(input, dialect.header.length);
  const how = `auto_detect = false, header = true, ${ESCAPING[dialect.escape]}, ${[
    `columns = {${dialect.header.map((_, column) => `'c${column}': 'VARCHAR'`).join(', ')}}`,
    `delim = ${literal(dialect.delimiter)}`, `skip = ${dialect.skip}`, `encoding = '${encoding}'`, room(input), packed(input),
  ].join(', ')}`;
  const readOf = (paths: readonly string[], ...more: readonly string[]): string => `read_csv([${paths.map(literal).join(', ')}], ${[how, ...more].join(', ')})`;
  const read = (...more: readonly string[]): string => readOf([input.path], ...more);
  const columns = dialect.header.map((column, index) => ({ name: column, sql: dialect.coded ? `decoded(c${index})` : `c${index}`, repeated: false, fraction: false, records: false }));
  return {
    input, dialect, columns,
    relation: read(storing(at)), clean: read(), sampled: read(SAMPLED[dialect.escape]), fault: 'NULL', rejects: `rejects_${at}`, lines: null,
    among: isCut(input) ? null : { form: JSON.stringify([dialect, columns, how]), clean: readOf, sampled: (paths, ...more) => readOf(paths, SAMPLED[dialect.escape], ...more) },
    notes: [
      ...notes, ...(dialect.words === 0 ? [] : [`the header of ${input.label} is line ${dialect.skip + 1}: what stands before it is passed over`]),
      ...(dialect.escape === 'none' && escape === null ? [`no cell of ${input.label} is quoted, and the quotes in them are letters; --escape says otherwise`] : []),
      ...(dialect.coded && escape === null ? [`\\n, \\t and \\\\ in the cells of ${input.label} are read as a line end, a tab and a backslash; --escape quote says otherwise`] : []),
      ...(dialect.escape === 'backslash' && escape === null ? [`quotes within the cells of ${input.label} have backslashes before them, which are taken away; --escape says otherwise`] : []),
    ],
  };
}

/** A NUL is a letter among a hundred others where a database wrote one into a cell; in a header, or more of them, tell of another kind of file. */
function isNoText(text: string): boolean {
  return text.split(/[\r\n]/, 1)[0]!.includes('\0') || text.split('\0').length - 1 > text.length / 100;
}

/** On mixed line ends the strict reading stops; the other gives every line all the same, as none has quotes to it. */
async function ndjson(duck: Duck, input: Input, at: number, encoding: Encoding): Promise<Reader> {
  // Of files that were put one behind the other each may begin with a mark.
  const unmarked = (source: string): string => `SELECT CASE WHEN starts_with(line, '${MARK}') THEN line[2:] ELSE line END AS line FROM (${source})`;
  try {
    return await records(duck, input, at, unmarked(lines(input, at, encoding)), `rejects_${at}`);
  } catch (error) {
    if (!hasMixedEnds(error)) throw error;
    return records(duck, input, at, unmarked(lines(input, at, encoding, "new_line = '\\r\\n', strict_mode = false")), `rejects_${at}`);
  }
}

/** The same of a delimited file in which something cannot be read, for mixed line ends make that of what can. */
export async function evenReader(duck: Duck, reader: Reader, at: number): Promise<Reader> {
  const { input, dialect, notes } = reader;
  const even = dialect === null ? input : await evenInput(input, duck.signal);
  return even === input ? reader : { ...(await delimited(duck, even, at, dialect!, notes)), columns: reader.columns };
}

function hasMixedEnds(error: unknown): boolean {
  return /state machine/.test((error as Error).message);
}

/** JSON records. Their columns are what a sample of the records has, nested ones with a dot. */
async function records(duck: Duck, input: Input, at: number, source: string, rejects: string | null): Promise<Reader> {
  const table = `records_${at}`;
  try {
    await duck.run(`CREATE OR REPLACE TABLE ${table} AS ${source}`);
  } catch (error) {
    if (/maximum_object_size/.test((error as Error).message)) throw new IngestError(`${input.label} holds a record of more than 16 MiB, or an envelope around its records: write an array of them, or one a line`, { cause: error });
    const broken = /Malformed JSON.*?(at byte[^.\n]*)/.exec((error as Error).message);
    if (broken === null || /UTF-16/.test((error as Error).message)) throw error;
    throw new IngestError(`${input.label} is not valid JSON ${broken[1]!.replace('record/value', 'record')}: mend it, or write one record a line`, { cause: error });
  }
  if ((await duck.rows(`SELECT 1 AS said FROM ${table} WHERE trim(line, e' \\t\\r\\n') <> '' LIMIT 1`)).length === 0) throw emptyFile(input);
  const structure = await structureOf(duck, table);
  const columns = await jsonColumns(duck, table, structure);
  if (columns.length === 0 && input.compression === 'zstd' && input.format === 'json') throw new IngestError(`${input.label} holds no JSON object, or begins with a mark, which cannot be read in what zstd packed: ${UNPACK_ZSTD}`);
  if (columns.length === 0) throw new IngestError(`${input.label} holds no JSON object: each record is to be one, such as {"name": "Acme"}`);
  if (columns.length > LIMITS.ingestColumnsMax) throw tooWide(input, columns.length);
  const fault = `CASE WHEN line IS NULL OR trim(line) = '' THEN 'blank' WHEN NOT json_valid(line) THEN 'not valid JSON' WHEN json_type(line) <> 'OBJECT' THEN 'not a JSON object' END`;
  const relation = `(
    SELECT fault, CASE WHEN fault IS NULL THEN json_transform(line, ${literal(JSON.stringify(texts(structure)))}) END AS record,
    CASE WHEN fault IS NULL THEN line END AS line
    FROM (SELECT line, ${fault} AS fault FROM ${table})
  )`;
  return { input, columns, relation, clean: null, sampled: relation, fault: 'fault', rejects, lines: table, notes: [], dialect: null, among: null };
}

/** Of decimals. */
const PRECISION_MAX = 38;

async function parquet(duck: Duck, input: Input): Promise<Reader> {
  const relation = `read_parquet(${literal(input.path)})`;
  const shares = await duck.rows(`SELECT path_in_schema AS path, avg((dictionary_page_offset IS NOT NULL)::INTEGER) AS share FROM parquet_metadata(${literal(input.path)}) GROUP BY path`);
  const repeated = new Set(shares.filter(({ share }) => (share as number) > 0.5).map(({ path }) => path as string));
  const schema = await duck.rows(`SELECT name, precision, [name, type, num_children::VARCHAR, repetition_type, converted_type, scale::VARCHAR, precision::VARCHAR, logical_type]::VARCHAR AS told FROM parquet_schema(${literal(input.path)})`);
  const misread = schema.filter(({ precision }) => precision !== null && (precision as number) > PRECISION_MAX);
  const { columns, leftOut } = await parquetColumns(duck, relation, repeated, new Set(misread.map(({ name }) => name as string)));
  if (columns.length > LIMITS.ingestColumnsMax) throw tooWide(input, columns.length);
  const readOf = (paths: readonly string[], ...more: readonly string[]): string => `read_parquet([${paths.map(literal).join(', ')}]${more.map((option) => `, ${option}`).join('')})`;
  const among = isCut(input) ? null : { form: JSON.stringify([schema.map(({ told }) => told), columns]), clean: readOf, sampled: readOf };
  const notes = leftOut.map((column) => `${column} of ${input.label} is left out: its decimals have more than ${PRECISION_MAX} digits, of which the engine makes other numbers; have it written as text`);
  return { input, columns, relation, clean: null, sampled: relation, fault: 'NULL', rejects: null, lines: null, notes, dialect: null, among };
}

function emptyFile({ label, compression }: Input): EmptyFile {
  return new EmptyFile(compression === 'none' ? `${label} is empty` : `nothing comes of ${label} when it is unpacked`);
}

function tooWide({ label }: Input, columns: number): IngestError {
  return new IngestError(`${label} has ${columns} columns, more than ${LIMITS.ingestColumnsMax}: leave out those that no field needs`);
}

/** One line a row. Numbered, lines that are not in the encoding go to the rejects; else they are left out. */
export function lines(input: Input, at: number | null, encoding: Encoding, ...more: readonly string[]): string {
  return `SELECT line FROM read_csv(${literal(input.path)}, ${[
    "auto_detect = false, header = false, columns = {'line': 'VARCHAR'}, delim = '\x01', quote = '', escape = ''",
    `encoding = '${encoding}'`, room(input), packed(input), at === null ? 'ignore_errors = true' : storing(at), ...more,
  ].join(', ')})`;
}

async function firstLines(duck: Duck, input: Input, encoding: Encoding): Promise<string> {
  const found = await duck.rows(`${lines(input, null, encoding)} LIMIT 100`);
  return found.map(({ line }) => `${line as string}\n`).join('');
}

const storing = (at: number): string => `store_rejects = true, rejects_table = 'rejects_${at}', rejects_scan = 'scans_${at}', rejects_limit = 0`;
/**
 * Of the longest line, and of the buffer that the engine takes at once and of each piece of a file: by itself one of 256 MiB, which is all that it may have on a small
 * machine, for three rows too. It is no longer than its file, and takes a part of the engine's memory at most: but never less than two lines, so that each that may
 * be is read wherever it lies. A last one that is longer may be left out without a word where it goes over the end of a buffer.
 */
function room({ path, compression }: Input): string {
  const { ingestLineBytesMax: line, ingestBufferLinesMin: least, ingestBufferLinesMax: most, ingestBufferShare: share } = LIMITS;
  const bytes = compression === 'none' ? statSync(path).size : Infinity;
  const buffer = Math.min(most * line, bytes, Math.floor(engineMemoryBytes() * share));
  return `max_line_size = ${line}, buffer_size = ${Math.max(least * line, buffer)}`;
}

const packed = (input: Input): string => `compression = '${input.compression === 'none' ? 'uncompressed' : input.compression}'`;
