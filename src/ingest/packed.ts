import { createReadStream } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { IngestError } from './failure.ts';

const FRAME = 0xfd2fb528;
/** The mark of frames that hold no data, but for its last four bits. `pzstd` begins with one. */
const SKIPPABLE = 0x184d2a50;
const isSkippable = (mark: number): boolean => (mark & ~0xf) === SKIPPABLE;
/** Of all frame headers the longest takes 18 bytes. */
const HEADER_BYTES_MAX = 18;
const CHECKSUM_BYTES = 4;

export function damagedGzip(label: string, cause: unknown): IngestError {
  return new IngestError(`${label} is damaged or breaks off: it begins like a gzip file but does not unpack; fetch it again`, { cause });
}

/** The engine takes what it can unpack of a gzip file that breaks off, or whose sum is wrong, for all there is. */
export function assertWholeGzip(label: string, path: string, signal: AbortSignal): Promise<void> {
  return unpackGzip(label, path, new Writable({ write: (_bytes, _encoding, done) => { done(); } }), signal);
}

/** Unpacks a gzip file that is whole. Zeros behind its end, as tapes and some tools leave, are none of it. */
export async function unpackGzip(label: string, path: string, to: Writable, signal: AbortSignal): Promise<void> {
  const unpacked = createGunzip();
  try {
    await pipeline(createReadStream(path), unpacked, to, { signal });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code?.startsWith('Z_') ? damagedGzip(label, error) : error;
  }
  for await (const padding of createReadStream(path, { start: unpacked.bytesWritten, signal }) as AsyncIterable<Buffer>) {
    if (padding.some((byte) => byte !== 0)) throw new IngestError(`${label} has something else behind what gzip packed: fetch it again, or unpack it first`);
  }
}

/** Whether the engine refuses a gzip file for its form: it knows headers with a name alone, and no zeros behind the end. */
export function isForeignGzip(error: unknown): boolean {
  return error instanceof Error && (/Unsupported GZIP archive|not a GZIP stream/.test(error.message) || isForeignGzip(error.cause));
}

/** Whether the first bytes of a file are those of one that zstd packed. */
export function isZstd(raw: Buffer): boolean {
  if (raw.length < 4) return false;
  const mark = raw.readUInt32LE();
  return mark === FRAME || isSkippable(mark);
}

/**
 * On a zstd file that breaks off the engine stops for ever, or takes it for all there is. Nothing else here unpacks zstd, but frames tell the lengths of
 * their blocks; whether these are damaged the engine sees. Says whether anything is packed in it.
 */
export async function holdsZstd(label: string, path: string, signal: AbortSignal): Promise<boolean> {
  const { size } = await stat(path);
  const file = await open(path);
  let holds = false;
  try {
    for (let at = 0; at < size;) {
      const frame = await frameFrom(file, at, signal);
      if (frame === null || frame.end > size) throw new IngestError(`${label} breaks off, or has something else behind what zstd packed: fetch it again`);
      holds ||= frame.holds;
      at = frame.end;
    }
    return holds;
  } finally {
    await file.close();
  }
}

type Frame = { readonly end: number; readonly holds: boolean };

/** Where the frame that begins at a place ends, and whether it holds anything; null where none begins, or its last block does not come. */
async function frameFrom(file: FileHandle, start: number, signal: AbortSignal): Promise<Frame | null> {
  const { buffer: head, bytesRead } = await file.read({ buffer: Buffer.alloc(HEADER_BYTES_MAX), position: start });
  if (bytesRead < 8) return null;
  const mark = head.readUInt32LE();
  if (isSkippable(mark)) return { end: start + 8 + head.readUInt32LE(4), holds: false };
  if (mark !== FRAME) return null;
  const descriptor = head[4]!;
  const isSingle = (descriptor & 0x20) !== 0;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3]!;
  const contentBytes = [isSingle ? 1 : 0, 2, 4, 8][descriptor >> 6]!;
  const blocks = await blocksFrom(file, start + 5 + (isSingle ? 0 : 1) + dictionaryBytes + contentBytes, signal);
  return blocks === null ? null : { ...blocks, end: blocks.end + ((descriptor & 4) === 0 ? 0 : CHECKSUM_BYTES) };
}

/** Three bytes head a block: whether it is the last, its kind (1 is one byte, repeated) and its length. */
async function blocksFrom(file: FileHandle, start: number, signal: AbortSignal): Promise<Frame | null> {
  const head = Buffer.alloc(3);
  let holds = false;
  for (let at = start; ;) {
    signal.throwIfAborted();
    if ((await file.read({ buffer: head, position: at })).bytesRead < 3) return null;
    const said = head.readUIntLE(0, 3);
    holds ||= said >> 3 > 0;
    at += 3 + (((said >> 1) & 3) === 1 ? 1 : said >> 3);
    if ((said & 1) === 1) return { end: at, holds };
  }
}
