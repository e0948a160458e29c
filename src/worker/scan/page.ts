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

export type PageInput = {
  readonly segment: Segment;
  readonly reading: Reading;
  readonly matcher: Matcher;
  readonly request: ScanRequest;
  readonly interrupt: Pick<Interrupt, 'struck'>;
};

/** Rows of the first window: a page of a broad search ends within it. */
const FIRST_WINDOW = 2_048;

/** Rows by number. It looks for one row more than it gives, so that the last page says `end`. */
export function storedPage({ segment: { table, rows: rowsTotal }, reading, matcher, request, interrupt }: PageInput): Page {
  const { rowsMax, bytesMax } = request;
  const rows = new NumberList(Math.min(rowsMax + 1, 1_024));
  let bytes = 0;
  let full = rowsMax === 0;
  let { after } = request;
  if (full) return { rows: rows.view(), stop: 'full', after };
  let windowRows = FIRST_WINDOW;
  for (const [start, end] of joinedRanges(reading)) {
    for (let from = Math.max(start, request.after + 1); from < end;) {
      const struck = interrupt.struck();
      if (struck !== null) return { rows: rows.view(), stop: full ? 'full' : struck, after };
      const to = windowEnd(from, end, Math.min(windowRows, matcher.windowRowsMax));
      const { list, count } = matcher.rows(from, to);
      for (let at = 0; at < count; at++) {
        if (full) return { rows: rows.view(), stop: 'full', after };
        const row = list[at]!;
        rows.push(row);
        bytes += table.start(row + 1) - table.start(row);
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
 * Rows by rank. Within a country range ranks ascend, so that each gives its best rows first; what the ranges so far have given
 * bounds the rank up to which the next is looked at. A broad search looks at few more rows than it gives.
 */
export function rankedPage(input: PageInput): Page {
  const { segment, reading, request } = input;
  const wanted = wantedRows(segment, request);
  if (wanted === 1) return { rows: new Uint32Array(), stop: 'full', after: request.after };
  let best = new NumberList(wanted);
  let ceiling = Infinity;
  for (const range of reading.ranges.toSorted((a, b) => b[1] - b[0] - (a[1] - a[0]))) {
    if (!takeRange(input, range, { ceiling, wanted, best })) return struckPage(input, best.view().slice(0, wanted - 1));
    if (best.length < (ceiling === Infinity ? wanted : wanted * 2)) continue;
    const kept = firstByRank(best.view(), segment.ranks, wanted);
    ceiling = segment.ranks[kept[wanted - 1]!]!;
    best = new NumberList(wanted * 3);
    best.append(kept);
  }
  return cut(segment, request, firstByRank(best.view(), segment.ranks, wanted), wanted - 1);
}

/** The rows of a single range are in order and stand; of several ranges a better row may not have been seen yet. */
function struckPage({ segment: { ranks }, reading, request, interrupt }: PageInput, found: Uint32Array): Page {
  const rows = reading.ranges.length === 1 ? found : new Uint32Array();
  const last = rows.at(-1);
  return { rows, stop: interrupt.struck() ?? 'deadline', after: last === undefined ? request.after : ranks[last]! };
}

/** One row more than a slice can hold by rows or, on average, by bytes. */
function wantedRows({ rows, bytes }: Segment, { rowsMax, bytesMax }: ScanRequest): number {
  const average = Math.max(1, bytes.bytes / Math.max(1, rows));
  return Math.min(rowsMax, Math.ceil(Math.max(1, bytesMax) / average), LIMITS.scanRankedRowsMax) + 1;
}

/** Rank and place in one number below 2^53: numbers alone are sorted many times faster than by a comparison. Three slices are sorted at most. */
const PLACES = 2 ** 22;

function firstByRank(rows: Uint32Array, ranks: Uint32Array, countMax: number): Uint32Array {
  const keys = new Float64Array(rows.length);
  for (let place = 0; place < rows.length; place++) keys[place] = ranks[rows[place]!]! * PLACES + place;
  keys.sort();
  const first = new Uint32Array(Math.min(countMax, rows.length));
  for (let at = 0; at < first.length; at++) first[at] = rows[keys[at]! % PLACES]!;
  return first;
}

type Taking = { readonly ceiling: number; readonly wanted: number; readonly best: NumberList };

/** Adds a range's first matches of a rank above `after` and below the ceiling; false where the scan was struck. */
function takeRange({ segment: { ranks }, matcher, request, interrupt }: PageInput, [start, end]: readonly [number, number], { ceiling, wanted, best }: Taking): boolean {
  const last = ceiling === Infinity ? end : lowerBound(ranks, ceiling, start, end);
  let taken = 0;
  let windowRows = FIRST_WINDOW;
  for (let from = lowerBound(ranks, request.after + 1, start, last); from < last;) {
    if (interrupt.struck() !== null) return false;
    const to = windowEnd(from, last, Math.min(windowRows, matcher.windowRowsMax));
    const { list, count } = matcher.rows(from, to);
    for (let at = 0; at < count; at++) {
      best.push(list[at]!);
      if (++taken === wanted) return true;
    }
    from = to;
    windowRows *= 2;
  }
  return true;
}

/** `best` holds a row beyond `countMax`, or all that is left. */
function cut({ table, ranks }: Segment, { bytesMax, after }: ScanRequest, best: Uint32Array, countMax: number): Page {
  let bytes = 0;
  let count = 0;
  while (count < best.length && count < countMax && (count === 0 || bytes < bytesMax)) {
    const row = best[count++]!;
    bytes += table.start(row + 1) - table.start(row);
  }
  const stop = count < best.length ? 'full' : 'end';
  const last = count === 0 ? after : ranks[best[count - 1]!]!;
  return { rows: best.slice(0, count), stop, after: stop === 'end' ? Math.max(last, ranks.length - 1) : last };
}
