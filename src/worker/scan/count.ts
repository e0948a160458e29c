import { Matcher } from '../../filter/matcher.ts';
import { joinedRanges, type Reading } from '../../filter/reading.ts';
import { windowEnd } from '../../filter/windows.ts';
import type { Dead } from './target.ts';
import type { CountryCounts } from '../../segment/country_counts.ts';
import { BLOCK_ROWS } from '../../segment/layout.ts';
import type { Segment } from '../../segment/reader.ts';
import { countedSearch } from './counted.ts';
import { countBlocks, countWindow, edgesOf, simpleOf, wholeBlocks, type Simple } from './simple.ts';

/** What is counted: matches of a reading less those that are dead. */
export type Counted = { readonly reading: Reading; readonly dead: Dead | null; readonly segment: Pick<Segment, 'rows' | 'counts'> };

/** Work that may be left and taken up again wherever it yields. Matchers share their lists: what one gave is used up before. */
export type Steps<T> = Generator<void, T, void>;

/** All matches that live. Those of large countries were counted when the segment was made, for searches that are simple enough. */
export function* countMatches({ reading, dead, segment }: Counted): Steps<number> {
  const simple = simpleOf(reading);
  const joined = joinedRanges(reading);
  const { count, rest } = isSoonerJoined(reading, joined, simple) ? { count: 0, rest: reading.ranges } : countedBefore(reading, segment.counts);
  const usesCounts = simple !== null || rest.length < reading.ranges.length;
  if (!usesCounts || (dead !== null && !isFew(dead, segment.rows))) return yield* countMatched(new Matcher(lessDead(reading, dead)), joined);
  const ranges = joinedRanges({ ranges: rest });
  const left = simple === null ? yield* countMatched(new Matcher(reading), ranges) : yield* countSimple(simple, ranges, segment.rows);
  const gone = dead === null ? 0 : yield* countMatched(new Matcher(onlyDead(reading, dead)), joinedRanges(reading));
  return count + left - gone;
}

/**
 * The total where it takes no step of its own: the countries were counted when the segment was made, but for one at most, of few rows that
 * tell what they are without being read. Else null.
 */
export function countAtOnce({ reading, dead, segment }: Counted): number | null {
  if (dead !== null || reading.rowClauses.length > 0) return null;
  const { count, rest } = countedBefore(reading, segment.counts, 1);
  if (rest.length === 0) return count;
  const [start, end] = rest[0]!;
  if (rest.length > 1 || end - start > BLOCK_ROWS) return null;
  const simple = simpleOf(reading);
  const matcher = simple === null ? new Matcher(reading) : null;
  let total = count;
  for (let from = start; from < end;) {
    const to = windowEnd(from, end, BLOCK_ROWS);
    total += matcher === null ? countWindow(simple!, from, to) : matcher.count(from, to);
    from = to;
  }
  return total;
}

/** Blocks of joined ranges that are counted in the time of so many countries' counts. */
const COUNTRIES_A_BLOCK = 4;

/** Whether many countries that lie side by side are counted sooner as one range than one by one. */
function isSoonerJoined({ ranges }: Reading, joined: Reading['ranges'], simple: Simple | null): boolean {
  if (simple !== null) return ranges.length > COUNTRIES_A_BLOCK * joined.length;
  const blocks = joined.reduce((sum, [start, end]) => sum + Math.ceil((end - start) / BLOCK_ROWS), 0);
  return ranges.length > COUNTRIES_A_BLOCK * blocks;
}

/** Matches of the countries that have counts, and the ranges of all others; it ends where these are more than `restMax`. */
function countedBefore(reading: Reading, counts: CountryCounts, restMax = Infinity): { readonly count: number; readonly rest: Reading['ranges'] } {
  const search = countedSearch(reading, counts);
  if (search === null) return { count: 0, rest: reading.ranges };
  let count = 0;
  const rest: (readonly [number, number])[] = [];
  for (const range of reading.ranges) {
    const known = counts.of(range[0], search.choices, search.presence);
    if (known !== null) count += known;
    else if (rest.push(range) > restMax) break;
  }
  return { count, rest };
}

/** Running counts give the matches of whole blocks. */
function* countSimple(simple: Simple, ranges: Reading['ranges'], rows: number): Steps<number> {
  const edges = yield* countWindows((from, to) => countWindow(simple, from, to), ranges.flatMap((range) => edgesOf(range, rows)));
  return ranges.reduce((sum, range) => sum + countBlocks(simple, ...wholeBlocks(range, rows), rows), edges);
}

function countMatched(matcher: Matcher, ranges: readonly (readonly [number, number])[]): Steps<number> {
  return countWindows((from, to) => matcher.count(from, to), ranges, matcher.windowRowsMax);
}

function* countWindows(countIn: (from: number, to: number) => number, ranges: readonly (readonly [number, number])[], rowsMax = BLOCK_ROWS): Steps<number> {
  let count = 0;
  for (const [start, end] of ranges) {
    for (let from = start; from < end;) {
      const to = windowEnd(from, end, rowsMax);
      count += countIn(from, to);
      from = to;
      yield;
    }
  }
  return count;
}

/** Dead rows are counted one by one and subtracted only while that is cheaper than leaving them out everywhere. */
export function isFew(dead: Dead, rows: number): boolean {
  return dead.rows.length <= rows / 16;
}

export function lessDead(reading: Reading, dead: Dead | null): Reading {
  if (dead === null) return reading;
  return { ...reading, clauses: [...reading.clauses, { negated: true, leaves: [{ form: 'bits', bits: dead.bits, fromWord: 0, presence: null, join: null }], disjoint: true, coded: null }] };
}

export function onlyDead(reading: Reading, dead: Dead): Reading {
  return { ...reading, clauses: [...reading.clauses, { negated: false, leaves: [{ form: 'rows', rows: dead.rows }], disjoint: true, coded: null }] };
}
