import type { Dataset } from '../model/dataset.ts';
import type { ExtraField } from '../model/vocabulary.ts';
import type { ScannedRow } from './scanned_row.ts';

/** What the writer must be told of a segment before its first row. */
export type SegmentHead = { readonly dataset: Dataset; readonly source: string; readonly extras: readonly ExtraField[] };

/** Some rows that stand one behind the other in their file, in one form or the other: see `row_form`. */
export interface StoredBlock {
  /** Turns to the next row of the block, its `rank` with it; false after the last. A row stands where it is until the next block is asked for, in the bytes of each row behind it too. */
  next(row: ScannedRow): boolean;
  /** What compact rows, of this block and all before it, are spelled with, as the section holds it; null where they are text. */
  stencils(): Uint8Array | null;
}

/** What a sealed segment says of itself; also the part of its source's entry in `/v1/sources`. */
export type SegmentSummary = SegmentHead & {
  readonly rows: number;
  readonly indexBytes: number;
  readonly rowsBytes: number;
  /** Share of rows, 0 to 1, in which each nullable field is not null. */
  readonly fill: Readonly<Record<string, number>>;
  readonly countries: Readonly<Record<string, number>>;
  /** The newest `updated_at` of the rows. */
  readonly updatedAt: string | null;
};

/**
 * Writes the file `index` (the sealed buffer that all threads share) of stored rows, and syncs it to disk. The rows must come by (country with nulls
 * last, identity class, identity key bytes, id); another order is refused. `checkpoint` is called between blocks, with the rows that came since, and
 * between the parts of the index; it may throw to end the work.
 */
export type IndexRows = (index: string, head: SegmentHead, blocks: AsyncIterable<StoredBlock>, checkpoint?: (rows: number) => void) => Promise<SegmentSummary>;
