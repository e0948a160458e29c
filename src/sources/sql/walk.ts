import { LIMITS } from '../../config/limits.ts';
import type { FoundRow, Place, RowsRequest } from '../source.ts';
import type { Phase, Stretch } from './phase.ts';

/** How an engine reads a stretch: all of it as it comes, or a page at once with no connection held behind it. */
export type Reader = {
  whole(stretch: Stretch, at: number): AsyncGenerator<readonly FoundRow[]>;
  page(stretch: Stretch, at: number): Promise<readonly FoundRow[]>;
};

/** Phase by phase; where not all rows are wanted, statement by statement, each from where the last one ended. */
export async function* walkPhases(phases: readonly Phase[], { from, rowsWanted }: RowsRequest, reader: Reader): AsyncGenerator<readonly FoundRow[]> {
  for (const [at, phase] of phases.entries()) {
    if (from !== null && at < from.phase) continue;
    const place = from !== null && at === from.phase ? from : null;
    if (rowsWanted === null) yield* reader.whole({ phase, fromKey: place?.key ?? null, rowsMax: null }, at);
    else yield* phaseByPages(phase, at, place, rowsWanted, reader);
  }
}

/**
 * Rows passed before share the key that a page begins with: as many more are read. Where the engine cannot tell of most rows whether they match,
 * few of them may: each statement then reads twice as many as the one before, so that what matches seldom is found in few statements.
 */
async function* phaseByPages(phase: Phase, at: number, from: Place | null, wanted: number, reader: Reader): AsyncGenerator<readonly FoundRow[]> {
  let place = from;
  for (let window = wanted; ;) {
    const rowsMax = window + (place?.seen ?? 0);
    const rows = await reader.page({ phase, fromKey: place?.key ?? null, rowsMax }, at);
    yield place === from ? rows : rows.slice(place?.seen ?? 0);
    if (rows.length < rowsMax) return;
    const isMostlyUnsure = 2 * rows.filter(({ sure }) => sure).length < rows.length;
    if (isMostlyUnsure) window = Math.max(window, Math.min(2 * window, LIMITS.unsureWindowRowsMax));
    const { key } = rows.at(-1)!;
    place = { phase: at, key, seen: rows.filter((row) => row.key === key).length };
  }
}
