import { LIMITS } from '../../config/limits.ts';
import { compareText } from '../../lib/text_order.ts';
import { SourceFailure } from '../source.ts';
import type { End } from './answer.ts';
import type { Answer } from './connect.ts';
import { Onward } from './onward.ts';
import { readAnswer } from './read.ts';
import type { ReadRow, RowReader } from './rows.ts';
import { begunNow } from './walk_phase.ts';
import { comparePlaces, type KeyPlace, type Known, type Walks } from './walks.ts';

/** One search, as a walk over its rows needs it. */
export type Walk = {
  /** What tells it from other searches. */
  readonly search: string;
  /** Where it goes on; null from the start. */
  readonly from: KeyPlace | null;
  /** When it was begun, at the start. */
  readonly begun: number;
  readonly rowsWanted: number | null;
  readonly rowsEnough: number | null;
  readonly reader: RowReader;
  readonly dropped: (rows: number) => void;
  /** Told before the rows that may be enough for whoever reads them. */
  readonly incomplete: () => void;
  find(page: { readonly limit?: number; readonly cursor?: string }): Promise<Answer>;
};

const STALE = /\b(?:stale|invalid)_cursor\b/;
/** One of several gateways that has not taken up yet what another cut the cursor from: this once it is asked for what it has. */
const YET_TO_COME = /\bstarting\b/;
const PARTIAL = 'the answer says itself that rows are missing';

/**
 * Rows of an API that answers in the order of identity, from the key of a place on, all rows of that key among them. Where not all are wanted
 * each request is read to its end before its rows are given; the next begins where it ended, as it does behind those that were enough. False where the API keeps no order: nothing
 * has been given then.
 */
export async function* walkOrdered(walk: Walk, walks: Walks): AsyncGenerator<readonly ReadRow[], boolean> {
  const { from } = walk;
  let known = from === null ? null : walks.before(walk.search, from, walk.begun);
  // What stands before the place may have to be passed over: a page at most, where the walk is known.
  const rows = walk.rowsWanted ?? walk.rowsEnough;
  let limit = rows === null ? null : rows * (from === null ? 1 : 2);
  let onward = new Onward(known?.cursor ?? null);
  for (let stretch: Stretch = known === null ? fromStart() : { cursor: known.cursor, last: known, begun: known.begun }; ;) {
    let next: Stretch | null;
    try {
      const answer = await asked(walk, stretch.cursor, limit);
      if (!answer.ordered) {
        answer.close();
        return false;
      }
      next = yield* readStretch(walk, walks, answer, stretch, { from, onward, limit });
    } catch (error) {
      // By a status, or as the first line of a stream that had begun before it was known.
      if (known === null || stretch.last !== known) throw error;
      if (saysOf(error, STALE)) walks.forget(walk.search);
      else if (!saysOf(error, YET_TO_COME)) throw error;
      known = null;
      onward = new Onward(null);
      stretch = fromStart();
      continue;
    }
    if (next === null) return true;
    stretch = next;
    limit = limit === null ? null : Math.min(2 * limit, Math.max(limit, LIMITS.httpSortRowsMax));
  }
}

/** What is read next: from a cursor of the other side on, behind the last row that came. `begun`: when the first was asked for, of all that led there. */
type Stretch = { readonly cursor: string | null; readonly last: KeyPlace | null; readonly begun: number };

function fromStart(): Stretch {
  return { cursor: null, last: null, begun: begunNow() };
}

