import { constants, createReadStream, openSync, type Stats } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { fileFault } from '../lib/file_fault.ts';
import { UsageError } from './command.ts';

/** The bytes of a file that a person named, once it is sure that it can be read; a pipe has none yet. */
export async function namedFileBytes(file: string): Promise<number> {
  return (await readable(file)).size;
}

type NamedStream = {
  readonly stream: Readable;
  /** Null where nobody knows how much there is, and for an empty file. */
  readonly bytes: number | null;
  /** How much of it is read; null where there is no such thing. */
  fraction(): number | null;
};

/** Opens a file that a person named; `-` is standard input. */
export async function namedStream(file: string): Promise<NamedStream> {
  if (file === '-') return { stream: process.stdin, bytes: null, fraction: () => null };
  const found = await readable(file);
  if (found.isFIFO()) return { stream: pipe(file), bytes: null, fraction: () => null };
  const stream = createReadStream(file);
  const bytes = found.size === 0 ? null : found.size;
  return { stream, bytes, fraction: () => (bytes === null ? null : stream.bytesRead / bytes) };
}

/** As standard input is read: a thread that waits in a pipe, as one of files would, holds the process beyond every signal. */
function pipe(file: string): Readable {
  return new Socket({ fd: openSync(file, constants.O_RDONLY | constants.O_NONBLOCK), readable: true, writable: false });
}

async function readable(file: string): Promise<Stats> {
  try {
    const found = await stat(file);
    if (found.isDirectory()) throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
    await access(file, constants.R_OK);
    return found;
  } catch (error) {
    const told = fileFault(file, error);
    if (told === null) throw error;
    throw new UsageError(told, { cause: error });
  }
}
