import { createReadStream, createWriteStream } from 'node:fs';
import { open, realpath, stat, symlink, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { constants, createGunzip, gunzipSync } from 'node:zlib';
import { LIMITS } from '../config/limits.ts';
import { fileFault } from '../lib/file_fault.ts';
import { codePageOf } from './code_pages.ts';
import { dialectOf, encodingOf, hasUtf8Mark, unmarkedUtf16Of, utf16Of, UTF8_MARK_BYTES, windowsText } from './dialect.ts';
import type { Encoding } from './encodings.ts';
import type { Escape } from './escapes.ts';
import { IngestError } from './failure.ts';
import { copyEven, mixesEnds } from './line_ends.ts';
import { damagedGzip, holdsZstd, isZstd, unpackGzip } from './packed.ts';

const SPOOL = 'write what comes from it to a file first, which is read more than once';
/** What is no file on a disk may say that it has no bytes. */
const HEAD_BYTES_MIN = 4_096;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LF = 0x0a;

/** What files are that people take for exports, by their first bytes, and what to do. */
const FOREIGN: readonly (readonly [string, string])[] = [
  ['PK\x03\x04', 'a workbook or a ZIP archive: save it as CSV, or unpack it first'], ['\xd0\xcf\x11\xe0', 'a workbook: save it as CSV first'],
  ['Obj\x01', 'an Avro file: write Parquet or NDJSON instead'], ['ARROW1\0', 'an Arrow file: write Parquet instead'],
  ...['BZh91AY&SY', '\xfd7zXZ\0', '7z\xbc\xaf\x27\x1c', 'Rar!\x1a\x07'].map((beginning): readonly [string, string] => [beginning, 'packed in a way that is not read: unpack it first']),
];

export type Format = 'delimited' | 'ndjson' | 'json' | 'parquet';

/** A file that was named, and what its first bytes say. */
export type Input = {
  /** As the person wrote it. */
  readonly label: string;
  /** A link in the work folder: a path without a letter that the engine would take for a pattern. */
  readonly path: string;
  /** The file that was named, free of links, and what told its state when it was opened. */
  readonly origin: { readonly path: string; readonly state: string };
  readonly format: Format;
  readonly compression: 'none' | 'gzip' | 'zstd';
  readonly tabs: boolean;
  /** The encoding of the file where `path` leads to a copy of it in UTF-8. */
  readonly decodedFrom: string | null;
  readonly head: Head;
};

/** Where the first bytes are read, each time that they are looked at: of thousands of files they would fill the memory. */
type Head = { readonly path: string; readonly compression: Input['compression']; readonly sight: Sight };

/** What the first bytes show of a file: nothing where only the engine can unpack them, else its beginning, or all of it, of which there may be none. */
type Sight = 'nothing' | 'beginning' | 'whole' | 'empty';

/** Looks at a file and links it into the work folder. */
export async function openInput(label: string, at: number, workDir: string, signal: AbortSignal): Promise<Input> {
  const state = await stateOf(label).catch(() => '');
  const raw = await firstBytes(label);
  const [, foreign] = FOREIGN.find(([beginning]) => raw.toString('latin1', 0, beginning.length) === beginning) ?? [];
  if (foreign !== undefined) throw new IngestError(`${label} is ${foreign}`);
  const compression = compressionOf(raw);
  const isBare = compression === 'zstd' && !(await holdsZstd(label, resolve(label), signal));
  const head = compression === 'none' ? raw : compression === 'gzip' ? unpacked(label, raw) : isBare ? Buffer.alloc(0) : null;
  const stem = basename(label).toLowerCase().replace(/\.(?:gz|gzip|zst|zstd)$/, '');
  const coded = head === null ? null : utf16Of(head);
  const format = formatOf(stem, coded === null ? head : Buffer.from(new TextDecoder(coded).decode(head!, { stream: true })));
  if (format === 'parquet' && compression !== 'none') throw new IngestError(`${label}: Parquet files are compressed inside; unpack this one first`);
  const path = join(workDir, `input-${at}`);
  const tabs = /\.(?:tsv|tab)$/.test(stem);
  const origin = { path: await realpath(resolve(label)), state };
  await symlink(origin.path, path);
  return { label, path, origin, format, compression, tabs, decodedFrom: null, head: { path, compression, sight: head === null ? 'nothing' : sightOf(head, compression) } };
}

function sightOf({ length }: Buffer, compression: Input['compression']): Sight {
  if (length === 0) return 'empty';
  return compression === 'none' && length < LIMITS.ingestHeadBytes ? 'whole' : 'beginning';
}

/** The first bytes, unpacked; null where there are some and only the engine can unpack them. */
export async function headOf({ label, head: { path, compression, sight } }: Input): Promise<Buffer | null> {
  if (sight === 'nothing') return null;
  if (sight === 'empty') return Buffer.alloc(0);
  const raw = await firstBytes(path, label);
  return compression === 'none' ? raw : unpacked(label, raw);
}

/** Of a copy. */
async function plainHead(path: string): Promise<Head> {
  return { path, compression: 'none', sight: sightOf(await firstBytes(path), 'none') };
}

/** A file is read several times: what was written meanwhile would be in part of them, and an export that still runs is not all there is. */
export async function assertUnchanged({ label, origin: { path, state } }: Input): Promise<void> {
  if ((await stateOf(path).catch(() => 'gone')) !== state) throw new IngestError(`${label} changed while it was read: run it again when nothing writes to it any more`);
}

async function stateOf(path: string): Promise<string> {
  const { ino, size, mtimeNs } = await stat(path, { bigint: true });
  return `${ino} ${size} ${mtimeNs}`;
}

const MARKED = 'utf-8 with a mark';

/** The encoding of a file that is to be copied as UTF-8. A mark says more than `wanted`; of JSON nothing but a mark tells it, which no document is read with. */
function codedOf({ format, tabs }: Input, head: Buffer | null, wanted: string | null): string | null {
  if (head === null) return null;
  if (hasUtf8Mark(head)) return format === 'json' ? MARKED : null;
  const encoding = utf16Of(head) ?? wanted ?? (format === 'delimited' ? encodingOf(head) : 'utf-8');
  switch (encoding) {
    case 'utf-8': return null;
    case 'latin-1': return (wanted === null ? codePageOf(head, tabs ? '\t' : null) : null) ?? 'windows-1252';
    case 'utf-16': return unmarkedUtf16Of(head);
    default: return encoding;
  }
}

/** Whether it is read as it stands. */
export async function isUtf8(input: Input, wanted: string | null): Promise<boolean> {
  return codedOf(input, await headOf(input), wanted) === null;
}

/**
 * The same, copied as UTF-8 where it is not: the engine refuses letters that Windows has beyond Latin-1, and of UTF-16 all that are two units. What only
 * the engine can unpack is left to it.
 */
export async function decodedInput(input: Input, wanted: string | null, signal: AbortSignal): Promise<Input> {
  const coded = codedOf(input, input.format === 'parquet' ? null : await headOf(input), wanted);
  if (coded === null) return input;
  const path = `${input.path}-decoded`;
  const texts = (bytes: AsyncIterable<Buffer>): AsyncIterable<string | Buffer> => (coded === MARKED ? unmarked(bytes) : decodedTexts(bytes, coded));
  const file = createReadStream(input.path);
  const copy = createWriteStream(path);
  try {
    await (input.compression === 'gzip' ? pipeline(file, createGunzip(), texts, copy, { signal }) : pipeline(file, texts, copy, { signal }));
  } catch (error) {
    if (!(error as NodeJS.ErrnoException).code?.startsWith('Z_')) throw error;
    throw damagedGzip(input.label, error);
  }
  return { ...input, path, compression: 'none', decodedFrom: coded in DECODED ? DECODED[coded]! : coded, head: await plainHead(path) };
}

/** The same, unpacked to a copy, where gzip packed it. */
export async function unpackedInput(input: Input, signal: AbortSignal): Promise<Input> {
  if (input.compression !== 'gzip') return input;
  const path = `${input.path}-unpacked`;
  await unpackGzip(input.label, input.path, createWriteStream(path), signal);
  return { ...input, path, compression: 'none', head: await plainHead(path) };
}

/** The same, of its first records alone where their end is in sight: the engine tells what it could not read only of what it read to the end. */
export async function beginningOf(input: Input, recordsMax: number, escape: Escape | null): Promise<Input> {
  const { format, tabs } = input;
  const head = format === 'delimited' ? await headOf(input) : null;
  if (head === null) return input;
  const text = new TextDecoder(utf16Of(head) ?? 'utf-8').decode(head, { stream: true });
  const end = endOfRecords(head, recordsMax, dialectOf(text, 'utf-8', { delimiter: tabs ? '\t' : null, escape, isCut: isCut(input) }).escape);
  if (end === null) return input;
  const path = `${input.path}-beginning`;
  await writeFile(path, head.subarray(0, end));
  // How the whole file is written its own first bytes tell.
  return { ...input, path, compression: 'none', head: { ...input.head, sight: sightOf(head, 'none') } };
}

/** Whether the first bytes may end amid a record: of a packed file they are unpacked, and what those come to. */
export function isCut({ head: { sight } }: Input): boolean {
  return sight === 'nothing' || sight === 'beginning';
}

/** Behind so many records, or behind the last whole one where the bytes are not all of the file. A line ends a record where the quotes before it are even. */
function endOfRecords(head: Buffer, recordsMax: number, escape: Escape): number | null {
  const coded = utf16Of(head);
  const unitBytes = coded === null ? 1 : 2;
  let quotes = 0;
  let records = 0;
  let end = 0;
  for (let at = 0; at + unitBytes <= head.length && records < recordsMax; at += unitBytes) {
    const unit = coded === null ? head[at]! : coded === 'utf-16le' ? head.readUInt16LE(at) : head.readUInt16BE(at);
    if (unit === BACKSLASH && escape === 'backslash') at += unitBytes;
    else if (unit === QUOTE && escape !== 'none') quotes += 1;
    else if (unit === LF && quotes % 2 === 0) {
      records += 1;
      end = at + unitBytes;
    }
  }
  const found = records === recordsMax || head.length === LIMITS.ingestHeadBytes;
  // Where the header alone is whole, what comes of the rows is told by the whole file.
  return found && records > 1 ? end : null;
}

const DECODED: Readonly<Record<string, Encoding | null>> = { 'utf-16le': 'utf-16', 'utf-16be': 'utf-16', 'windows-1252': 'latin-1', [MARKED]: null };

/** The same with the line ends of one kind, where they are of several and can be seen: on those the engine stops, or takes a quote for open. */
export async function evenInput(input: Input, signal: AbortSignal): Promise<Input> {
  const { compression } = input;
  if (compression === 'zstd') return input;
  const bytes = { path: input.path, compression };
  if (!(await mixesEnds(bytes, signal))) return input;
  const path = `${input.path}-even`;
  await copyEven(bytes, path, signal);
  return { ...input, path, compression: 'none', head: await plainHead(path) };
}

async function* unmarked(bytes: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  let skipped = 0;
  for await (const piece of bytes) {
    const skip = Math.min(piece.length, UTF8_MARK_BYTES - skipped);
    skipped += skip;
    yield piece.subarray(skip);
  }
}

async function* decodedTexts(bytes: AsyncIterable<Buffer>, coded: string): AsyncIterable<string> {
  if (coded === 'windows-1252') {
    for await (const piece of bytes) yield windowsText(piece);
    return;
  }
  const decoder = new TextDecoder(coded);
  for await (const piece of bytes) yield decoder.decode(piece, { stream: true });
  yield decoder.decode();
}

async function firstBytes(path: string, label = path): Promise<Buffer> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw new IngestError(`${label} is a folder: name its files, as in ${join(label, '*.csv')}`);
    if (!found.isFile()) throw new IngestError(`${label} is no file that can be read twice: ${SPOOL}`);
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(Math.min(LIMITS.ingestHeadBytes, Math.max(found.size, HEAD_BYTES_MIN))) });
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    const told = fileFault(label, error);
    if (told === null) throw error;
    throw new IngestError(label === '-' ? `standard input is not read: ${SPOOL}` : told, { cause: error });
  }
}

