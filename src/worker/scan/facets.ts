import { Matcher } from '../../filter/matcher.ts';
import { joinedRanges } from '../../filter/reading.ts';
import { windowEnd } from '../../filter/windows.ts';
import { LIMITS } from '../../config/limits.ts';
import type { FacetCounts } from '../../model/answer.ts';
import type { Segment } from '../../segment/reader.ts';
import { isFew, lessDead, onlyDead, type Counted } from './count.ts';
import { facetCounter, type FacetCounter } from './facet.ts';
import { facetByTotals } from './facet_totals.ts';
import { countLeaf, edgesOf, simpleOf, wholeBlocks, type Simple } from './simple.ts';
import type { Steps } from './steps.ts';

/** Values whose running counts are added up between two looks at the clock. */
const CODES_OF_STEP = 16;

type Ranges = readonly (readonly [start: number, end: number])[];

/** The values of each filter over all matches that live; a filter of too many is left out. `matched`: how many those are, null where it was not asked. */
export function* countFacets(segment: Segment, names: readonly string[], counted: Counted, matched: number | null): Steps<FacetCounts[]> {
  const told: FacetCounts[] = [];
  for (const name of names) {
    const totals = matched === null ? null : facetByTotals(segment, name, counted, matched);
    if (totals !== null) told.push({ name, values: yield* totals });
  }
  if (told.length === names.length) return told;
  const rest = names.filter((name) => !told.some((facet) => facet.name === name));
  const facets = [...told, ...(yield* countRows(segment, rest, counted))];
  return facets.sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name));
}

/** By the rows that match, and where it is sooner by the running counts of the values. */
function* countRows(segment: Segment, names: readonly string[], counted: Counted): Steps<FacetCounts[]> {
  const counters = names.map((name) => facetCounter(segment, name));
  const simple = simpleOf(counted.reading);
  const usesCounts = simple?.leaves === null && (counted.dead === null || isFew(counted.dead, segment.rows));
  const quick = usesCounts ? counters.filter(isQuick) : [];
  const listed = counters.filter((counter) => !quick.includes(counter));
  const ranges = joinedRanges(counted.reading);
  if (simple !== null && quick.length > 0) yield* addCounts(quick, simple, ranges, counted);
  if (listed.length > 0) yield* addWindows(listed, new Matcher(lessDead(counted.reading, counted.dead)), ranges, 1);
  const facets: FacetCounts[] = [];
  for (let at = 0; at < names.length; at++) {
    const values = counters[at]!.values();
    if (values !== null) facets.push({ name: names[at]!, values });
    yield;
  }
  return facets;
}

/** Whole blocks by their running counts, the rest row by row, less the dead. */
function* addCounts(counters: readonly FacetCounter[], simple: Simple, ranges: Ranges, counted: Counted): Steps<void> {
  const { reading, dead, segment: { rows } } = counted;
  for (const counter of counters) yield* addBlocks(counter, simple, ranges, rows);
  const edges = ranges.flatMap((range) => edgesOf(range, rows));
  yield* addWindows(counters, new Matcher(reading), edges, 1);
  if (dead !== null) yield* addWindows(counters, new Matcher(onlyDead(reading, dead, rows)), ranges, -1);
}

/** Few enough values that their running counts are read faster than the rows' codes. */
function isQuick({ column }: FacetCounter): boolean {
  return column !== null && column.column.keys.size <= LIMITS.facetPostingsMax;
}

function* addBlocks({ column }: FacetCounter, { presence }: Simple, ranges: Ranges, rows: number): Steps<void> {
  if (column === null) return;
  for (let code = 0; code < column.column.keys.size; code++) {
    const leaf = column.column.rows.open(code);
    for (const range of ranges) {
      const [from, to] = wholeBlocks(range, rows);
      if (from < to) column.addCount(code, countLeaf(leaf, presence, from, to));
    }
    if (code % CODES_OF_STEP === 0) yield;
  }
}

function* addWindows(counters: readonly FacetCounter[], matcher: Matcher, ranges: Ranges, sign: 1 | -1): Steps<void> {
  const rowsMax = counters.some(({ reads }) => reads) ? LIMITS.scanReadRowsMax : matcher.windowRowsMax;
  for (const [start, end] of ranges) {
    for (let from = start; from < end;) {
      const to = windowEnd(from, end, Math.min(rowsMax, matcher.windowRowsMax));
      const { list, count } = matcher.rows(from, to);
      for (const counter of counters) counter.add(list, count, sign);
      from = to;
      yield;
    }
  }
}
