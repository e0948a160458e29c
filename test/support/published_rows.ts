import { openSegment, readText } from '../../src/segment/reader.ts';
import { readShared } from '../../src/segment/sealed_bytes.ts';

/** The lines of a segment as its files have them. */
export async function publishedLines({ index, rows }: { readonly index: string; readonly rows: string }): Promise<string[]> {
  const segment = openSegment(readShared(index), readShared(rows));
  return Array.from({ length: segment.rows }, (_, row) => readText(segment, row).toString());
}
