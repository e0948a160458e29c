import { LIMITS } from '../../config/limits.ts';
import type { FoundRow, Place, RowsRequest } from '../source.ts';
import type { Connections } from './connect.ts';
import { phasesOf, rowsStatement, type Phase, type Table } from './query.ts';

/** Phase by phase; where not all rows are wanted, statement by statement, each from where the last one ended. */
export async function* scanTable(connections: Connections, table: Table, request: RowsRequest, signal: AbortSignal): AsyncGenerator<readonly FoundRow[]> {
  const phases = phasesOf(table, request.order);
  const { from } = request;
  for (const [at, phase] of phases.entries()) {
    if (from !== null && at < from.phase) continue;
    const place = from !== null && at === from.phase ? from : null;
    const input: PhaseScan = { connections, table, request, phase, at, from: place, signal };
    yield* request.rowsWanted === null ? wholePhase(input) : phaseByPages(input, request.rowsWanted);
  }
}

type PhaseScan = {
  readonly connections: Connections;
  readonly table: Table;
  readonly request: RowsRequest;
  readonly phase: Phase;
  readonly at: number;
  readonly from: Place | null;
  readonly signal: AbortSignal;
};

/** One statement, its connection held and read only as fast as the reader takes the rows. */
async function* wholePhase({ connections, table, request, phase, at, from, signal }: PhaseScan): AsyncGenerator<readonly FoundRow[]> {
  const rows = await connections.open(rowsStatement(table, request, { phase, fromKey: from?.key ?? null, rowsMax: null }), signal);
  try {
    for (;;) {
      const batch = await rows.read(LIMITS.foreignBatchRows);
      if (batch.length === 0) return;
      yield batch.map((row) => foundRow(row, phase, at));
    }
  } finally {
    await rows.close();
  }
}

/** Rows passed before share the key that a page begins with: as many more are read. */
async function* phaseByPages({ connections, table, request, phase, at, from, signal }: PhaseScan, wanted: number): AsyncGenerator<readonly FoundRow[]> {
  let place = from;
  for (;;) {
    const rowsMax = wanted + (place?.seen ?? 0);
    const read = await connections.all(rowsStatement(table, request, { phase, fromKey: place?.key ?? null, rowsMax }), rowsMax + 1, signal);
    const rows = read.map((row) => foundRow(row, phase, at));
    yield place === from ? rows : rows.slice(place?.seen ?? 0);
    if (rows.length < rowsMax) return;
    const key = rows.at(-1)!.key;
    const carried = place !== null && place.key === key ? place : null;
    place = { phase: at, key, seen: carried === null ? rows.filter((row) => row.key === key).length : rows.length };
  }
}

function foundRow(row: unknown[], phase: Phase, at: number): FoundRow {
  const [key, sure, json] = row as [string, boolean, string];
  return { json, phase: at, key, keyClass: phase.keyClass, sure };
}
