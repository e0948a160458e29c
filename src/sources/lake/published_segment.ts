import { placeIndex } from '../../segment/index_memory.ts';
import { mapsFiles } from '../../segment/mapping.ts';
import { openSegment, type Segment } from '../../segment/reader.ts';
import type { Manifest } from './manifest.ts';
import { segmentFiles } from './paths.ts';

/** Opens a segment as it was published, for a command that looks into it: its index is verified as a whole, its rows are read from their file. Throws where it is not that. */
export function openPublished(dir: string, { id, rowsBytes, seals }: Manifest['segments'][number]): Segment {
  const { index, rows } = segmentFiles(dir, id);
  return openSegment(placeIndex(index, mapsFiles()), { file: rows, bytes: rowsBytes, mapped: false }, { seal: seals?.index ?? null });
}
