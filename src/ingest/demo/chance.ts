/** Numbers that look drawn by lot and are the same every time for the same seed: mulberry32. */
export class Chance {
  #state: number;

  constructor(...seed: readonly (string | number)[]) {
    this.#state = hash(seed.join('/'));
  }

  /** From 0 up to but not 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  one<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  /** True in so many of a hundred draws. */
  percent(share: number): boolean {
    return this.next() * 100 < share;
  }

  /** Different items, in the order of the list. */
  some<T>(items: readonly T[], count: number): T[] {
    let wanted = Math.min(count, items.length);
    return items.filter((_, at) => {
      const taken = this.next() * (items.length - at) < wanted;
      if (taken) wanted -= 1;
      return taken;
    });
  }
}

function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value;
}
