import type { Dataset } from '../model/dataset.ts';
import type { ExtraField } from '../model/vocabulary.ts';
import type { Row } from '../model/field.ts';

/** What the writer must be told of a segment before its first row. */
export type SegmentHead = { readonly dataset: Dataset; readonly source: string; readonly extras: readonly ExtraField[] };

/**
 * A row with its place in the order of identity (class, key bytes, id): 0 .. rows-1, each once. `text`, where it is known already: what is
 * stored of the row, and just what would be made of it here, every field in its order.
 */
export type RankedRow = { readonly rank: number; readonly row: Row; readonly text?: string | undefined };

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
 * Writes `index` (the sealed buffer that all threads share) and `rows` (plain NDJSON, one row a line) and syncs both to disk.
 * The rows must come by (country with nulls last, identity class, identity key bytes, id); the writer refuses another order. `checkpoint` is called between the parts
 * of the index, and may throw to end the work.
 */
export type WriteSegment = (
  files: { readonly index: string; readonly rows: string },
  head: SegmentHead,
  batches: AsyncIterable<Iterable<RankedRow>>,
  checkpoint?: () => void,
) => Promise<SegmentSummary>;
