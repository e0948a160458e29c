import type { IndexPlace } from './index_memory.ts';
import type { RowsPlace } from './row_bytes.ts';

/** A sealed segment as it is handed to the scan threads. */
export type SegmentMount = {
  /** Unique for the life of the process: a new snapshot's new segments have new ids, as has a segment of which other rows are `gone`. */
  readonly id: string;
  /** Of all mounts of the same files, which differ in what is dead alone. */
  readonly segment: string;
  readonly index: IndexPlace;
  readonly rows: RowsPlace;
  /**
   * One bit a row (row r is bit r mod 8 of byte r / 8): rows that must not be returned, counted or lend a field, since they are suppressed; null for
   * none. Never written once mounted: other dead rows are another buffer, under the same id.
   */
  readonly dead: SharedArrayBuffer | null;
  /** Numbers of rows, ascending, that must not either, since later ones replaced them. */
  readonly gone: Uint32Array;
  /** Columns that are as if they were not there: they hold values of another type than is asked for. None where it is not told. */
  readonly hidden?: readonly string[];
  /** Of replaced snapshots alone: most of these are never asked again, and are opened when they are. */
  readonly replaced?: true;
};
