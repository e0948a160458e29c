import { compareIdentities, type Head } from './head.ts';

/** Heads that have a row at hand, by identity, and of one identity in the order of their sources: the first has the next row. One that steps finds its place by a few comparisons, however many there are. */
export class Line {
  /** False once a head has no row at hand, or its row was taken by others: then it is to be formed anew. */
  stands = false;
  #heads: Head[] = [];

  get length(): number { return this.#heads.length; }

  /** `ranked`: in the order of their sources. */
  form(ranked: readonly Head[]): void {
    for (const [rank, head] of ranked.entries()) head.rank = rank;
    this.#heads = ranked.toSorted(compareHeads);
    this.stands = true;
  }

  leave(): void { this.stands = false; }

  at(place: number): Head { return this.#heads[place]!; }
  first(count: number): readonly Head[] { return this.#heads.slice(0, count); }

  /** How many, from the first on, have its identity. */
  equals(): number {
    const heads = this.#heads;
    let equals = 1;
    while (equals < heads.length && compareHeads(heads[equals]!, heads[0]!) === 0) equals += 1;
    return equals;
  }

  /** The head at a place goes to its next row, and to where that stands among those behind it. */
  step(place: number): void {
    const heads = this.#heads;
    const head = heads[place]!;
    head.step();
    if (head.chunk === null) return this.leave();
    let [low, high] = [place + 1, heads.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (comesAfter(head, heads[middle]!)) low = middle + 1; else high = middle;
    }
    for (let at = place + 1; at < low; at += 1) heads[at - 1] = heads[at]!;
    heads[low - 1] = head;
  }
}

/** By identity: those of one source stay in the order of their lanes. */
function compareHeads(a: Head, b: Head): number {
  return compareIdentities(a.chunk!, a.row, b.chunk!, b.row);
}

function comesAfter(head: Head, other: Head): boolean {
  const order = compareHeads(head, other);
  return order === 0 ? head.rank > other.rank : order > 0;
}
