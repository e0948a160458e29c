import { seeded } from '../../../bench/support/figures.ts';

/** Choices that a seed makes. */
export class Draw {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = seeded(seed);
  }

  below(n: number): number { return Math.floor(this.#next() * n); }
  between(least: number, most: number): number { return least + this.below(most - least + 1); }
  chance(share: number): boolean { return this.#next() < share; }
  one<T>(items: readonly T[]): T { return items[this.below(items.length)]!; }
  /** For whatever has a seed of its own. */
  seed(): number { return this.below(2 ** 31); }

  some<T>(items: readonly T[], share: number): T[] { return items.filter(() => this.chance(share)); }
}
