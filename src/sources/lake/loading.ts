import { LIMITS } from '../../config/limits.ts';
import type { IndexPlace } from '../../segment/index_memory.ts';
import type { RowsPlace } from '../../segment/row_bytes.ts';
import type { Manifest } from './manifest.ts';
import { segmentFiles } from './paths.ts';

/** Rows are read into memory, mapped into it, or read from their file for each answer. */
type RowsKept = 'memory' | 'mapped' | 'file';

/** `seal`: what the index was published with, see `sealOf`; null where it is not known. */
export type SegmentToLoad = { readonly index: string; readonly rows: string; readonly rowsBytes: number; readonly indexMapped: boolean; readonly keep: RowsKept; readonly seal: number | null };

/** A sealed segment ready to be mounted, or why it was refused: a short phrase that may leave the house. */
export type LoadedSegment = Mountable | { readonly ok: false; readonly reason: string };
/** `stencils`: what compact rows are spelled with; null where rows are text. */
export type Mountable = { readonly ok: true; readonly index: IndexPlace; readonly rows: RowsPlace; readonly stencils: Uint8Array | null };

/**
 * Loads and verifies segments, in the order asked. The checksums of many rows that stay on disk are verified afterwards, in
 * the background; `spoilt` tells of one that does not hold. Whoever asks serves all of them, or none where one was refused.
 */
export type LoadSegments = (files: readonly SegmentToLoad[], spoilt: (file: SegmentToLoad) => void) => Promise<readonly LoadedSegment[]>;

/** How many bytes of rows may be read into memory, and whether the others are mapped, and the indexes with them. */
export type RowsBudget = { readonly memoryBytes: number; readonly mapped: boolean };

/** Row bytes are held in memory as long as the budget lasts, first come first served; what does not fit stays in its file. */
export function filesToLoad(dir: string, segments: Manifest['segments'], { memoryBytes, mapped }: RowsBudget): SegmentToLoad[] {
  let leftBytes = memoryBytes;
  return segments.map(({ id, rowsBytes, seals }) => {
    const { index, rows } = segmentFiles(dir, id);
    const fits = rowsBytes <= Math.min(leftBytes, LIMITS.residentRowsBytesMax);
    if (fits) leftBytes -= rowsBytes;
    return { index, rows, rowsBytes, indexMapped: mapped, keep: fits ? 'memory' : mapped ? 'mapped' : 'file', seal: seals?.index ?? null };
  });
}

/** The row bytes in memory, of those that several have once. */
export function heldBytes(snapshots: readonly { readonly segments: ReadonlyMap<string, Mountable> }[]): number {
  const held = new Set<SharedArrayBuffer>();
  for (const { segments } of snapshots) {
    for (const { rows } of segments.values()) if (rows instanceof SharedArrayBuffer) held.add(rows);
  }
  return [...held].reduce((sum, { byteLength }) => sum + byteLength, 0);
}
