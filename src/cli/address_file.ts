import { addAbortSignal } from 'node:stream';
import { LIMITS } from '../config/limits.ts';
import { linesIn, utf8Texts } from '../lib/utf8_lines.ts';
import { UsageError } from './command.ts';
import { namedStream } from './named_file.ts';
import { cellText } from './table.ts';

/** One address of a file. `raw`: its whole record as it stood, without the line end, and with all its cells. `ends`: where in the file, about, a line end being one byte. */
export type AddressRecord = { readonly email: string; readonly raw: string; readonly ends: number };

export type AddressFile = {
  /** The raw header of a CSV file, and what separates its cells; null for a file of one address a line. */
  readonly header: { readonly raw: string; readonly separator: string } | null;
  readonly records: AsyncGenerator<AddressRecord>;
  /** Of the whole file; null for standard input, and for what is none. */
  readonly bytes: number | null;
};

/** Without blanks, hyphens and underscores. */
const EMAIL_COLUMNS: ReadonlySet<string> = new Set(['email', 'emailaddress', 'mail', 'workemail']);
const SEPARATORS = [',', ';', '\t'];
/** How some programs tell a spreadsheet what separates the cells below. */
const ANNOUNCED = /^\uFEFF?sep=([^"\r\n])(?:\r\n?|\n)/i;

/** An object, or an array of something: no address and no name of a column begins so. */
const JSON_HEAD = /^\s*(?:\{\s*(?:"|$)|\[\s*(?:[{["]|$))/;

/** Opens `file` (`-` is standard input): CSV where its first line names the column of addresses or its name says so, else one address a line. */
export async function openAddresses(file: string, column: string | undefined, signal: AbortSignal): Promise<AddressFile> {
  const { stream, bytes } = await namedStream(file);
  let pieces = texts(addAbortSignal(signal, stream));
  let head = await headOf(pieces);
  const [line = '', announced] = ANNOUNCED.exec(head) ?? [];
  if (announced !== undefined) {
    pieces = joined(head.slice(line.length), pieces);
    head = await headOf(pieces);
  }
  const first = new RecordSplitter(announced ?? separatorOf(head)).push(`${head}\n`)[0] ?? '';
  if (JSON_HEAD.test(first)) throw new UsageError('The file is JSON, which is not read: jq -r .email FILE > addresses.txt makes one address a line of NDJSON, .[].email of an array.');
  const separator = announced ?? separatorOf(first);
  const at = emailColumn(first, separator, column, /\.(?:csv|tsv)$/i.test(file));
  const all = joined(head, pieces);
  if (at === null) return { header: null, records: lines(all), bytes };
  return { header: { raw: first, separator }, records: rows(all, { separator, at, columns: cellsOf(first, separator).length }), bytes };
}

/** Records of CSV from pieces of text: line ends (CRLF, LF or CR) inside quotes do not end one. Quotes count at the beginning of a cell only; an empty `separator`: nowhere. */
export class RecordSplitter {
  readonly #separator: string;
  #rest = '';
  #at = 0;
  #quoted = false;
  #closed = false;
  #cellStart = true;

  constructor(separator: string) {
    this.#separator = separator;
    this.#cellStart = separator !== '';
  }

  /** What was read of a record that has not ended yet. */
  get rest(): string {
    return this.#rest;
  }

  push(text: string): string[] {
    this.#rest += text;
    const records: string[] = [];
    let from = 0;
    for (; this.#at < this.#rest.length; this.#at++) {
      const character = this.#rest[this.#at]!;
      // Only what follows it tells whether this is a line end or the first half of one.
      if (character === '\r' && !this.#quoted && this.#at + 1 === this.#rest.length) break;
      const ended = !this.#quoted && (character === '\n' || (character === '\r' && this.#rest[this.#at + 1] !== '\n'));
      const closed = this.#closed;
      this.#closed = false;
      if (this.#quoted) {
        if (character === '"') {
          this.#quoted = false;
          this.#closed = true;
        }
      } else if (character === '"') {
        // A doubled quote closes and opens again.
        if (this.#cellStart || closed) this.#quoted = true;
      } else if (ended) {
        records.push(withoutReturn(this.#rest.slice(from, this.#at)));
        from = this.#at + 1;
      }
      this.#cellStart = !this.#quoted && this.#separator !== '' && (character === this.#separator || ended);
    }
    this.#rest = this.#rest.slice(from);
    this.#at -= from;
    if (this.#rest.length > LIMITS.csvRecordCharactersMax) throw new Error(`A record is longer than ${LIMITS.csvRecordCharactersMax} characters; most likely a quote is not closed.`);
    return records;
  }

  end(): string[] {
    if (this.#quoted) throw new Error('The file ends inside quotes.');
    return this.#rest === '' ? [] : [withoutReturn(this.#rest)];
  }
}

/** The cells of one record; quoted ones may hold separators, line ends and doubled quotes. */
function cellsOf(record: string, separator: string): string[] {
  const cells: string[] = [];
  for (let at = 0; at <= record.length;) {
    const quoted = record[at] === '"' ? /"((?:[^"]|"")*)"?/y : null;
    let cell = '';
    if (quoted !== null) {
      quoted.lastIndex = at;
      cell = quoted.exec(record)![1]!.replaceAll('""', '"');
      at = quoted.lastIndex;
    }
    const end = record.indexOf(separator, at);
    cell += record.slice(at, end === -1 ? record.length : end);
    cells.push(cell);
    if (end === -1) return cells;
    at = end + 1;
  }
  return cells;
}

/** Which cell holds the address; null for a file that is no CSV. */
function emailColumn(first: string, separator: string, column: string | undefined, named: boolean): number | null {
  const names = cellsOf(first, separator).map((name) => name.trim());
  const folded = names.map((name) => name.toLowerCase());
  if (column !== undefined) {
    const at = folded.indexOf(column.toLowerCase());
    if (at === -1) throw new UsageError(`The file has no column ${column}. It has: ${cellText(names, LIMITS.columnsToldCharactersMax)}.`);
    return at;
  }
  const at = folded.includes('email') ? folded.indexOf('email') : folded.findIndex((name) => EMAIL_COLUMNS.has(name.replaceAll(/[\s_-]/g, '')));
  if (at !== -1) return at;
  if (named && names.length > 1) throw new UsageError(`No column of the file is called email. It has: ${cellText(names, LIMITS.columnsToldCharactersMax)}. Name one with --column.`);
  return null;
}

function separatorOf(record: string): string {
  const counts = SEPARATORS.map((separator) => cellsOf(record, separator).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))]!;
}

/** Rows leave as they stood, so that no letter may be lost on the way in. */
function texts(stream: AsyncIterable<string | Buffer>): AsyncGenerator<string> {
  return utf8Texts(notUtf16(stream), (cause) => notUtf8('a packed file or one that Excel saved as plain CSV. Unpack it, or convert it', 'WINDOWS-1252', cause));
}

async function* notUtf16(stream: AsyncIterable<string | Buffer>): AsyncGenerator<string | Buffer> {
  let atHead = true;
  for await (const chunk of stream) {
    if (atHead && typeof chunk !== 'string' && isUtf16(chunk)) throw notUtf8('one that Excel saved as Unicode text. Convert it', 'UTF-16');
    atHead = false;
    yield chunk;
  }
}

/** Its mark at the head, or half of a first letter that is of ASCII. */
function isUtf16(head: Buffer): boolean {
  return head.length >= 2 && (head[0] === 0 || head[1] === 0 || head.readUInt16BE() === 0xfffe || head.readUInt16BE() === 0xfeff);
}

function notUtf8(as: string, charset: string, cause?: unknown): Error {
  return new Error(`The file is not text in UTF-8, as ${as}: iconv -f ${charset} -t UTF-8 FILE > NEW`, { cause });
}

/** The pieces up to the first line end and, if it is a CR, what follows it. */
async function headOf(pieces: AsyncGenerator<string>): Promise<string> {
  let head = '';
  while (!/\n|\r[^]/.test(head) && head.length <= LIMITS.csvRecordCharactersMax) {
    const { value, done } = await pieces.next();
    if (done === true) break;
    head += value;
  }
  return head;
}

async function* joined(head: string, pieces: AsyncGenerator<string>): AsyncGenerator<string> {
  yield head;
  yield* pieces;
}

async function* lines(pieces: AsyncIterable<string>): AsyncGenerator<AddressRecord> {
  let ends = 0;
  const characters = LIMITS.csvRecordCharactersMax;
  const tooLong = (): Error => new Error(`A line is longer than ${characters} characters: a file without columns has one address a line.`);
  for await (const line of linesIn(pieces, { characters, tooLong })) {
    ends += Buffer.byteLength(line) + 1;
    if (line !== '') yield { email: line, raw: line, ends };
  }
}

type Columns = { readonly separator: string; readonly at: number; readonly columns: number };

/** All rows below the header but blank ones. Cells that are missing at the end, as spreadsheets leave empty ones out, are put there: what is found stands below its own names. */
async function* rows(pieces: AsyncIterable<string>, { separator, at, columns }: Columns): AsyncGenerator<AddressRecord> {
  const splitter = new RecordSplitter(separator);
  let header = true;
  let ends = 0;
  const read = function* (records: readonly string[]): Generator<AddressRecord> {
    for (const raw of records) {
      ends += Buffer.byteLength(raw) + 1;
      const cells = header || raw === '' ? null : cellsOf(raw, separator);
      header = false;
      if (cells !== null) yield { email: cells[at] ?? '', raw: raw + separator.repeat(Math.max(0, columns - cells.length)), ends };
    }
  };
  for await (const piece of pieces) yield* read(splitter.push(piece));
  yield* read(splitter.end());
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
