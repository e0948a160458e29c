import { mapFile } from './mapping.ts';
import { readShared } from './sealed_bytes.ts';

/** Where an index is: in memory that all threads share, or in a file, which each thread maps for itself. */
export type IndexPlace = SharedArrayBuffer | { readonly file: string };

/** An index as memory. After `close` no view of `buffer` may be read again: of a mapped one that would end the process. */
export type IndexMemory = { readonly buffer: ArrayBufferLike; close(): void };

/** Where the index of a file is to be: as asked, or in shared memory where the file cannot be mapped. */
export function placeIndex(file: string, mapped: boolean): IndexPlace {
  const mapping = mapped ? mapFile(file) : null;
  mapping?.close();
  return mapping === null ? readShared(file) : { file };
}

/** A thread that has no room left for a mapping holds the index by itself. */
export function openIndex(place: IndexPlace): IndexMemory {
  if (place instanceof SharedArrayBuffer) return { buffer: place, close() {} };
  const mapping = mapFile(place.file);
  return mapping === null ? { buffer: readShared(place.file), close() {} } : { buffer: mapping.bytes.buffer, close: () => mapping.close() };
}
