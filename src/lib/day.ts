export const DAY_MS = 86_400_000;

/** Days since 1970-01-01 UTC. */
export function dayOf(unixMs: number): number {
  return Math.floor(unixMs / DAY_MS);
}

/** As `2025-01-31`. */
export function isoDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}
