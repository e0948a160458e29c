/** Rows [from, to), outside of which a search has no match and nothing need be prepared for it. */
export type Span = { readonly from: number; readonly to: number };

/** From the first to the last of ascending ranges. */
export function spanOf(ranges: readonly (readonly [start: number, end: number])[]): Span {
  return { from: ranges[0]?.[0] ?? 0, to: ranges.at(-1)?.[1] ?? 0 };
}
