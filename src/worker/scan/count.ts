import type { Leaf } from '../../filter/leaf.ts';
import { Matcher } from '../../filter/matcher.ts';
import { joinedRanges, type Reading } from '../../filter/reading.ts';
import { windowEnd } from '../../filter/windows.ts';
import type { Dead } from './target.ts';
import type { CountedCells, CountedPresence, CountryCounts } from '../../segment/country_counts.ts';
import { BLOCK_ROWS } from '../../segment/layout.ts';
import { countedSearch } from './counted.ts';
import type { CountedSegment } from './dead_counts.ts';
import { countBlocks, countWindow, edgesOf, simpleOf, wholeBlocks, type Simple } from './simple.ts';
import type { Steps } from './steps.ts';

/** What is counted: matches of a reading less those that are dead. */
export type Counted = { readonly reading: Reading; readonly dead: Dead | null; readonly segment: CountedSegment };

/** All matches that live. Those of large countries were counted when the segment was made, for searches that are simple enough. */
export function* countMatches({ reading, dead, segment }: Counted): Steps<number> {
  const simple = simpleOf(reading);
  const joined = joinedRanges(reading);
  const { count, told, rest } = isSoonerJoined(reading, joined, simple) ? { count: 0, told: NOTHING_TOLD, rest: reading.ranges } : countedBefore(reading, segment.counts);
  const usesCounts = simple !== null || told.cells.length > 0;
  if (!usesCounts || (dead !== null && !isFew(dead, segment.rows))) return yield* countMatched(new Matcher(lessDead(reading, dead)), joined);
  const ranges = joinedRanges({ ranges: rest });
  const gone = dead === null ? 0 : yield* countDead(told, dead, segment);
  if (simple === null) return count - gone + (yield* countMatched(new Matcher(lessDead(reading, dead)), ranges));
  const left = yield* countSimple(simple, ranges, segment.rows);
  return count - gone + left - (dead === null ? 0 : yield* countMatched(new Matcher(onlyDead(reading, dead, segment.rows)), ranges));
}

/**
 * The total where it takes no step of its own: the countries were counted when the segment was made, and their dead rows since then, but for one at most, of few
 * rows that tell what they are without being read. Else null.
 */
export function countAtOnce({ reading, dead, segment }: Counted): number | null {
  if (reading.rowClauses.length > 0) return null;
  const { count, told, rest } = countedBefore(reading, segment.counts, 1);
  const gone = dead === null ? 0 : knownDead(told, dead, segment);
  if (gone === null) return null;
  if (rest.length === 0) return count - gone;
  const [start, end] = rest[0]!;
  if (rest.length > 1 || end - start > BLOCK_ROWS) return null;
  const simple = dead === null ? simpleOf(reading) : null;
  const matcher = simple === null ? new Matcher(lessDead(reading, dead)) : null;
  let total = count - gone;
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

/** Where the counts of some countries lie that make a total. */
type Told = { readonly cells: readonly CountedCells[]; readonly presence: CountedPresence | null };

const NOTHING_TOLD: Told = { cells: [], presence: null };

/** Matches of the countries that have counts, and the ranges of all others; it ends where these are more than `restMax`. */
function countedBefore(reading: Reading, counts: CountryCounts, restMax = Infinity): { readonly count: number; readonly told: Told; readonly rest: Reading['ranges'] } {
  const search = countedSearch(reading, counts);
  if (search === null) return { count: 0, told: NOTHING_TOLD, rest: reading.ranges };
  const { choices, presence } = search;
  let count = 0;
  const told: CountedCells[] = [];
  const rest: (readonly [number, number])[] = [];
  for (const range of reading.ranges) {
    const cells = counts.find(range[0], choices);
    if (cells !== null) {
      count += counts.of(cells, presence);
      told.push(cells);
    } else if (rest.push(range) > restMax) break;
  }
  return { count, told: { cells: told, presence }, rest };
}

function* countDead({ cells, presence }: Told, dead: Dead, segment: CountedSegment): Steps<number> {
  let count = 0;
  for (const each of cells) count += yield* dead.counts.of(segment, each, presence);
  return count;
}

/** Null where some of it must be counted yet. */
function knownDead({ cells, presence }: Told, dead: Dead, segment: CountedSegment): number | null {
  let count = 0;
  for (const each of cells) {
    const known = dead.counts.known(segment, each, presence);
    if (known === null) return null;
    count += known;
  }
  return count;
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

/** Of a row in fewer a matcher would make a bitmap anyway. */
const DEAD_OF_LIST_ONE_IN = 128;

/** Dead rows are counted one by one and subtracted only while that is cheaper than leaving them out everywhere. */
export function isFew(dead: Dead, rows: number): boolean {
  return dead.rows.length <= rows / 16;
}

export function lessDead(reading: Reading, dead: Dead | null): Reading {
  if (dead === null) return reading;
  return { ...reading, clauses: [...reading.clauses, { negated: true, leaves: [bitsOf(dead)], disjoint: true, coded: null }] };
}

export function onlyDead(reading: Reading, dead: Dead, rows: number): Reading {
  const leaf: Leaf = dead.rows.length * DEAD_OF_LIST_ONE_IN <= rows ? { form: 'rows', rows: dead.rows } : bitsOf(dead);
  return { ...reading, clauses: [...reading.clauses, { negated: false, leaves: [leaf], disjoint: true, coded: null }] };
}

function bitsOf(dead: Dead): Leaf {
  return { form: 'bits', bits: dead.bits, fromWord: 0, presence: null, join: null };
}
