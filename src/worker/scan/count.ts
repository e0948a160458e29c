import { Matcher } from '../../filter/matcher.ts';
import { joinedRanges, type Reading } from '../../filter/reading.ts';
import { windowEnd } from '../../filter/windows.ts';
import type { Dead } from './target.ts';
import { BLOCK_ROWS } from '../../segment/layout.ts';
import { countBlocks, countWindow, edgesOf, simpleOf, wholeBlocks } from './simple.ts';

/** What is counted: matches of a reading less those that are dead. */
export type Counted = { readonly reading: Reading; readonly dead: Dead | null; readonly rows: number };

/** Work that may be left and taken up again wherever it yields. Matchers share their lists: what one gave is used up before. */
export type Steps<T> = Generator<void, T, void>;

/** All matches that live. Running counts give those of whole blocks, where the search is simple enough. */
export function* countMatches({ reading, dead, rows }: Counted): Steps<number> {
  const ranges = joinedRanges(reading);
  const simple = simpleOf(reading);
  const usesCounts = simple !== null && (dead === null || isFew(dead, rows));
  if (!usesCounts) return yield* countMatched(new Matcher(lessDead(reading, dead)), ranges);
  const edges = yield* countWindows((from, to) => countWindow(simple, from, to), ranges.flatMap((range) => edgesOf(range, rows)));
  const gone = dead === null ? 0 : yield* countMatched(new Matcher(onlyDead(reading, dead)), ranges);
  return ranges.reduce((sum, range) => sum + countBlocks(simple, ...wholeBlocks(range, rows), rows), edges - gone);
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
  return { ...reading, clauses: [...reading.clauses, { negated: true, leaves: [{ form: 'bits', bits: dead.bits, fromWord: 0, presence: null }], disjoint: true }] };
}

export function onlyDead(reading: Reading, dead: Dead): Reading {
  return { ...reading, clauses: [...reading.clauses, { negated: false, leaves: [{ form: 'rows', rows: dead.rows }], disjoint: true }] };
}
