/** The one form of a point in time in rows and facets: ISO 8601 in UTC, with a fraction only where there is one. */
export function momentText(unixMs: number): string {
  return new Date(unixMs).toISOString().replace('.000Z', 'Z');
}

/** The last in time of such texts, null where there is none. Sorted as texts, one with a fraction would stand before its whole second. */
export function newestMoment(moments: readonly (string | null)[]): string | null {
  return moments.reduce((newest, moment) => (newest === null || (moment !== null && Date.parse(moment) > Date.parse(newest)) ? moment : newest), null);
}
