export const DAY_MS = 86_400_000;

/** Days since 1970-01-01 UTC. */
export function dayOf(unixMs: number): number {
  return Math.floor(unixMs / DAY_MS);
}

/** As `2025-01-31`. */
export function isoDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** The day that follows `before` by a clock that shows `day`. It may fall back over midnight, and a day once left does not return; one that falls further was wrong before. */
export function turnedDay(before: number, day: number): number {
  return day > before || day < before - 1 ? day : before;
}
