import { LIMITS } from '../../config/limits.ts';
import { expectedMatches } from '../../filter/expected.ts';
import type { Matcher } from '../../filter/matcher.ts';
import { joinedRanges, type Reading } from '../../filter/reading.ts';
import { spanOf } from '../../filter/span.ts';
import { Spans, windowEnd } from '../../filter/windows.ts';
import { NumberList } from '../../lib/number_list.ts';
import { lowerBound } from '../../lib/search.ts';
import type { ScanReply, ScanRequest } from '../../pool/protocol.ts';
import { BLOCK_ROWS } from '../../segment/layout.ts';
import type { Segment } from '../../segment/reader.ts';
import type { Interrupt } from './interrupt.ts';

/** The rows of one slice, in their order. */
export type Page = {
  readonly rows: Uint32Array;
  readonly stop: Extract<ScanReply, { readonly ok: true }>['stop'];
  readonly after: number;
  /** All matches, wherever the page begins, where its rows were taken out of them all. */
  readonly matched?: number;
};

export type PageInput = {
  readonly segment: Segment;
  readonly reading: Reading;
  readonly matcher: Matcher;
  readonly request: ScanRequest;
  readonly interrupt: Pick<Interrupt, 'struck' | 'spent'>;
};

/** Of the largest windows: what is found in one that is not looked through is lost. */
const WINDOW_RANKS_MAX = 1_048_576;

/** Rows by rank: of all matches where they must be counted and are few, else window after window. */
export function rankedPage(input: PageInput): Page {
  const { reading, segment: { rows } } = input;
  const expected = expectedMatches(reading, rows);
  const all = input.request.count && areFew(input, expected) ? pageOfAll(input) : null;
  return all ?? pageByWindows(input, expected);
}

/** So many matches for each range are put in order in the time that it takes to look up where a window's ranks end in the range, and to sift its rows. */
const FEW_A_RANGE = 8;

function areFew({ reading, matcher, segment: { rows } }: PageInput, expected: number): boolean {
  const { ranges, numbers } = reading;
  if (matcher.windowRowsMax < BLOCK_ROWS || rows > WINDOW_RANKS_MAX) return false;
  const fewMax = FEW_A_RANGE * ranges.length;
  return expected <= fewMax && (areSoonCompared(numbers) || expectedMatches({ ...reading, numbers: [] }, rows) <= fewMax);
}

/** Other numbers are compared row by row, of all rows that the lists leave: then it is these that must be few, for a window compares its own alone. */
function areSoonCompared(numbers: Reading['numbers']): boolean {
  let intervals = 0;
  for (const clause of numbers) intervals += clause.codes instanceof Float64Array ? Infinity : clause.intervals.length;
  return intervals <= LIMITS.intervalsTriedMax;
}

/**
 * Looks through all ranges, a block at a time, as whoever counts them would. What is struck before the end gave nothing. Null where there are many after all, for words may go together,
 * and where the others have waited long enough after the first block.
 */
function pageOfAll(input: PageInput): Page | null {
  const { segment: { ranks, rows: rowsTotal }, reading, matcher, request, interrupt } = input;
  const wanted = wantedRows(input.segment, request);
  const found = new NumberList();
  const { from: first } = spanOf(reading.ranges);
  for (const [start, end] of joinedRanges(reading)) {
    for (let from = start; from < end;) {
      const stop = interrupt.struck();
      if (stop !== null) return cut(input, NO_ROWS, { stop, seen: request.after });
      if (from > first && interrupt.spent()) return null;
      const to = windowEnd(from, end, BLOCK_ROWS);
      const { list, count } = matcher.rows(from, to);
      found.append(list.subarray(0, count));
      if (found.length > FOUND_AIM) return null;
      from = to;
    }
  }
  const all = found.view();
  const best = firstByRank(request.after < 0 ? all : all.filter((row) => ranks[row]! > request.after), ranks, wanted);
  return { ...cut(input, best, { stop: best.length < wanted ? 'end' : 'full', seen: rowsTotal - 1 }), matched: all.length };
}

const NO_ROWS = new Uint32Array();

