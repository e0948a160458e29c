import { readFile } from 'node:fs/promises';
import { openSegment, readText } from '../../src/segment/reader.ts';

function shared(bytes: Uint8Array): SharedArrayBuffer {
  const buffer = new SharedArrayBuffer(bytes.length);
  new Uint8Array(buffer).set(bytes);
  return buffer;
}

/** The lines of a segment as its files have them. */
export async function publishedLines({ index, rows }: { readonly index: string; readonly rows: string }): Promise<string[]> {
  const segment = openSegment(shared(await readFile(index)), shared(await readFile(rows)));
  return Array.from({ length: segment.rows }, (_, row) => readText(segment, row).toString());
}
