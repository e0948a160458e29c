import { LIMITS } from '../../config/limits.ts';
import { SourceFailure, type FoundRow, type RowsRequest } from '../source.ts';
import type { Sql } from '../sql/dialect.ts';
import type { PageStretch, Stretch } from '../sql/phase.ts';
import { walkPhases } from '../sql/walk.ts';
import type { Columns, Connections } from './connect.ts';
import { filesOf, isByPlace, orderedStatement, pageStatement, phasesOf, placedStatement, rowsAtStatement, type ParquetTable } from './query.ts';
import type { Haste } from '../turns.ts';

/** What cannot be read is told before anything is given, and again, as the failure that it is, when all that can be has been. */
export async function* scanTable(connections: Connections, table: ParquetTable, request: RowsRequest, signal: AbortSignal): AsyncGenerator<readonly FoundRow[]> {
  if (table.files.missing !== null) request.incomplete?.();
  const marks = new Map(table.files.sound.map(({ path, mark }) => [path, mark]));
  async function* batches(statement: Sql, { phase }: Stretch, at: number, haste: Haste): AsyncGenerator<readonly FoundRow[]> {
    for await (const columns of connections.batches(statement, haste, signal)) yield foundRows(columns, at, phase.keyClass, marks);
  }
  async function* whole(stretch: Stretch, at: number): AsyncGenerator<readonly FoundRow[]> {
    if (!isByPlace(stretch.phase)) return yield* batches(orderedStatement(table, request, stretch), stretch, at, 'long');
    const files = filesOf(table, stretch);
    if (files.length > 0) yield* batches(placedStatement(table, request, stretch, files), stretch, at, 'long');
  }
  /** The engine looks at every file of a statement before its first row: a few are asked for, and more where they have too few. */
  async function pageByPlace(stretch: PageStretch, at: number): Promise<FoundRow[]> {
    const files = filesOf(table, stretch);
    const rows: FoundRow[] = [];
    for (let [begin, end]: [number, number] = [0, LIMITS.parquetPageFiles]; begin < files.length && rows.length < stretch.rowsMax;) {
      const rest = { ...stretch, rowsMax: stretch.rowsMax - rows.length };
      for await (const batch of batches(placedStatement(table, request, rest, files.slice(begin, end)), rest, at, 'short')) rows.push(...batch);
      [begin, end] = [end, end * LIMITS.parquetPageFilesMore];
    }
    return rows;
  }
  yield* walkPhases({ phases: phasesOf(table, request.order), hashed: table.columns.hashed }, request, {
    whole,
    page: async (stretch, at) => {
      const rows = await (isByPlace(stretch.phase) ? pageByPlace(stretch, at) : pageInOrder(connections, table, request, stretch, at, signal));
      return { rows, isLast: rows.length < stretch.rowsMax };
    },
  });
  tellMissing(table);
}

/** The keys are sorted first, and the rows read where they stand. A file that was replaced in between may have others there: the scan has failed. */
async function pageInOrder(connections: Connections, table: ParquetTable, request: RowsRequest, stretch: Stretch, phase: number, signal: AbortSignal): Promise<FoundRow[]> {
  const keys = await connections.all(pageStatement(table, request, stretch), 'short', signal) as [string, boolean, string, bigint][];
  if (keys.length === 0) return [];
  const statement = rowsAtStatement(table, request, stretch.phase, keys.map(([, , file, row]) => [file, row] as const));
  const standing = await connections.all(statement, 'short', signal) as [string, boolean, boolean, string, bigint, string][];
  const rows = new Map(standing.filter(([, , isRead]) => isRead).map(([key, sure, , file, row, json]) => [placeText(key, sure, file, row), json]));
  return keys.map(([key, sure, file, row]) => {
    const json = rows.get(placeText(key, sure, file, row));
    if (json === undefined) throw new SourceFailure('broken', 'a file was replaced while it was read');
    return { json, phase, key, keyClass: stretch.phase.keyClass, sure };
  });
}

function placeText(key: string, sure: boolean, file: string, row: bigint): string {
  return JSON.stringify([key, sure, file, String(row)]);
}

export function tellMissing({ files: { missing } }: ParquetTable): void {
  if (missing !== null) throw new SourceFailure('incomplete', missing);
}

function foundRows([keys, sure, jsons, files]: Columns, phase: number, keyClass: number, marks: ReadonlyMap<string, string>): FoundRow[] {
  return jsons!.map((json, at) => ({
    json: json as string,
    phase,
    key: files === undefined ? keys![at] as string : `${marks.get(files[at] as string)}.${keys![at]}`,
    keyClass,
    sure: sure![at] as boolean,
  }));
}
