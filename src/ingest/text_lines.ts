import { statSync } from 'node:fs';
import { LIMITS } from '../config/limits.ts';
import { engineMemoryBytes, literal } from './duckdb.ts';
import type { Encoding } from './encodings.ts';
import type { Input } from './input.ts';

/** One line a row. Numbered, lines that are not in the encoding go to the rejects; else they are left out. */
export function lines(input: Input, at: number | null, encoding: Encoding, ...more: readonly string[]): string {
  return `SELECT line FROM ${textOf([input.path], lineReading(input, encoding, room(input)), at === null ? 'ignore_errors = true' : storing(at), ...more)}`;
}

/** For the FROM clause: the records of delimited files that are read alike, or their lines. */
export function textOf(paths: readonly string[], how: string, ...more: readonly string[]): string {
  return `read_csv([${paths.map(literal).join(', ')}], ${[how, ...more].join(', ')})`;
}

/** How the lines of a file are read, in the room that they are to have. */
export function lineReading(input: Input, encoding: Encoding, room: string): string {
  return `auto_detect = false, header = false, columns = {'line': 'VARCHAR'}, delim = '\x01', quote = '', escape = '', encoding = '${encoding}', ${room}, ${packed(input)}`;
}

export const storing = (at: number): string => `store_rejects = true, rejects_table = 'rejects_${at}', rejects_scan = 'scans_${at}', rejects_limit = 0`;

const { ingestLineBytesMax: LINE, ingestBufferLinesMin: LEAST, ingestBufferLinesMax: MOST, ingestBufferShare: SHARE, ingestBufferPieces: PIECES } = LIMITS;

/** Room for the longest line, in buffers of so many bytes. */
const roomOf = (bufferBytes: number): string => `max_line_size = ${LINE}, buffer_size = ${bufferBytes}`;

/**
 * Of the longest line, and of the buffer that the engine takes at once and of each piece of a file: by itself one of 256 MiB, which is all that it may have on a small
 * machine, for three rows too. It is no longer than its file, and takes a part of the engine's memory at most: but never less than two lines, so that each that may
 * be is read wherever it lies. A last one that is longer may be left out without a word where it goes over the end of a buffer.
 * The engine has a buffer read in equal pieces. Where they leave a rest, a last line that ends in it is left out without a word.
 */
export function room({ path, compression }: Input): string {
  const bytes = compression === 'none' ? statSync(path).size : Infinity;
  const wanted = Math.max(LEAST * LINE, Math.min(MOST * LINE, bytes, engineMemoryBytes() * SHARE));
  return roomOf(Math.ceil(wanted / PIECES) * PIECES);
}

/** For a look at what a file begins with, or at some of it: to be given larger buffers takes a second. */
export const ROOM_FOR_LOOKS = roomOf(LEAST * LINE);

export const packed = (input: Input): string => `compression = '${input.compression === 'none' ? 'uncompressed' : input.compression}'`;
