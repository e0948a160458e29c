import { LIMITS } from '../config/limits.ts';

/** A published segment as far as it decides whether it is written anew: its rows, and those in its files beside them that are gone. */
type Standing = { readonly id: string; readonly rows: number; readonly gone: number };

/** When a segment is left as it is; see the limits. */
export type Keeping = { readonly smallRowsMax: number; readonly ratio: number; readonly goneShareMax: number };

/** As lakes are kept unless a test wants it otherwise. */
export const KEEPING: Keeping = { smallRowsMax: LIMITS.smallSegmentRowsMax, ratio: LIMITS.keptSegmentRatio, goneShareMax: LIMITS.goneShareMax };

/** Everything is written anew. */
export const KEEPING_NONE: Keeping = { ...KEEPING, smallRowsMax: Infinity };

/**
 * The segments that are written anew together with so many fresh rows: those that must be, those of which too much is gone, small ones, and those that are not
 * much larger than what is written anyway. So a row of a larger one is written some times for each power of `ratio` in the size of its source, and a search
 * finds about one segment more for each than the source had at first.
 */
export function rewrittenWith(fresh: number, segments: readonly Standing[], must: ReadonlySet<string>, { smallRowsMax, ratio, goneShareMax }: Keeping): ReadonlySet<string> {
  const ascending = segments.toSorted((one, other) => one.rows - other.rows);
  const rewritten = new Set<string>();
  let written = fresh;
  const isNext = (one: Standing): boolean =>
    !rewritten.has(one.id) && (must.has(one.id) || isMuchGone(one, goneShareMax) || one.rows <= Math.max(smallRowsMax, ratio * written));
  for (let next = ascending.find(isNext); next !== undefined; next = ascending.find(isNext)) {
    rewritten.add(next.id);
    written += next.rows;
  }
  return rewritten;
}

export function isMuchGone({ rows, gone }: Pick<Standing, 'rows' | 'gone'>, shareMax: number): boolean {
  return gone > shareMax * (rows + gone);
}