async function* readStretch(
  walk: Walk, walks: Walks, answer: Answer, begin: Stretch, { from, onward, limit }: { from: KeyPlace | null; onward: Onward; limit: number | null },
): AsyncGenerator<readonly ReadRow[], Stretch | null> {
  const parts = readAnswer(answer, walk.reader, walk.dropped, walk.incomplete);
  const places: Known[] = [];
  const held: ReadRow[] = [];
  let came = 0;
  const { begun } = begin;
  let { last } = begin;
  let end: End;
  try {
    for (;;) {
      const part = await parts.next();
      if (part.done === true) {
        end = part.value;
        break;
      }
      last = assertOrdered(part.value.rows, last);
      const rows = from === null ? part.value.rows : part.value.rows.filter((row) => comparePlaces(row, from) >= 0);
      if (part.value.cursor !== null && last !== null) places.push({ keyClass: last.keyClass, key: last.key, cursor: part.value.cursor, begun });
      came += part.value.rows.length;
      // Whoever has enough reads no further: how the answer ends is to be known by then.
      if (walk.rowsWanted === null && came !== limit) yield [...held.splice(0), ...rows];
      else held.push(...rows);
    }
  } catch (error) {
    yield held;
    throw error;
  } finally {
    await parts.return(undefined as never);
  }
  if (end.partial) walk.incomplete();
  yield held;
  if (end.partial) throw new SourceFailure('partial', PARTIAL);
  if (end.nextCursor !== null && last !== null) places.push({ keyClass: last.keyClass, key: last.key, cursor: end.nextCursor, begun });
  // Only now: cursors of an answer that lost a source lead back behind its rows.
  for (const place of places) walks.note(walk.search, place);
  if (end.nextCursor === null) return null;
  const isFurther = last !== null && (begin.last === null || comparePlaces(last, begin.last) > 0);
  return { cursor: onward.by(end.nextCursor, came === 0 ? 'nothing' : isFurther ? 'more' : 'same'), last, begun };
}

function asked(walk: Walk, cursor: string | null, limit: number | null): Promise<Answer> {
  return walk.find({ ...(limit !== null && { limit }), ...(cursor !== null && { cursor }) });
}

function saysOf(error: unknown, what: RegExp): boolean {
  return error instanceof SourceFailure && what.test(error.message);
}

/** The last place; the rows' own order is what pages and merges are cut from. */
function assertOrdered(rows: readonly ReadRow[], before: KeyPlace | null): KeyPlace | null {
  let last = before;
  for (const row of rows) {
    if (last !== null && comparePlaces(row, last) < 0) throw new SourceFailure('malformed', 'the rows are out of order');
    last = row;
  }
  return last;
}

/** Rows of an API that keeps no order: all that match are read, and put in order here. */
export async function* walkSorted(walk: Walk): AsyncGenerator<readonly ReadRow[]> {
  const rows: ReadRow[] = [];
  const partial = await readAll(walk, rows, LIMITS.httpSortRowsMax);
  rows.sort((a, b) => comparePlaces(a, b) || compareText(String(a.row['id']), String(b.row['id'])));
  const { from } = walk;
  const left = from === null ? rows : rows.filter((row) => comparePlaces(row, from) >= 0);
  if (partial) walk.incomplete();
  for (let at = 0; at < left.length; at += LIMITS.foreignBatchRows) yield left.slice(at, at + LIMITS.foreignBatchRows);
  if (partial) throw new SourceFailure('partial', PARTIAL);
}

/** Adds all rows to `rows`, page by page; true where the other side says that some are missing. */
export async function readAll(walk: Pick<Walk, 'find' | 'reader' | 'dropped'>, rows: ReadRow[], rowsMax: number): Promise<boolean> {
  const onward = new Onward(null);
  const ids = new Set<unknown>();
  for (let cursor: string | null = null; ;) {
    const begin = rows.length;
    const answer: Answer = await walk.find(cursor === null ? {} : { cursor });
    const parts = readAnswer(answer, walk.reader, walk.dropped);
    let end: End | null = null;
    while (end === null) {
      const part = await parts.next();
      if (part.done === true) end = part.value;
      else rows.push(...part.value.rows);
      if (rows.length <= rowsMax) continue;
      await parts.return(undefined as never);
      throw new SourceFailure('too_many', `more than ${rowsMax} rows match`);
    }
    if (end.partial || end.nextCursor === null) return end.partial;
    const known = ids.size;
    for (const { row } of rows.slice(begin)) ids.add(row['id']);
    cursor = onward.by(end.nextCursor, rows.length === begin ? 'nothing' : ids.size > known ? 'more' : 'same');
  }
}
