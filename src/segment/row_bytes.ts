import { closeSync, fstatSync, openSync } from 'node:fs';
import { mapFile } from './mapping.ts';
import { SegmentRefused } from './refused.ts';
import { readFully } from './sealed_bytes.ts';

/** Where row bytes are: in memory that all threads share, or in a file, which each thread maps or opens for itself. */
export type RowsPlace = SharedArrayBuffer | { readonly file: string; readonly bytes: number; readonly mapped: boolean };

export interface RowBytes {
  readonly bytes: number;
  /** All of them where they can be read as memory, else null, as after `close`. */
  readonly resident: Uint8Array | null;
  /** Copies [start, end) to `into` at `at`. */
  read(start: number, end: number, into: Buffer, at: number): void;
  close(): void;
}

export function openRowBytes(rows: RowsPlace, sealedBytes: number): RowBytes {
  const opened = rows instanceof SharedArrayBuffer ? residentBytes(new Uint8Array(rows), () => {}) : openFile(rows);
  if (opened.bytes === sealedBytes) return opened;
  opened.close();
  throw new SegmentRefused('rows_length', `${opened.bytes} bytes of rows where ${sealedBytes} were sealed`);
}

function openFile({ file, mapped }: { readonly file: string; readonly mapped: boolean }): RowBytes {
  const mapping = mapped ? mapFile(file) : null;
  return mapping === null ? fileBytes(file) : residentBytes(mapping.bytes, () => { mapping.close(); });
}

function residentBytes(bytes: Uint8Array, release: () => void): RowBytes {
  const from = bytes.byteOffset;
  // Kept at hand: to ask a view for its memory costs a third of a copied row.
  let memory: ArrayBufferLike | null = bytes.buffer;
  const opened: { -readonly [K in keyof RowBytes]: RowBytes[K] } = {
    bytes: bytes.length,
    resident: bytes,
    // Fills with the very bytes: a plain native copy, where `set` goes byte by byte for shared memory.
    read: (start, end, into, at) => { into.fill(viewIn(memory!, from + start, end - start), at, at + end - start); },
    close() {
      memory = null;
      opened.resident = null;
      release();
    },
  };
  return opened;
}

/** As `subarray`, which first asks of what class its view is to be. */
export function viewOf({ buffer, byteOffset }: Uint8Array, start: number, end: number): Uint8Array {
  return viewIn(buffer, byteOffset + start, end - start);
}

function viewIn(memory: ArrayBufferLike, at: number, bytes: number): Uint8Array {
  return new Uint8Array(memory, at, bytes);
}

function fileBytes(file: string): RowBytes {
  const descriptor = openSync(file, 'r');
  return {
    bytes: fstatSync(descriptor).size,
    resident: null,
    read: (start, end, into, at) => readFully(descriptor, into.subarray(at, at + end - start), start),
    close: () => closeSync(descriptor),
  };
}
