import { LIMITS } from '../../config/limits.ts';
import { SourceFailure, type FoundRow, type Place, type RowsRequest } from '../source.ts';
import { leavesPresence } from './condition.ts';
import { firstNumber, type Page, type PageStretch, type Phase, type Stretch } from './phase.ts';

/** How an engine reads a stretch: all of it as it comes, or a page at once with no connection held behind it. `at`: the number that rows have of its phase. */
type Reader = {
  whole(stretch: Stretch, at: number): AsyncGenerator<readonly FoundRow[]>;
  page(stretch: PageStretch, at: number): Promise<Page>;
};

/** An order as a table has it: `hashed` are the fields of which its ids are made, where it has no key. */
type Order = { readonly phases: readonly Phase[]; readonly hashed: readonly string[] };

/** Phase by phase; where not all rows are wanted, statement by statement, each from where the last one ended. */
export async function* walkPhases({ phases, hashed }: Order, { filters, from, rowsWanted }: RowsRequest, reader: Reader): AsyncGenerator<readonly FoundRow[]> {
  const first = firstNumber(phases, hashed);
  const begin = from === null ? 0 : from.phase - first;
  if (begin < 0 || begin >= phases.length) throw new SourceFailure('changed', 'its rows have another order than when the cursor was cut: columns came, went or changed their type');
  // What presence leaves out is not known before the rows are there: of twice as many most pages have enough by one statement.
  const window = rowsWanted !== null && leavesPresence(filters) ? grown(rowsWanted) : rowsWanted;
  for (const [nth, phase] of phases.entries()) {
    if (nth < begin) continue;
    const place = nth === begin ? from : null;
    if (window === null) yield* reader.whole({ phase, fromKey: place?.key ?? null, rowsMax: null }, first + nth);
    else yield* phaseByPages(phase, first + nth, place, window, reader);
  }
}

/**
 * Rows passed before share the key that a page begins with: as many more are read. Where the engine cannot tell of most rows whether they match,
 * few of them may: each statement then reads twice as many as the one before, so that what matches seldom is found in few statements.
 */
async function* phaseByPages(phase: Phase, at: number, from: Place | null, firstWindow: number, reader: Reader): AsyncGenerator<readonly FoundRow[]> {
  let place = from;
  for (let window = firstWindow; ;) {
    const seen = place?.seen ?? 0;
    const { rows, isLast } = await reader.page({ phase, fromKey: place?.key ?? null, rowsMin: seen + 1, rowsMax: window + seen }, at);
    yield place === from ? rows : rows.slice(seen);
    if (isLast) return;
    const isMostlyUnsure = 2 * rows.filter(({ sure }) => sure).length < rows.length;
    if (isMostlyUnsure) window = grown(window);
    const { key } = rows.at(-1)!;
    place = { phase: at, key, seen: rows.filter((row) => row.key === key).length };
  }
}

function grown(window: number): number {
  return Math.max(window, Math.min(2 * window, LIMITS.unsureWindowRowsMax));
}

/** What comes of a page, as far as it has room: of large rows the next statement reads the rest. */
export async function pageOf(batches: AsyncIterable<readonly FoundRow[]>, { rowsMin, rowsMax }: PageStretch): Promise<Page> {
  const rows: FoundRow[] = [];
  let bytes = 0;
  for await (const batch of batches) {
    for (const row of batch) {
      rows.push(row);
      bytes += row.json.length;
    }
    // An answer of which nothing is left is read to its end: what is not is stopped over there.
    if (bytes >= LIMITS.foreignPageBytes && rows.length >= rowsMin && rows.length < rowsMax) return { rows, isLast: false };
  }
  return { rows, isLast: rows.length < rowsMax };
}
