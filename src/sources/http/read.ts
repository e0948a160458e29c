import type { Answer } from './connect.ts';
import { AnswerReader, type End } from './answer.ts';
import type { ReadRow, RowReader } from './rows.ts';

/** Rows that came together; `cursor` stands behind the last of them, where the other side told one. */
type Part = { readonly rows: readonly ReadRow[]; readonly cursor: string | null };

/**
 * One answer to its end. What came before it failed is given all the same. The connection is closed where it is not read to the end. `lost` is told before the rows behind
 * which others are missing: the end, which says so too, may come after the deadline.
 */
export async function* readAnswer(answer: Answer, reader: Pick<RowReader, 'read'>, dropped: (rows: number) => void, lost: () => void = () => {}): AsyncGenerator<Part, End> {
  const said = new AnswerReader();
  let end: End | null = null;
  let rows: ReadRow[] = [];
  const take = (line: string): string | null => {
    const item = said.read(line);
    if (item?.kind === 'end') end = item.end;
    if (item?.kind === 'lost') lost();
    if (item?.kind === 'cursor') return item.cursor;
    if (item?.kind !== 'row' && item?.kind !== 'junk') return null;
    const row = item.kind === 'row' ? reader.read(item.value) : null;
    if (row !== null) rows.push(row);
    else {
      dropped(1);
      said.countJunk();
    }
    return null;
  };
  try {
    for await (const lines of answer.lines) {
      for (const line of lines) {
        const cursor = take(line);
        if (cursor === null) continue;
        yield { rows, cursor };
        rows = [];
      }
      if (rows.length > 0) yield { rows, cursor: null };
      rows = [];
    }
    said.assertEnded();
    return end!;
  } catch (error) {
    if (rows.length > 0) yield { rows, cursor: null };
    throw error;
  } finally {
    answer.close();
  }
}

/** The end of an answer whose rows are of no interest. */
export async function endOf(answer: Answer, reader: RowReader): Promise<End> {
  const parts = readAnswer(answer, reader, () => {});
  for (;;) {
    const next = await parts.next();
    if (next.done === true) return next.value;
  }
}
