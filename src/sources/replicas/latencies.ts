import { LIMITS } from '../../config/limits.ts';

const BUCKETS = 80;
const FIRST_MS = 0.25;
const GROWTH = 1.2;

/**
 * How long answers take, in buckets that grow by a fifth each, up to some ten minutes: 640 bytes, exact to a fifth. The old count less and
 * less: all are halved whenever enough have come.
 */
export class Latencies {
  readonly #counts = new Float64Array(BUCKETS);
  #total = 0;

  note(ms: number): void {
    const at = ms <= FIRST_MS ? 0 : Math.ceil(Math.log(ms / FIRST_MS) / Math.log(GROWTH));
    this.#counts[Math.min(BUCKETS - 1, at)]! += 1;
    this.#total += 1;
    if (this.#total < LIMITS.latencySamplesMax) return;
    this.#total = 0;
    for (let bucket = 0; bucket < BUCKETS; bucket += 1) this.#total += (this.#counts[bucket]! /= 2);
  }

  /** What so large a share of the answers stayed within; null where too few have come to tell. */
  quantileMs(share: number): number | null {
    if (this.#total < LIMITS.latencySamplesMin) return null;
    let left = share * this.#total;
    for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
      left -= this.#counts[bucket]!;
      if (left <= 1e-9) return FIRST_MS * GROWTH ** bucket;
    }
    return FIRST_MS * GROWTH ** (BUCKETS - 1);
  }
}
