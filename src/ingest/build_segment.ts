import { vocabulary } from '../model/vocabulary.ts';
import type { RowForm } from '../segment/row_form.ts';
import type { SegmentHead, SegmentSummary } from '../segment/segment.ts';
import { indexRows } from '../segment/writer.ts';
import type { SegmentFiles } from '../sources/lake/paths.ts';
import { truthRows } from './truth/truth_rows.ts';

/** A segment to be made of its Parquet truth, whose rows stand in serving order beside their ranks, which ascend with their identities. `rankGaps`: those that no row has, ascending; null for none. */
export type SegmentOrder = { readonly head: SegmentHead; readonly files: SegmentFiles; readonly form: RowForm; readonly rankGaps: Uint32Array | null };

/** Called between two blocks of rows and two parts of the index, with the rows that came since; throws where the work is to end. */
type Checkpoint = (rows: number) => void;

/** Reads the truth as it lies, column by column, without the engine: rows and index are written as its rows go by. */
export function buildSegment({ head, files, form, rankGaps }: SegmentOrder, checkpoint: Checkpoint): Promise<SegmentSummary> {
  return indexRows(files.index, head, truthRows(files.truth, files.rows, { words: vocabulary(head.dataset, head.extras), source: head.source, form, rankGaps }), checkpoint);
}
