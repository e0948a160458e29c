import { dialectOf } from './dialect.ts';
import { literal, type Duck } from './duckdb.ts';
import { ENCODINGS, type Encoding } from './encodings.ts';
import type { Escape } from './escapes.ts';
import { IngestError, UNPACK_ZSTD } from './failure.ts';
import { folderColumns } from './folder_columns.ts';
import { decodedInput, evenInput, headOf, isCut, type Input } from './input.ts';
import { documentReader, ndjsonReader } from './json_reader.ts';
import type { Shape } from './json_shape.ts';
import { parquetColumns } from './parquet_columns.ts';
import { assertNotTooWide, emptyFile, type Reader } from './reader_form.ts';
import { lines, packed, room, ROOM_FOR_LOOKS, storing, textOf } from './text_lines.ts';

/** What the command says of the files; null where they are to tell it themselves. */
type Wanted = { readonly encoding: string | null; readonly escape: Escape | null };

/** `shape`: of its records, where it is known. */
export async function openReader(duck: Duck, found: Input, at: number, wanted: Wanted, shape: Shape | null = null): Promise<Reader> {
  const { among, ...reader } = await readerOf(duck, found, at, wanted, shape);
  const folders = folderColumns(found.label, reader.columns);
  return { ...reader, columns: [...reader.columns, ...folders], among: among === null ? null : { ...among, form: `${among.form}${JSON.stringify(folders)}` } };
}

async function readerOf(duck: Duck, found: Input, at: number, { encoding: wanted, escape }: Wanted, shape: Shape | null): Promise<Reader> {
  if (found.head.sight === 'empty') throw emptyFile(found);
  const input = await decodedInput(found, wanted, duck.signal);
  const encoding = input.head.sight === 'nothing' && wanted !== null ? readPacked(input, wanted) : 'utf-8';
  switch (input.format) {
    case 'delimited': return delimited(duck, input, at, { encoding, escape }, wanted === null ? guessedNotes(input) : []);
    case 'ndjson': return ndjsonReader(duck, input, at, encoding, shape);
    case 'json': return documentReader(duck, input, at);
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

/** Blank lines are skipped, but where there is one column. */
const BARE_FAULT = "CASE WHEN c0 IS NULL THEN 'blank' END";

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
  assertNotTooWide(input, dialect.header.length);
  const form = `auto_detect = false, header = true, ${ESCAPING[dialect.escape]}, ${[
    `columns = {${dialect.header.map((_, column) => `'c${column}': 'VARCHAR'`).join(', ')}}`,
    `delim = ${literal(dialect.delimiter)}`, `skip = ${dialect.skip}`, `encoding = '${encoding}'`, packed(input),
  ].join(', ')}`;
  const how = `${form}, ${room(input)}`;
  const clean = (paths: readonly string[], ...more: readonly string[]): string => textOf(paths, how, ...more);
  const sampled = (paths: readonly string[], ...more: readonly string[]): string => textOf(paths, form, ROOM_FOR_LOOKS, SAMPLED[dialect.escape], ...more);
  const columns = dialect.header.map((column, index) => ({ name: column, sql: dialect.coded ? `decoded(c${index})` : `c${index}`, repeated: false, fraction: false, records: false }));
  const reader: Reader = {
    input, dialect, columns,
    relation: clean([input.path], storing(at)), clean: clean([input.path]), strictly: () => evenReader(duck, reader, at),
    sampled: sampled([input.path]), fault: dialect.header.length > 1 ? 'NULL' : BARE_FAULT, rejects: `rejects_${at}`, lines: null,
    among: isCut(input) ? null : { form: JSON.stringify([dialect, columns, how]), clean, sampled },
    notes: [
      ...notes, ...(dialect.words === 0 ? [] : [`the header of ${input.label} is line ${dialect.skip + 1}: what stands before it is passed over`]),
      ...(dialect.escape === 'none' && escape === null ? [`no cell of ${input.label} is quoted, and the quotes in them are letters; --escape says otherwise`] : []),
      ...(dialect.coded && escape === null ? [`\\n, \\t and \\\\ in the cells of ${input.label} are read as a line end, a tab and a backslash; --escape quote says otherwise`] : []),
      ...(dialect.escape === 'backslash' && escape === null ? [`quotes within the cells of ${input.label} have backslashes before them, which are taken away; --escape says otherwise`] : []),
    ],
  };
  return reader;
}

/** The same where something cannot be read, for mixed line ends make that of what can. */
async function evenReader(duck: Duck, reader: Reader, at: number): Promise<Reader> {
  const even = await evenInput(reader.input, duck.signal);
  return even === reader.input ? reader : delimited(duck, even, at, reader.dialect!, reader.notes);
}

/** A NUL is a letter among a hundred others where a database wrote one into a cell; in a header, or more of them, tell of another kind of file. */
function isNoText(text: string): boolean {
  return text.split(/[\r\n]/, 1)[0]!.includes('\0') || text.split('\0').length - 1 > text.length / 100;
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
  assertNotTooWide(input, columns.length);
  const readOf = (paths: readonly string[], ...more: readonly string[]): string => `read_parquet([${paths.map(literal).join(', ')}]${more.map((option) => `, ${option}`).join('')})`;
  const among = isCut(input) ? null : { form: JSON.stringify([schema.map(({ told }) => told), columns]), clean: readOf, sampled: readOf };
  const notes = leftOut.map((column) => `${column} of ${input.label} is left out: its decimals have more than ${PRECISION_MAX} digits, of which the engine makes other numbers; have it written as text`);
  return { input, columns, relation, clean: null, strictly: null, sampled: relation, fault: 'NULL', rejects: null, lines: null, notes, dialect: null, among };
}

async function firstLines(duck: Duck, input: Input, encoding: Encoding): Promise<string> {
  const found = await duck.rows(`${lines(input, null, encoding)} LIMIT 100`);
  return found.map(({ line }) => `${line as string}\n`).join('');
}