function compressionOf(raw: Buffer): Input['compression'] {
  if (raw[0] === 0x1f && raw[1] === 0x8b) return 'gzip';
  return isZstd(raw) ? 'zstd' : 'none';
}

function unpacked(label: string, raw: Buffer): Buffer {
  try {
    return gunzipSync(raw.subarray(0, LIMITS.ingestPackedHeadBytes), { finishFlush: constants.Z_SYNC_FLUSH }).subarray(0, LIMITS.ingestHeadBytes);
  } catch (error) {
    throw damagedGzip(label, error);
  }
}

/** The ending decides, then the first letter; JSON whose first line is not whole is read as a document. */
function formatOf(stem: string, head: Buffer | null): Format {
  if (head?.subarray(0, 4).toString('latin1') === 'PAR1' || /\.(?:parquet|pq)$/.test(stem)) return 'parquet';
  if (/\.(?:csv|tsv|tab|txt|psv)$/.test(stem)) return 'delimited';
  const text = head === null ? '' : head.toString('utf8').replace(/^[\ufeff\s]+/, '');
  // No line begins so that is a record: it is an array of them, whatever it is called.
  if (/\.(?:ndjson|jsonl)$/.test(stem)) return /^\[\s*\{/.test(text) ? 'json' : 'ndjson';
  if (stem.endsWith('.json') || text.startsWith('[') || text.startsWith('{')) return text.startsWith('{') && isWhole(text.split('\n', 1)[0]!) ? 'ndjson' : 'json';
  return 'delimited';
}

function isWhole(line: string): boolean {
  try {
    return typeof JSON.parse(line) === 'object';
  } catch {
    return false;
  }
}
