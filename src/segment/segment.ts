import type { Dataset } from '../model/dataset.ts';
import type { ExtraField } from '../model/vocabulary.ts';

/** What the writer must be told of a segment before its first row. */
export type SegmentHead = { readonly dataset: Dataset; readonly source: string; readonly extras: readonly ExtraField[] };

/**
 * Rows that are stored already, as plain NDJSON, one row a line: the bytes of their file, whole rows in each block, which may be overwritten when the
 * next is asked for; and the place of each row in the order of identity (class, key bytes, id), 0 .. rows-1, each once.
 */
export type StoredRows = { readonly blocks: AsyncIterable<Buffer>; readonly ranks: ArrayLike<number> };

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
export type IndexRows = (index: string, head: SegmentHead, rows: StoredRows, checkpoint?: (rows: number) => void) => Promise<SegmentSummary>;