/**
 * Window after window of consecutive ranks: within a country range ranks ascend, so that the rows of a window of ranks are consecutive in every range. The first window
 * is as long as the search is expected to need, the next ones as what was found tells. What is struck amid a window gives what the windows before it gave; the first is never left for
 * the others' sake, so that every slice gets somewhere.
 */
function pageByWindows(input: PageInput, expected: number): Page {
  const { segment, reading, matcher, request, interrupt } = input;
  const { ranks, rows: rowsTotal } = segment;
  const wanted = wantedRows(segment, request);
  const places = reading.ranges.map(([start, end]): Place => ({ at: request.after < 0 ? start : lowerBound(ranks, request.after + 1, start, end), end }));
  const best = new NumberList(wanted);
  let seen = request.after;
  let ranksOfWindow = firstRanks(input, wanted, expected);
  const stopped = (): Page['stop'] | null => interrupt.struck() ?? (seen > request.after && interrupt.spent() ? 'full' : null);
  while (best.length < wanted) {
    const first = leastRank(places, ranks);
    if (first === null) break;
    const belowRank = Math.min(rowsTotal, first + ranksOfWindow);
    const left = wanted - best.length;
    const found = takeWindow(input, places, { belowRank, left, stopped });
    if (typeof found === 'string') return cut(input, best.view(), { stop: found, seen });
    best.append(found);
    seen = belowRank - 1;
    ranksOfWindow = nextRanks(ranksOfWindow, { found: found.length, left: left - found.length, atOnce: matcher.windowRowsMax });
  }
  return cut(input, best.view(), { stop: best.length < wanted ? 'end' : 'full', seen: rowsTotal - 1 });
}

/** Ranks of the smallest windows, where a window may be of any length: some of each range are looked at in any case. */
const RANKS_MIN = 256;
/** So many times the square root of the rows that are wanted of a window should be found beyond them: of a few as many again, for a second window costs more than a longer first one. */
const SPARE_ROOTS = 5;
/** Matches that are wanted of one window: they are sorted at once, and nobody else has a turn before all are found. */
const FOUND_AIM = 16_384;
/** A window is at most so many times as long as the one before it, which may have found less than its share; a long one at most twice: every one of its ranks may match. */
const RANKS_GROWTH = 16;
const RANKS_LONG = BLOCK_ROWS;
/** Of fewer matches nobody can tell how many there are in the next window: then it is no shorter than twice the one before it. */
const FOUND_SURE = 64;

/** Where rows may have to be read no more of them than may be read at once. */
function firstRanks({ matcher, segment: { rows } }: PageInput, wanted: number, expected: number): number {
  if (matcher.windowRowsMax < BLOCK_ROWS) return matcher.windowRowsMax;
  return clampRanks(rowsAimed(wanted) * (rows / Math.max(1, expected)), RANKS_MIN);
}

function nextRanks(before: number, { found, left, atOnce }: { readonly found: number; readonly left: number; readonly atOnce: number }): number {
  const least = 2 * before;
  if (atOnce < BLOCK_ROWS) return clampRanks(least, 1);
  const enough = found === 0 ? Infinity : before * (rowsAimed(left) / found);
  const most = Math.max(least, Math.min(RANKS_GROWTH * before, RANKS_LONG));
  return clampRanks(Math.min(found < FOUND_SURE ? Math.max(enough, least) : enough, most), RANKS_MIN);
}

function rowsAimed(left: number): number {
  const aim = Math.min(left, FOUND_AIM);
  return aim + SPARE_ROOTS * Math.sqrt(aim);
}

function clampRanks(ranks: number, min: number): number {
  return Math.max(min, Math.min(WINDOW_RANKS_MAX, Math.ceil(ranks)));
}

/** What is left of a range: rows from `at` on. */
type Place = { at: number; readonly end: number };

function leastRank(places: readonly Place[], ranks: Uint32Array): number | null {
  let least: number | null = null;
  for (const { at, end } of places) if (at < end && (least === null || ranks[at]! < least)) least = ranks[at]!;
  return least;
}

