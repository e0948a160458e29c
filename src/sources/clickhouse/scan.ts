import { compareText } from '../../lib/text_order.ts';
import { SourceFailure, type FoundRow, type RowsRequest } from '../source.ts';
import type { Phase, Stretch } from '../sql/phase.ts';
import { walkPhases } from '../sql/walk.ts';
import type { Connections } from './connect.ts';
import { phasesOf, rowsStatement, type Table } from './query.ts';
import { blankListsOf, foundRow } from './rows.ts';

export function scanTable(connections: Connections, table: Table, request: RowsRequest, signal: AbortSignal): AsyncGenerator<readonly FoundRow[]> {
  const blankLists = blankListsOf(table.columns.vocabulary.fields);
  async function* whole(stretch: Stretch, at: number): AsyncGenerator<readonly FoundRow[]> {
    const phase = { at, keyClass: stretch.phase.keyClass };
    let last: string | null = stretch.fromKey;
    for await (const lines of connections.lines(rowsStatement(table, request, stretch), signal)) {
      yield lines.map((line) => {
        const row = foundRow(line, phase, blankLists);
        if (last !== null && !isInOrder(stretch.phase, last, row.key)) throw new SourceFailure('malformed', 'rows do not come in the order that was asked for');
        last = row.key;
        return row;
      });
    }
  }
  return walkPhases(phasesOf(table, request.order), request, {
    whole,
    async page(stretch, at) {
      const rows: FoundRow[] = [];
      for await (const batch of whole(stretch, at)) rows.push(...batch);
      return rows;
    },
  });
}

/** The merge and the cursors build on it: rows out of order would be lost without a word. */
function isInOrder({ type }: Phase, last: string, next: string): boolean {
  return type === 'integer' ? Number(last) <= Number(next) : compareText(last, next) <= 0;
}
