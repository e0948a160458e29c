import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { SegmentRefused } from './refused.ts';

/** A sealed file for one who goes through it once. Of a file read as such, and not mapped, a disk that fails is an error; touching its mapping would end the process. */
export interface SealedBytes {
  readonly bytes: number;
  /** At most `SEALED_PIECE_BYTES`, valid until the next call. */
  piece(start: number, end: number): Buffer;
  close(): void;
}

/** A piece that is read stays in the processor's cache until it is looked at. */
export const SEALED_PIECE_BYTES = 1_048_576;

export function sealedMemory(memory: ArrayBufferLike): SealedBytes {
  return { bytes: memory.byteLength, piece: (start, end) => Buffer.from(memory, start, end - start), close() {} };
}

export function sealedFile(path: string): SealedBytes {
  const file = openSync(path, 'r');
  const scratch = Buffer.allocUnsafeSlow(SEALED_PIECE_BYTES);
  return {
    bytes: fstatSync(file).size,
    piece(start, end) {
      const piece = scratch.subarray(0, end - start);
      readFully(file, piece, start);
      return piece;
    },
    close: () => closeSync(file),
  };
}

/** A whole file in memory that all threads share. */
export function readShared(path: string): SharedArrayBuffer {
  const file = openSync(path, 'r');
  try {
    const shared = new SharedArrayBuffer(fstatSync(file).size);
    for (let at = 0; at < shared.byteLength; at += READ_BYTES) readFully(file, new Uint8Array(shared, at, Math.min(READ_BYTES, shared.byteLength - at)), at);
    return shared;
  } finally {
    closeSync(file);
  }
}

/** In pieces also because no view holds more than 4 GiB. */
const READ_BYTES = 8 * 1_048_576;

/** Fills `into` from `start` of the file on. */
export function readFully(file: number, into: Uint8Array, start: number): void {
  for (let at = 0; at < into.length;) {
    const got = readSync(file, into, at, into.length - at, start + at);
    if (got === 0) throw new SegmentRefused('truncated', 'the file is shorter than it was');
    at += got;
  }
}
