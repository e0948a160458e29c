import { LIMITS } from '../../config/limits.ts';
import type { FoundRow, RowsRequest } from '../source.ts';
import type { Phase, Stretch } from '../sql/phase.ts';
import { pageOf, walkPhases } from '../sql/walk.ts';
import type { Connections } from './connect.ts';
import { phasesOf, rowsStatement, type PostgresTable } from './query.ts';

export function scanTable(connections: Connections, table: PostgresTable, request: RowsRequest, signal: AbortSignal): AsyncGenerator<readonly FoundRow[]> {
  /** The connection is held, and read only as fast as the reader takes the rows. */
  async function* read(stretch: Stretch, at: number): AsyncGenerator<readonly FoundRow[]> {
    const rows = await connections.open(rowsStatement(table, request, stretch), 'short', signal);
    try {
      for (let rowsMax: number = LIMITS.foreignFirstRows; ;) {
        const batch = (await rows.read(rowsMax)).map((row) => foundRow(row, stretch.phase, at));
        if (batch.length === 0) return;
        rowsMax = rowsInBatch(batch);
        yield batch;
      }
    } finally {
      await rows.close();
    }
  }
  return walkPhases({ phases: phasesOf(table, request.order), hashed: table.columns.hashed }, request, {
    whole: read,
    page: (stretch, at) => pageOf(read(stretch, at), stretch),
  });
}

/** How many to ask for next: a cursor counts rows, and knows nothing of their size. */
function rowsInBatch(before: readonly FoundRow[]): number {
  const bytes = before.reduce((sum, { json }) => sum + json.length, 0);
  return Math.max(1, Math.min(LIMITS.foreignBatchRows, Math.floor(LIMITS.foreignBatchBytes * before.length / bytes)));
}

function foundRow(row: unknown[], phase: Phase, at: number): FoundRow {
  const [key, sure, json] = row as [string, boolean, string];
  return { json, phase: at, key, keyClass: phase.keyClass, sure };
}
