import type { FoundRow, RowsRequest } from '../source.ts';
import type { Page, PageStretch } from '../sql/phase.ts';
import { pageOf } from '../sql/walk.ts';
import type { Connections } from './connect.ts';
import { saysNoPrewhere } from './errors.ts';
import { AT, KEY } from './own_names.ts';
import { placesStatement, type ClickhouseTable } from './query.ts';

/**
 * A page in two statements. An order needs its key of every row that matches, and a page all else of a few of them: a server that does not put that off
 * by itself is asked for the keys first. Null where it takes one statement: the keys do not tell the rows, or these went or moved meanwhile, so that the
 * page would not be made of the places that were found.
 */
export async function pageByKeys(
  connections: Connections, table: ClickhouseTable, request: RowsRequest, stretch: PageStretch, signal: AbortSignal, read: (keys: readonly string[]) => AsyncIterable<readonly FoundRow[]>,
): Promise<Page | null> {
  const statement = placesStatement(table, request, stretch);
  if (statement === null) return null;
  const places = await connections.all(statement, 'short', signal);
  if (places.length === 0) return { rows: [], isLast: true };
  const keys = [...new Set(places.map((place) => place[KEY]))];
  if (!keys.every(isFound)) return null;
  try {
    const page = await pageOf(read(keys), stretch);
    const areAll = page.rows.length === places.length || !page.isLast;
    return areAll && page.rows.every(({ key }, nth) => key === String(places[nth]?.[AT])) ? page : null;
  } catch (error) {
    if (!saysNoPrewhere(error)) throw error;
    table.seen.noPrewhere = true;
    return null;
  }
}

/** Whether rows are found by a key as it came: none is null, and bytes that are no UTF-8 came as other ones, which another row may have. */
function isFound(key: unknown): key is string {
  return typeof key === 'string' && !key.includes('\ufffd');
}
