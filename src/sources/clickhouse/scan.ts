import type { FoundRow, RowsRequest } from '../source.ts';
import type { Stretch } from '../sql/phase.ts';
import { walkPhases } from '../sql/walk.ts';
import type { Connections } from './connect.ts';
import { phasesOf, rowsStatement, type ClickhouseTable } from './query.ts';
import { blankListsOf, foundRow } from './rows.ts';

export function scanTable(connections: Connections, table: ClickhouseTable, request: RowsRequest, signal: AbortSignal): AsyncGenerator<readonly FoundRow[]> {
  const blankLists = blankListsOf(table.columns.vocabulary.fields);
  async function* whole(stretch: Stretch, at: number): AsyncGenerator<readonly FoundRow[]> {
    const phase = { at, keyClass: stretch.phase.keyClass };
    for await (const lines of connections.lines(rowsStatement(table, request, stretch), signal)) yield lines.map((line) => foundRow(line, phase, blankLists));
  }
  return walkPhases({ phases: phasesOf(table, request.order), hashed: table.columns.hashed }, request, {
    whole,
    async page(stretch, at) {
      const rows: FoundRow[] = [];
      for await (const batch of whole(stretch, at)) rows.push(...batch);
      return rows;
    },
  });
}