/** The first row from `at` on whose rank is not below; most ranges have few rows of a window. */
function rowOfRank(ranks: Uint32Array, rank: number, { at, end }: Place): number {
  let from = at;
  for (let step = 1; from < end && ranks[from]! < rank; step *= 2) {
    const to = Math.min(end, from + step);
    if (to === end || ranks[to]! >= rank) return lowerBound(ranks, rank, from + 1, to);
    from = to;
  }
  return from;
}

type RankWindow = { readonly belowRank: number; readonly left: number; readonly stopped: () => Page['stop'] | null };

/** Of this many times as many matches as are wanted those are dropped that come too late. */
const FOUND_SPARE = 4;

/**
 * The first `left` matches below a rank, by rank; or what struck before all were found. The ranges' rows are looked at a block at a time. As soon as there are enough, no rank is wanted
 * any more that is behind the last of these: then nobody asks what is left of the places.
 */
function takeWindow({ segment: { ranks }, matcher }: PageInput, places: readonly Place[], { belowRank, left, stopped }: RankWindow): Uint32Array | Page['stop'] {
  const found = new NumberList();
  const spans = new Spans();
  let below = belowRank;
  const look = (): Page['stop'] | null => {
    if (spans.rows === 0) return null;
    const stop = stopped();
    if (stop !== null) return stop;
    const { list, count } = matcher.rowsAmong(spans);
    found.append(list.subarray(0, count));
    spans.clear();
    if (found.length <= FOUND_SPARE * left) return null;
    const first = firstByRank(found.view(), ranks, left);
    found.length = 0;
    found.append(first);
    below = ranks[first.at(-1)!]! + 1;
    return null;
  };
  for (const place of places) {
    const last = rowOfRank(ranks, below, place);
    while (place.at < last) {
      const to = windowEnd(place.at, last, matcher.windowRowsMax);
      if (!spans.fits(place.at, to, matcher.windowRowsMax)) {
        const stop = look();
        if (stop !== null) return stop;
      }
      spans.add(place.at, to);
      place.at = to;
    }
  }
  return look() ?? firstByRank(found.view(), ranks, left);
}

/** One row more than a slice can hold by rows or, on average, by bytes. */
function wantedRows({ rows, bytes, spread }: Segment, { rowsMax, bytesMax }: ScanRequest): number {
  const average = Math.max(1, (spread * bytes.bytes) / Math.max(1, rows));
  return Math.min(rowsMax, Math.ceil(Math.max(1, bytesMax) / average), LIMITS.scanRankedRowsMax) + 1;
}

/** Rank and place in one number below 2^53: numbers alone are sorted many times faster than by a comparison. */
const PLACES = 2 ** 21;

/** Of so many times as many rows as are wanted those that come too late are left out before the others are sorted. */
const SORTED_SPARE = 1.5;

function firstByRank(rows: Uint32Array, ranks: Uint32Array, countMax: number): Uint32Array {
  const below = rows.length > SORTED_SPARE * countMax ? rankBehind(rows, ranks, countMax) : Infinity;
  const keys = new Float64Array(rows.length);
  let kept = 0;
  for (let place = 0; place < rows.length; place++) {
    const rank = ranks[rows[place]!]!;
    if (rank < below) keys[kept++] = rank * PLACES + place;
  }
  keys.subarray(0, kept).sort();
  const first = new Uint32Array(Math.min(countMax, kept));
  for (let at = 0; at < first.length; at++) first[at] = rows[keys[at]! % PLACES]!;
  return first;
}

const STRETCHES_BITS = 10;

/** A rank below which at least so many of the rows lie, and few more. There are more rows. */
function rankBehind(rows: Uint32Array, ranks: Uint32Array, count: number): number {
  let [low, high] = [Infinity, 0];
  for (const row of rows) {
    const rank = ranks[row]!;
    if (rank < low) low = rank;
    if (rank > high) high = rank;
  }
  const shift = Math.max(0, 32 - Math.clz32(high - low) - STRETCHES_BITS);
  const held = new Uint32Array(1 << STRETCHES_BITS);
  for (const row of rows) held[(ranks[row]! - low) >>> shift]! += 1;
  let stretch = 0;
  for (let seen = 0; seen < count; stretch++) seen += held[stretch]!;
  return low + stretch * 2 ** shift;
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
