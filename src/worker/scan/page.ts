import { LIMITS } from '../../config/limits.ts';
import type { Matcher } from '../../filter/matcher.ts';
import { joinedRanges, type Reading } from '../../filter/reading.ts';
import { windowEnd } from '../../filter/windows.ts';
import { NumberList } from '../../lib/number_list.ts';
import { lowerBound } from '../../lib/search.ts';
import type { ScanReply, ScanRequest } from '../../pool/protocol.ts';
import type { Segment } from '../../segment/reader.ts';
import type { Interrupt } from './interrupt.ts';

/** The rows of one slice, in their order. */
export type Page = { readonly rows: Uint32Array; readonly stop: Extract<ScanReply, { readonly ok: true }>['stop']; readonly after: number };

type PageInput = {
  readonly segment: Segment;
  readonly reading: Reading;
  readonly matcher: Matcher;
  readonly request: ScanRequest;
  readonly interrupt: Pick<Interrupt, 'struck' | 'spent'>;
};

/** Rows of the first window: a page of a broad search ends within it. */
const FIRST_WINDOW = 2_048;

/** Rows of the last and largest windows of ranks: they are sorted at once. */
const WINDOW_ROWS_MAX = 1_048_576;

const SHARED_ROWS = 1_024;
// Shared by all pages of a thread that fit: the rows of one leave it before another is begun, and memory outside of the heap is dear to make.
const SHARED = new NumberList(SHARED_ROWS);

function listFor(rowsMax: number): NumberList {
  if (rowsMax >= SHARED_ROWS) return new NumberList(SHARED_ROWS);
  SHARED.length = 0;
  return SHARED;
}

/**
 * Rows by number: valid until the next page, but for how many they are. It looks for one row more than it gives, so that the last page says
 * `end`. The first look for what struck is the caller's.
 */
export function storedPage({ segment: { table, spread, rows: rowsTotal }, reading, matcher, request, interrupt }: PageInput): Page {
  const { rowsMax, bytesMax } = request;
  const rows = listFor(rowsMax);
  let bytes = 0;
  let full = rowsMax === 0;
  let { after } = request;
  if (full) return { rows: rows.view(), stop: 'full', after };
  let windowRows = FIRST_WINDOW;
  for (const [start, end] of joinedRanges(reading)) {
    for (let from = Math.max(start, request.after + 1); from < end;) {
      const stop = windowRows === FIRST_WINDOW ? null : interrupt.struck() ?? (after > request.after && interrupt.spent() ? 'full' : null);
      if (stop !== null) return { rows: rows.view(), stop: full ? 'full' : stop, after };
      const to = windowEnd(from, end, Math.min(windowRows, matcher.windowRowsMax));
      const { list, count } = matcher.rows(from, to, rowsMax + 1 - rows.length);
      for (let at = 0; at < count; at++) {
        if (full) return { rows: rows.view(), stop: 'full', after };
        const row = list[at]!;
        rows.push(row);
        bytes += spread * (table.start(row + 1) - table.start(row));
        full = rows.length === rowsMax || bytes >= bytesMax;
        after = row;
      }
      if (!full) after = to - 1;
      from = to;
      windowRows *= 2;
    }
  }
  return { rows: rows.view(), stop: 'end', after: full ? after : Math.max(after, rowsTotal - 1) };
}

/**
 * Rows by rank, window after window of consecutive ranks, each window as large as all before: within a country range ranks ascend, so that
 * the rows of a window of ranks are consecutive in every range. What is struck amid a window gives what the windows before it gave; the
 * first is never left for the others' sake, so that every slice gets somewhere.
 */
