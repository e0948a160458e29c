/**
 * Milliseconds on one monotonic clock shared by all threads of the process, so that a deadline made in one holds in another.
 * `performance.now()` alone counts from each thread's own start, and `timeOrigin` follows the wall clock.
 */
const [seconds, nanoseconds] = process.hrtime();
const offsetMs = seconds * 1e3 + nanoseconds / 1e6 - performance.now();

export function monotonicMs(): number {
  return performance.now() + offsetMs;
}

/** Spans are measured on the monotonic one; the wall clock serves for dates alone, since it may jump. */
export type Clock = { monotonicMs(): number; unixMs(): number };

export const systemClock: Clock = { monotonicMs, unixMs: Date.now };
