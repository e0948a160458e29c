import { LIMITS } from '../../config/limits.ts';

const PER_DOUBLING = LIMITS.benchBucketsADoubling;
const BITS = Math.log2(PER_DOUBLING);
const MICROSECONDS_MAX = 0xffff_ffff;

/** By how much a latency is told too long at most, as a part of itself. */
export const PRECISION = 1 / PER_DOUBLING;

/**
 * Latencies of any number of answers in 26 KiB. Exact below 128 us; above, each doubling is cut into 128 buckets of one width. A quantile is the
 * upper end of its bucket, never told too short; the longest is kept as it was. Past 71 minutes all count as that.
 */
export class Histogram {
  readonly #counts = new Float64Array((32 - BITS + 1) * PER_DOUBLING);
  #count = 0;
  #most = 0;

  record(ms: number): void {
    const microseconds = Math.min(MICROSECONDS_MAX, Math.max(0, Math.round(ms * 1_000)));
    this.#counts[bucketOf(microseconds)]! += 1;
    this.#count += 1;
    if (microseconds > this.#most) this.#most = microseconds;
  }

  /** The longest, in milliseconds; null of none. */
  mostMs(): number | null {
    return this.#count === 0 ? null : this.#most / 1_000;
  }

  /** What so great a share of all do not exceed, in milliseconds; null of none. */
  quantileMs(share: number): number | null {
    if (this.#count === 0) return null;
    let left = Math.max(1, Math.ceil(share * this.#count));
    let bucket = 0;
    while ((left -= this.#counts[bucket]!) > 0) bucket += 1;
    return Math.min(upperEnd(bucket), this.#most) / 1_000;
  }
}

function bucketOf(microseconds: number): number {
  const doubling = 31 - Math.clz32(microseconds);
  if (doubling < BITS) return microseconds;
  return (doubling - BITS + 1) * PER_DOUBLING + ((microseconds >>> (doubling - BITS)) & (PER_DOUBLING - 1));
}

function upperEnd(bucket: number): number {
  if (bucket < PER_DOUBLING) return bucket;
  const width = 2 ** (Math.floor(bucket / PER_DOUBLING) - 1);
  return (PER_DOUBLING + (bucket % PER_DOUBLING) + 1) * width - 1;
}