export function rankedPage(input: PageInput): Page {
  const { segment, reading, matcher, request, interrupt } = input;
  const { ranks, rows: rowsTotal } = segment;
  const wanted = wantedRows(segment, request);
  const places = reading.ranges.map(([start, end]): Place => ({ at: lowerBound(ranks, request.after + 1, start, end), end }));
  const best = new NumberList(wanted);
  let seen = request.after;
  let windowRows = firstRowsOfRange(places, Math.min(FIRST_WINDOW, matcher.windowRowsMax));
  const stopped = (): Page['stop'] | null => interrupt.struck() ?? (seen > request.after && interrupt.spent() ? 'full' : null);
  while (best.length < wanted && places.some(({ at, end }) => at < end)) {
    const found = new NumberList();
    const belowRank = rankAfter(places, ranks, windowRows) ?? rowsTotal;
    const stop = takeWindow(input, places, { belowRank, found, stopped });
    if (stop !== null) return cut(input, best.view(), { stop, seen });
    best.append(firstByRank(found.view(), ranks, wanted - best.length));
    seen = belowRank - 1;
    windowRows = Math.min(windowRows * 2, Math.ceil(WINDOW_ROWS_MAX / places.length));
  }
  return cut(input, best.view(), { stop: best.length < wanted ? 'end' : 'full', seen: rowsTotal - 1 });
}

/** The largest range's part of so many rows, if the ranks of all are spread alike. */
function firstRowsOfRange(places: readonly Place[], rowsMax: number): number {
  const left = places.map(({ at, end }) => end - at);
  const total = left.reduce((sum, rows) => sum + rows, 1);
  return Math.max(1, Math.ceil(rowsMax * (Math.max(0, ...left) / total)));
}

/** The rank before which no range has more rows left than that; null where all have fewer. */
function rankAfter(places: readonly Place[], ranks: Uint32Array, rowsMax: number): number | null {
  let least: number | null = null;
  for (const { at, end } of places) if (end - at > rowsMax && (least === null || ranks[at + rowsMax]! < least)) least = ranks[at + rowsMax]!;
  return least;
}

/** What is left of a range: rows from `at` on. */
type Place = { at: number; readonly end: number };

type RankWindow = { readonly belowRank: number; readonly found: NumberList; readonly stopped: () => Page['stop'] | null };

/** Adds every range's matches below a rank, in no order; says what struck before all were found. */
function takeWindow({ segment: { ranks }, matcher }: PageInput, places: readonly Place[], { belowRank, found, stopped }: RankWindow): Page['stop'] | null {
  for (const place of places) {
    const last = lowerBound(ranks, belowRank, place.at, place.end);
    while (place.at < last) {
      const stop = stopped();
      if (stop !== null) return stop;
      const to = windowEnd(place.at, last, matcher.windowRowsMax);
      const { list, count } = matcher.rows(place.at, to);
      found.append(list.subarray(0, count));
      place.at = to;
    }
  }
  return null;
}

/** One row more than a slice can hold by rows or, on average, by bytes. */
function wantedRows({ rows, bytes, spread }: Segment, { rowsMax, bytesMax }: ScanRequest): number {
  const average = Math.max(1, (spread * bytes.bytes) / Math.max(1, rows));
  return Math.min(rowsMax, Math.ceil(Math.max(1, bytesMax) / average), LIMITS.scanRankedRowsMax) + 1;
}

/** Rank and place in one number below 2^53: numbers alone are sorted many times faster than by a comparison. */
const PLACES = 2 ** 21;

function firstByRank(rows: Uint32Array, ranks: Uint32Array, countMax: number): Uint32Array {
  const keys = new Float64Array(rows.length);
  for (let place = 0; place < rows.length; place++) keys[place] = ranks[rows[place]!]! * PLACES + place;
  keys.sort();
  const first = new Uint32Array(Math.min(countMax, rows.length));
  for (let at = 0; at < first.length; at++) first[at] = rows[keys[at]! % PLACES]!;
  return first;
}

/** Up to a slice's rows and bytes. `best` holds a row beyond where there is one, unless it was stopped; then all ranks up to `seen` were seen. */
function cut({ segment, request }: PageInput, best: Uint32Array, { stop, seen }: { readonly stop: Page['stop']; readonly seen: number }): Page {
  const { table, spread, ranks } = segment;
  const { bytesMax, after } = request;
  const countMax = wantedRows(segment, request) - 1;
  let bytes = 0;
  let count = 0;
  while (count < best.length && count < countMax && (count === 0 || bytes < bytesMax)) {
    const row = best[count++]!;
    bytes += spread * (table.start(row + 1) - table.start(row));
  }
  if (count === best.length) return { rows: best.slice(), stop, after: Math.max(after, seen) };
  return { rows: best.slice(0, count), stop: 'full', after: count === 0 ? after : ranks[best[count - 1]!]! };
}
