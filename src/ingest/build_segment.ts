import { NumberList } from '../lib/number_list.ts';
import type { Row } from '../model/field.ts';
import { vocabulary } from '../model/vocabulary.ts';
import type { SegmentHead, SegmentSummary } from '../segment/segment.ts';
import { storedText } from '../segment/stored_row.ts';
import { indexRows } from '../segment/writer.ts';
import { sync } from '../sources/lake/durable.ts';
import type { SegmentFiles } from '../sources/lake/paths.ts';
import { literal, type Duck } from './duckdb.ts';
import { storedBlocks } from './row_file.ts';
import { rowTextSql, writeTexts } from './row_text.ts';

/** A segment to be made of its Parquet truth, whose rows stand in serving order beside their `rank`. */
export type SegmentOrder = { readonly head: SegmentHead; readonly files: SegmentFiles };

/** Called between two blocks of rows and two parts of the index, with the rows that came since; throws where the work is to end. */
export type Checkpoint = (rows: number) => void;

/** The engine writes the rows file, which is then read here as it lies: no text of a row crosses the border, and none is parsed. */
export async function buildSegment(duck: Duck, { head, files }: SegmentOrder, checkpoint: Checkpoint): Promise<SegmentSummary> {
  const { dataset, source, extras } = head;
  const words = vocabulary(dataset, extras);
  const truth = `read_parquet(${literal(files.truth)})`;
  await duck.run(writeTexts(`SELECT ${rowTextSql(words, source)} FROM ${truth}`, files.rows));
  const ranks = new NumberList();
  for await (const [batch] of duck.batches(`SELECT rank::INTEGER FROM ${truth}`)) ranks.append(batch as readonly number[]);
  const respelled = (text: string): string => storedText(words, source, JSON.parse(text) as Row);
  const summary = await indexRows(files.index, head, { blocks: storedBlocks(files.rows, respelled), ranks: ranks.view() }, checkpoint);
  await sync(files.rows);
  return summary;
}
