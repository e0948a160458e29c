import { LIMITS } from '../../config/limits.ts';
import type { FoundRow, RowsRequest } from '../source.ts';
import type { Phase, Stretch } from '../sql/phase.ts';
import { pageOf, walkPhases } from '../sql/walk.ts';
import { gathering, STREAMED, type Connections } from './connect.ts';
import { phasesOf, rowsStatement, type PostgresTable } from './query.ts';

export function scanTable(connections: Connections, table: PostgresTable, request: RowsRequest, signal: AbortSignal): AsyncGenerator<readonly FoundRow[]> {
  async function* read(stretch: Stretch, at: number): AsyncGenerator<readonly FoundRow[]> {
    const most = stretch.rowsMax === null ? STREAMED : gathering(stretch.rowsMax, LIMITS.foreignPageBytes);
    const batches = connections.batches(rowsStatement(table, request, stretch), { haste: 'short', most }, signal);
    for await (const batch of batches) yield batch.map((row) => foundRow(row, stretch.phase, at));
  }
  return walkPhases({ phases: phasesOf(table, request.order), hashed: table.columns.hashed }, request, {
    whole: read,
    page: (stretch, at) => pageOf(read(stretch, at), stretch),
  });
}

function foundRow(row: unknown[], phase: Phase, at: number): FoundRow {
  const [key, sure, json] = row as [string, boolean, string];
  return { json, phase: at, key, keyClass: phase.keyClass, sure };
}
