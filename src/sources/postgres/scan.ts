import { LIMITS } from '../../config/limits.ts';
import type { FoundRow, RowsRequest } from '../source.ts';
import type { Phase } from '../sql/phase.ts';
import { walkPhases } from '../sql/walk.ts';
import type { Connections } from './connect.ts';
import { phasesOf, rowsStatement, type PostgresTable } from './query.ts';

export function scanTable(connections: Connections, table: PostgresTable, request: RowsRequest, signal: AbortSignal): AsyncGenerator<readonly FoundRow[]> {
  return walkPhases({ phases: phasesOf(table, request.order), hashed: table.columns.hashed }, request, {
    /** The connection is held, and read only as fast as the reader takes the rows. */
    async *whole(stretch, at) {
      const rows = await connections.open(rowsStatement(table, request, stretch), 'short', signal);
      try {
        for (let batch = await rows.read(LIMITS.foreignBatchRows); batch.length > 0; batch = await rows.read(LIMITS.foreignBatchRows)) {
          yield batch.map((row) => foundRow(row, stretch.phase, at));
        }
      } finally {
        await rows.close();
      }
    },
    async page(stretch, at) {
      const rows = await connections.all(rowsStatement(table, request, stretch), stretch.rowsMax! + 1, 'short', signal);
      return rows.map((row) => foundRow(row, stretch.phase, at));
    },
  });
}

function foundRow(row: unknown[], phase: Phase, at: number): FoundRow {
  const [key, sure, json] = row as [string, boolean, string];
  return { json, phase: at, key, keyClass: phase.keyClass, sure };
}
