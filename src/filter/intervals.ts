import { LIMITS } from '../config/limits.ts';
import type { NumberClause } from './reading.ts';

export function isWithin(code: number, intervals: NumberClause['intervals']): boolean {
  if (intervals.length > LIMITS.intervalsTriedMax) return isWithinLast(code, intervals);
  for (const [low, high] of intervals) if (low <= code && code <= high) return true;
  return false;
}

/** By the last interval that does not begin above. */
function isWithinLast(code: number, intervals: NumberClause['intervals']): boolean {
  let low = 0;
  let high = intervals.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (intervals[middle]![0] <= code) low = middle + 1; else high = middle;
  }
  return low > 0 && code <= intervals[low - 1]![1];
}
