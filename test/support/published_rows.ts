import { openSegment, readText } from '../../src/segment/reader.ts';
import { readShared } from '../../src/segment/sealed_bytes.ts';
import { readGone } from '../../src/sources/lake/gone.ts';
import type { Manifest } from '../../src/sources/lake/manifest.ts';
import { segmentFiles } from '../../src/sources/lake/paths.ts';

/** The lines of a segment as its files have them, those that are gone too. */
export function publishedLines({ index, rows }: { readonly index: string; readonly rows: string }): string[] {
  const segment = openSegment(readShared(index), readShared(rows));
  return Array.from({ length: segment.rows }, (_, row) => readText(segment, row).toString());
}

/** The lines of a published source. */
export async function livingLines(dir: string, manifest: Manifest | null): Promise<string[]> {
  const lines = await Promise.all((manifest?.segments ?? []).map(async ({ id, gone: marked }) => {
    const gone = new Set(await readGone(dir, marked));
    return publishedLines(segmentFiles(dir, id)).filter((_, row) => !gone.has(row));
  }));
  return lines.flat();
}
