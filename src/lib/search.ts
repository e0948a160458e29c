/** The first place in [from, to) of an ascending array whose item is not below `wanted`; `to` where there is none. */
export function lowerBound(items: ArrayLike<number>, wanted: number, from = 0, to = items.length): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (items[middle]! < wanted) low = middle + 1; else high = middle;
  }
  return low;
}
