import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { SegmentRefused } from './refused.ts';

/** The rows' bytes: resident and shared by all threads, or a file of which each thread has a descriptor of its own. */
export interface RowBytes {
  readonly bytes: number;
  /** All of them where they are resident, else null. */
  readonly resident: Uint8Array | null;
  /** Copies [start, end) to `into` at `at`. */
  read(start: number, end: number, into: Uint8Array, at: number): void;
  close(): void;
}

export function openRowBytes(rows: SharedArrayBuffer | { readonly file: string; readonly bytes: number }, sealedBytes: number): RowBytes {
  const opened = rows instanceof SharedArrayBuffer ? residentBytes(rows) : fileBytes(rows.file);
  if (opened.bytes === sealedBytes) return opened;
  opened.close();
  throw new SegmentRefused('rows_length', `${opened.bytes} bytes of rows where ${sealedBytes} were sealed`);
}

function residentBytes(rows: SharedArrayBuffer): RowBytes {
  const resident = new Uint8Array(rows);
  return {
    bytes: rows.byteLength,
    resident,
    read: (start, end, into, at) => into.set(resident.subarray(start, end), at),
    close: () => {},
  };
}

function fileBytes(file: string): RowBytes {
  const descriptor = openSync(file, 'r');
  return {
    bytes: fstatSync(descriptor).size,
    resident: null,
    read(start, end, into, at) {
      for (let from = start; from < end;) {
        const got = readSync(descriptor, into, at + from - start, end - from, from);
        if (got === 0) throw new SegmentRefused('rows_length', 'the file of rows has shrunk');
        from += got;
      }
    },
    close: () => closeSync(descriptor),
  };
}
