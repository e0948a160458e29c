import type { Row } from '../model/field.ts';
import { vocabulary } from '../model/vocabulary.ts';
import type { RankedRow, SegmentHead, SegmentSummary } from '../segment/segment.ts';
import { writeSegment } from '../segment/writer.ts';
import type { SegmentFiles } from '../sources/lake/paths.ts';
import { literal, type Duck } from './duckdb.ts';
import { integerFields, isStoredText, rowTextSql } from './row_text.ts';

/** A segment to be made of its Parquet truth, whose rows stand in serving order beside their `rank`. */
export type SegmentOrder = { readonly head: SegmentHead; readonly files: SegmentFiles };

/** Called between two batches of rows and two parts of the index, with the rows that came since; throws where the work is to end. */
export type Checkpoint = (rows: number) => void;

export async function buildSegment(duck: Duck, { head, files }: SegmentOrder, checkpoint: Checkpoint): Promise<SegmentSummary> {
  return writeSegment(files, head, rankedRows(duck, head, files.truth, checkpoint), () => checkpoint(0));
}

/** One text a row crosses the border, a third of the cost of a value at a time, and goes to the rows file as it is. */
async function* rankedRows(duck: Duck, { dataset, source, extras }: SegmentHead, truth: string, checkpoint: Checkpoint): AsyncGenerator<Iterable<RankedRow>> {
  const words = vocabulary(dataset, extras);
  const integers = integerFields(words);
  for await (const [ranks, texts] of duck.batches(`SELECT rank::INTEGER, ${rowTextSql(words, source)} FROM read_parquet(${literal(truth)})`)) {
    yield parsed(ranks as readonly number[], texts as readonly string[], integers);
    checkpoint(texts!.length);
  }
}

/** One at a time: a row that is parsed only when its turn has come is garbage before the collector looks for the first time. */
function* parsed(ranks: readonly number[], texts: readonly string[], integers: readonly string[]): Generator<RankedRow> {
  for (let at = 0; at < texts.length; at += 1) {
    const text = texts[at]!;
    const row = JSON.parse(text) as Row;
    yield { rank: ranks[at]!, row, text: isStoredText(text, row, integers) ? text : undefined };
  }
}
