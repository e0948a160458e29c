import { compareIdentities, type Head } from './head.ts';

/** Heads that have a row at hand, by identity, and of one identity in the order of their sources: the first has the next row. One that steps, or comes back, finds its place by a few comparisons, however many there are. */
export class Line {
  readonly #heads: Head[] = [];
  #outside: Head[];

  /** `ranked`: all of them, in the order of their sources. */
  constructor(ranked: readonly Head[]) {
    for (const [rank, head] of ranked.entries()) head.rank = rank;
    this.#outside = [...ranked];
  }

  get length(): number { return this.#heads.length; }

  /** Those that had no row at hand, or whose rows are taken by others, and that have not come back: all at first. */
  get outside(): readonly Head[] { return this.#outside; }

  at(place: number): Head { return this.#heads[place]!; }
  first(count: number): readonly Head[] { return this.#heads.slice(0, count); }

  /** How many, from the first on, have its identity. */
  equals(): number {
    const heads = this.#heads;
    let equals = 1;
    while (equals < heads.length && compareHeads(heads[equals]!, heads[0]!) === 0) equals += 1;
    return equals;
  }

  /** The head at a place goes to its next row, and to where that stands among those behind it; outside where it has none at hand. */
  step(place: number): void {
    const heads = this.#heads;
    const head = heads[place]!;
    head.step();
    if (head.chunk === null) {
      heads.splice(place, 1);
      this.#outside.push(head);
      return;
    }
    const behind = this.#placeOf(head, place + 1);
    for (let at = place + 1; at < behind; at += 1) heads[at - 1] = heads[at]!;
    heads[behind - 1] = head;
  }

  /** The first so many go outside. */
  leave(count: number): readonly Head[] {
    const left = this.#heads.splice(0, count);
    this.#outside.push(...left);
    return left;
  }

  /** Those outside that have a row at hand come back; the others have no more. */
  comeBack(): void {
    const heads = this.#heads;
    for (const head of this.#outside) if (head.chunk !== null) heads.splice(this.#placeOf(head, 0), 0, head);
    this.#outside = [];
  }

  /** Behind all, from a place on, that come before it. */
  #placeOf(head: Head, from: number): number {
    const heads = this.#heads;
    let [low, high] = [from, heads.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (comesAfter(head, heads[middle]!)) low = middle + 1; else high = middle;
    }
    return low;
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
